import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type Attempt,
  type DeviceList,
  firstView,
  type SessionView,
} from '../../src/dialog/session/session-view.ts'
import { situationOf } from '../../src/dialog/situation/describe-situation.ts'
import type { Button, Situation } from '../../src/dialog/situation/situation.ts'
import { createTranslator } from '../../src/dialog/situation/translator.ts'
import type { ActivationLink } from '../../src/shared/activation-screen.ts'
import type { LicensingState } from '../../src/shared/licensing-state.ts'
import { type ProblemCode, problemMessages } from '../../src/shared/problem.ts'
import { english, loadStrings } from '../../src/texts/load-strings.ts'
import { active, devices, license, problem, stateBase, unlicensed } from './stage/states.ts'

const nowMs = Date.parse('2030-06-01T12:00:00Z')
const translator = createTranslator(english, {}, 'Inkpad')

/** What a window shows, as if nothing else had happened in it. */
function show(view: Partial<SessionView>, offered: readonly ActivationLink[] = []): Situation {
  return situationOf({ ...firstView, state: unlicensed(), ...view }, { translator, links: offered }, nowMs)
}

function isProblemCode(text: string): text is ProblemCode {
  return Object.hasOwn(problemMessages, text)
}
const codes = fc.constantFrom(...Object.keys(problemMessages).filter(isProblemCode))
const shown = codes.map((code) => problem(code))
const base = fc
  .record({
    activity: fc.constantFrom('idle', 'activating', 'validating', 'deactivating'),
    problem: fc.option(codes.map((code) => problem(code))),
    license: fc.constantFrom(
      null,
      license,
      { ...license, expiresAt: null },
      { ...license, expiresAt: '2030-05-01T00:00:00Z' },
      { ...license, expiresAt: 'soon' },
      { ...license, endsSoon: true },
      { ...license, expiresAt: null, endsSoon: true },
    ),
  })
  .map((parts) => stateBase(parts))
const state: fc.Arbitrary<LicensingState> = fc
  .tuple(base, fc.constantFrom('2030-06-20T00:00:00Z', '2030-05-01T00:00:00Z', 'no date'))
  .chain(([parts, at]) =>
    fc.constantFrom<LicensingState>(
      { ...parts, status: 'unlicensed', entitled: false },
      { ...parts, status: 'trial', entitled: true, trialEndsAt: at },
      { ...parts, status: 'active', entitled: true },
      { ...parts, status: 'grace', entitled: true, graceEndsAt: at },
      { ...parts, status: 'unverified', entitled: false },
      { ...parts, status: 'expired', entitled: false },
      { ...parts, status: 'not-covered', entitled: false },
      { ...parts, status: 'suspended', entitled: false },
      { ...parts, status: 'inactive', entitled: false, rawStatus: 'PAUSED' },
      { ...parts, status: 'revoked', entitled: false },
    ),
  )
const attempt: fc.Arbitrary<Attempt | null> = fc.oneof(
  fc.constant(null),
  fc.constant({ isRunning: true, problem: null }),
  fc.record({ isRunning: fc.boolean(), problem: shown }),
)
const list: fc.Arbitrary<DeviceList | null> = fc.oneof(
  fc.constant(null),
  fc.constant({ devices: null, isLoading: true, problem: null }),
  fc.record({ devices: fc.constant(null), isLoading: fc.boolean(), problem: shown }),
  fc.record({
    devices: fc.constantFrom([], devices),
    isLoading: fc.constant(false),
    problem: fc.option(shown),
  }),
)
const view: fc.Arbitrary<SessionView> = fc.record({
  state: fc.option(state),
  fault: fc.constantFrom(null, null, null, 'bridge-silent'),
  attempt,
  triedKey: fc.constantFrom(null, license.maskedKey, '2f0a••••9c1d'),
  devices: list,
  keyChoices: fc.constantFrom([], [], [{ id: 'key-0', maskedKey: '1f0a••••9c1d', label: '' }]),
  intent: fc.constantFrom(null, 'enter-key', 'deactivate'),
  isOverdue: fc.boolean(),
  problem: fc.option(shown),
  isSlow: fc.boolean(),
  retryAtMs: fc.constantFrom(null, nowMs + 5_000),
  clipboardKey: fc.constantFrom(null, '1f0a••••9c1d'),
  freedSeat: fc.constantFrom(null, 'freed', 'freed-later', 'not-freed'),
  unopenedAddress: fc.constantFrom(null, 'https://inkpad.example/buy'),
  copied: fc.constantFrom(null, 'details'),
  offline: fc.constant(firstView.offline),
  releaseIndex: fc.constant(null),
})
const links = fc.subarray<ActivationLink>(['buy', 'renew', 'coveredVersion', 'support'])

function buttonsOf({ primary, other, help, footer }: Situation): readonly Button[] {
  return [primary, other, ...help, ...footer].filter((button) => button !== null)
}

/** What one can do about the matter, leaving aside the support report. */
function waysOut(scene: Situation): number {
  const form = scene.body === 'none' ? 0 : 1
  return form + buttonsOf(scene).filter(({ action }) => action !== 'copyDetails').length
}

test('every situation has words, something to do, and room for its buttons', () => {
  fc.assert(
    fc.property(view, links, (seen, offered) => {
      const shown = show(seen, offered)
      const { heading, lead, hint, notice, details, footer, help } = shown
      expect(heading).not.toBe('')
      for (const text of [heading, lead, hint, notice?.text, ...details.map(({ value }) => value)]) {
        expect(text ?? '').not.toMatch(/\{\w+\}|undefined|NaN|Invalid/)
      }
      // While the window starts, and when it cannot talk to anybody, there is nothing a button could do.
      if (shown.facts.kind !== 'starting' && seen.fault === null) expect(waysOut(shown)).toBeGreaterThan(0)

      const actions = buttonsOf(shown).map(({ action }) => action)
      expect(new Set(actions).size).toBe(actions.length)
      for (const link of ['buy', 'renew', 'coveredVersion', 'support'] as const) {
        if (!offered.includes(link)) expect(actions).not.toContain(link)
      }
      expect(footer.length).toBeLessThanOrEqual(2)
      // Its menu has one more entry if a key was declined whose license may have to be renewed.
      expect(help.length).toBeLessThanOrEqual(3)
    }),
    { numRuns: 3_000 },
  )
})

describe('a version that the license doesn’t cover', () => {
  const state: LicensingState = { ...stateBase({ license }), status: 'not-covered', entitled: false }
  const actions = (offered: readonly ActivationLink[]): string[] => {
    const { primary, other, footer } = show({ state }, offered)
    return [primary, other, ...footer].flatMap((button) => button?.action ?? [])
  }

  test('is answered by a renewal, an earlier version, or another key, and a renewal can be looked for', () => {
    expect(actions(['buy', 'renew', 'coveredVersion'])).toEqual([
      'renew',
      'coveredVersion',
      'retry',
      'enterKey',
    ])
    expect(actions(['coveredVersion'])).toEqual(['coveredVersion', 'retry', 'enterKey'])
    expect(actions([])).toEqual(['retry', 'enterKey'])
  })

  test('says until when the license covers versions, also after an attempt with the same key', () => {
    const said = 'Your license covers versions released until March 14, 2031.'
    const attempt = { isRunning: false, problem: problem('license-expired') } as const
    for (const view of [{ state }, { state, attempt, triedKey: license.maskedKey }]) {
      expect(show(view)).toMatchObject({
        heading: 'This version isn’t covered',
        lead: expect.stringContaining(said),
      })
    }
    const other = { state, attempt, triedKey: '2f0a••••9c1d' }
    expect(show(other).heading).toBe('Your license has expired')
  })
})

test('a license that ends soon is mentioned quietly, with a link to renew it, until it is renewed', () => {
  const shown = (endsSoon: boolean, offered: readonly ActivationLink[]): Situation => {
    const state: LicensingState = {
      ...stateBase({ license: { ...license, endsSoon } }),
      status: 'active',
      entitled: true,
    }
    return show({ state }, offered)
  }
  expect(shown(true, ['renew'])).toMatchObject({
    heading: 'Inkpad is activated',
    lead: 'Your license ends on March 14, 2031.',
    primary: { action: 'continue' },
    other: { action: 'renew' },
  })
  expect(shown(true, []).other).toBeNull()
  expect(shown(false, ['renew'])).toMatchObject({ lead: 'You’re all set, even offline.', other: null })
})

test('an active license that has ended says until when it has updates, and offers a renewal', () => {
  const shown = (expiresAt: string | null, offered: readonly ActivationLink[] = ['renew']): Situation => {
    const state: LicensingState = {
      ...stateBase({ license: { ...license, expiresAt } }),
      status: 'active',
      entitled: true,
    }
    return show({ state }, offered)
  }
  const ended = '2030-05-01T00:00:00Z'
  expect(Date.parse(ended)).toBeLessThan(nowMs)
  expect(shown(ended)).toMatchObject({
    heading: 'Inkpad is activated',
    lead: 'You’re all set, even offline.',
    primary: { action: 'continue' },
    other: { action: 'renew' },
  })
  expect(shown(ended).details.at(-1)).toMatchObject({ label: 'Updates until', value: 'May 1, 2030' })
  expect(shown(ended, []).other).toBeNull()

  expect(shown(license.expiresAt).other).toBeNull()
  expect(shown(license.expiresAt).details.at(-1)).toMatchObject({
    label: 'Valid until',
    value: 'March 14, 2031',
  })
  expect(shown(null)).toMatchObject({ other: null })
  expect(shown(null).details.at(-1)).toMatchObject({ label: 'Valid until', value: 'No end date' })
})

test('an end that the service doesn’t tell is not shown as no end', () => {
  const unknown = { ...license, expiresAt: null, isEndUnknown: true }
  const state: LicensingState = { ...stateBase({ license: unknown }), status: 'active', entitled: true }
  const labels = show({ state }).details.map(({ label }) => label)
  expect(labels).toContain('Devices in use')
  expect(labels).not.toContain('Valid until')
})

test('an activated app with a license that could not be saved does not claim to be all set', () => {
  const lead = (code: ProblemCode | null): string => {
    const parts = stateBase({ license, problem: code === null ? null : problem(code) })
    return show({ state: { ...parts, status: 'active', entitled: true } }).lead
  }
  expect(lead(null)).toBe('You’re all set, even offline.')
  expect(lead('store-not-writable')).toBe('')
})

test('a key that was declined may be of a license that ended: renewing it is offered', () => {
  const scene = show({ attempt: { isRunning: false, problem: problem('activation-refused') } }, [
    'buy',
    'renew',
    'support',
  ])
  expect(buttonsOf(scene).map(({ action }) => action)).toEqual(expect.arrayContaining(['renew', 'support']))
})

describe('without a list of devices to choose from', () => {
  const scene = (devices: SessionView['devices']): Situation =>
    show({ attempt: { isRunning: false, problem: problem('no-seat-left') }, devices }, ['devices'])

  test('the main button asks for a list that failed again', () => {
    const shown = scene({ devices: null, isLoading: false, problem: { code: 'timeout' } })
    expect(shown.primary?.action).toBe('loadDevices')
    expect(shown.lead).toContain('We couldn’t list the devices.')
  })

  test('a full license whose list is empty says who frees a seat, and tries to activate again', () => {
    const shown = scene({ devices: [], isLoading: false, problem: null })
    expect(shown.lead).toContain('Ask your administrator to free a seat')
    expect([shown.primary?.action, shown.other?.action]).toEqual(['retry', 'devices'])
  })
})

test('an app that moved to another service asks for the new key, and is left alone while the old one still works', () => {
  const parts = stateBase({ license, problem: problem('license-of-other-service') })
  const shown = (state: LicensingState): Situation => show({ state }, ['renew'])
  expect(
    shown({ ...parts, status: 'grace', entitled: true, graceEndsAt: '2030-06-20T00:00:00Z' }),
  ).toMatchObject({
    body: 'form',
    lead: 'You can keep using Inkpad in the meantime.',
    notice: { text: expect.stringContaining('Enter your new key.') },
    primary: { action: 'activate' },
    other: { action: 'continue' },
  })
  expect(shown({ ...parts, status: 'unverified', entitled: false })).toMatchObject({
    body: 'form',
    lead: '',
    notice: { text: expect.stringContaining('Enter your new key.') },
    other: null,
  })
})

describe('where the service lists no devices in the app', () => {
  const device = { label: 'Work laptop', fingerprint: '0123456789abcdef' }
  const scene = (code: 'seat-may-be-taken' | 'no-seat-left', links: readonly ActivationLink[]): Situation =>
    show(
      {
        state: { ...unlicensed(), device },
        attempt: { isRunning: false, problem: problem(code) },
        devices: { devices: null, isLoading: false, problem: problem('devices-not-listed') },
      },
      links,
    )

  test.for([
    ['no-seat-left', 'No seats left'],
    ['seat-may-be-taken', 'No answer yet'],
  ] as const)('%s names this device as it stands there, and links to that page', ([code, heading]) => {
    const shown = scene(code, ['account'])
    expect(shown.heading).toBe(heading)
    expect(shown.lead).toContain('customer account')
    expect(shown.details).toMatchObject([{ value: 'Work laptop [0123456789abcdef]' }])
    expect([shown.primary?.action, shown.other?.action]).toEqual(['retry', 'account'])
    expect(scene(code, []).other).toBeNull()
    // The page that frees the device is better than the one about the account.
    expect(scene(code, ['account', 'devices']).other?.action).toBe('devices')
  })
})

test('only an activation that continues by itself is said to', () => {
  const leadAfter = (code: ProblemCode, state = unlicensed()): string =>
    show({ state, attempt: { isRunning: false, problem: problem(code) } }).lead
  expect(leadAfter('offline')).toContain('will continue automatically')
  // Nothing is asked of the user beside it.
  expect(leadAfter('timeout').split('\n')).toEqual([
    'The license service didn’t respond in time.',
    'Your key is saved, and activation will continue automatically.',
  ])
  expect(leadAfter('unexpected-answer')).toContain('sign in to it first')
  expect(leadAfter('activation-unconfirmed').split('\n')).toEqual([
    'The connection broke before the activation was confirmed.',
    'Try again to complete it.',
  ])
  expect(leadAfter('activation-unconfirmed', active())).toContain('You can keep using')
})

test('after a deactivation, the form says what happened to the seat', () => {
  const notice = (freedSeat: SessionView['freedSeat']): Situation['notice'] => show({ freedSeat }).notice
  expect(notice(null)).toBeNull()
  expect(notice('freed')).toMatchObject({ tone: 'success' })
  expect(notice('not-freed')).toEqual({
    tone: 'warning',
    text: 'This device is deactivated, but its seat on the previous service is still in use.',
  })
})

test('days left are counted up to the last, and never below zero', () => {
  const days = (trialEndsAt: string): string =>
    show({ state: { ...stateBase(), status: 'trial', entitled: true, trialEndsAt } }).heading
  expect(days('2030-06-13T11:59:00Z')).toBe('12 days left in your trial')
  expect(days('2030-06-02T12:00:00Z')).toBe('1 day left in your trial')
  expect(days('2030-06-01T12:00:01Z')).toBe('1 day left in your trial')
  expect(days('2030-05-01T12:00:00Z')).toBe('0 days left in your trial')
})

test('an activated app names plan and features, if there are any', () => {
  const labels = (plan: string | null, features: readonly string[]): readonly string[] =>
    show({ state: active({ license: { ...license, plan, features } }) }).details.map(
      ({ label, value }) => `${label}: ${value}`,
    )
  expect(labels('Studio', ['export', 'sync'])).toEqual(
    expect.arrayContaining(['Plan: Studio', 'Features: export · sync']),
  )
  expect(labels(null, []).join()).not.toMatch(/Plan|Features/u)
})

test.for([
  ['ar', /مكان|جهاز/u],
  ['de', /Platz|Plätze|Gerät/u],
  ['en', /seat|device/iu],
  ['es', /plaza|dispositivo/iu],
  ['fr', /place|appareil/iu],
  ['it', /posto|dispositivo/iu],
  ['ja', /デバイス|台|席/u],
  ['ko', /기기|자리/u],
  ['nl', /plaats|apparaat/iu],
  ['pl', /miejsc|urządze/iu],
  ['pt', /vaga|dispositivo/iu],
  ['zh', /设备|名额/u],
] as const)(
  'in %s, a window for licenses without seats mentions no seats and no devices',
  async ([language, words]) => {
    const texts = createTranslator(await loadStrings(language), {}, 'Inkpad')
    const state = active({ license: { ...license, activationLimit: null, activationUsage: null } })
    const copied: LicensingState = {
      ...stateBase({ license: state.license, problem: problem('record-of-another-device') }),
      status: 'revoked',
      entitled: false,
    }
    const all = (hasSeats: boolean): string =>
      [
        { state },
        { state, intent: 'deactivate' as const },
        { freedSeat: 'freed' as const },
        { state: copied },
      ]
        .map((view) => {
          const shown = { ...firstView, state: unlicensed(), ...view }
          const wording = { translator: texts, links: ['support', 'buy'] as const, hasSeats }
          const { heading, lead, notice, details, primary, other, help, footer } = situationOf(
            shown,
            wording,
            nowMs,
          )
          const labels = [...details, primary, other, ...help, ...footer].map((each) => each?.label)
          return [heading, lead, notice?.text, ...labels].join('\n')
        })
        .join('\n')
    expect(all(true)).toMatch(words)
    expect(all(false)).not.toMatch(words)
  },
)
