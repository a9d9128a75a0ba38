import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type Attempt,
  type DeviceList,
  firstView,
  type SessionView,
} from '../../src/dialog/session/session-view.ts'
import { situationOf, type Wording } from '../../src/dialog/situation/describe-situation.ts'
import { type Entry, nothingEntered, type Shown, show as showNext } from '../../src/dialog/situation/shown.ts'
import type { Button, Situation } from '../../src/dialog/situation/situation.ts'
import { createTranslator } from '../../src/dialog/situation/translator.ts'
import type { ActivationLink } from '../../src/shared/activation-screen.ts'
import type { LicensingState } from '../../src/shared/licensing-state.ts'
import { type ProblemCode, problemMessages } from '../../src/shared/problem.ts'
import { english, loadStrings } from '../../src/texts/load-strings.ts'
import { startScreen } from './stage/device-screen.ts'
import type { FakeAnswers } from './stage/fake-bridge.ts'
import {
  active,
  devices,
  grace,
  license,
  licenseKey,
  locked,
  problem,
  stateBase,
  trial,
  unlicensed,
} from './stage/states.ts'

const nowMs = Date.parse('2030-06-01T12:00:00Z')
const translator = createTranslator(english, {}, 'Inkpad', 'licensing.inkpad.example')

/** What a window shows, as if nothing else had happened in it. */
function show(
  view: Partial<SessionView>,
  offered: readonly ActivationLink[] = [],
  { atMs = nowMs, ...wording }: Partial<Wording> & { readonly atMs?: number } = {},
): Situation {
  const shown = { ...firstView, state: unlicensed(), ...view }
  return situationOf(shown, { translator, links: offered, ...wording }, atMs)
}

/** A failed attempt. */
function failed(code: ProblemCode, more: Parameters<typeof problem>[1] = {}): Pick<SessionView, 'attempt'> {
  return { attempt: { isRunning: false, problem: problem(code, more) } }
}

/** A window on a main process that answers like this. */
async function openScreen(answers: Partial<FakeAnswers>, state = unlicensed()) {
  const screen = startScreen(state, answers)
  await screen.clock.advance(0)
  return { ...screen, shown: () => situationOf(screen.session.view, { translator, links: ['buy'] }, nowMs) }
}

function buttonsOf({ primary, other, help, footer }: Situation): readonly Button[] {
  return [primary, other, ...help, ...footer].filter((button) => button !== null)
}

const actionsOf = ({ primary, other, footer }: Situation): readonly string[] =>
  [primary, other, ...footer].flatMap((button) => button?.action ?? [])

const labelsOf = ({ details }: Situation): readonly string[] =>
  details.map(({ label, value }) => `${label}: ${value}`)

describe('any situation', () => {
  function isProblemCode(text: string): text is ProblemCode {
    return Object.hasOwn(problemMessages, text)
  }
  const codes = fc.constantFrom(...Object.keys(problemMessages).filter(isProblemCode))
  const shown = codes.map((code) => problem(code))
  const base = fc
    .record({
      activity: fc.constantFrom('idle', 'activating', 'validating', 'deactivating'),
      problem: fc.option(shown),
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
        { ...parts, status: 'inactive', entitled: false, rawStatus: 'PAUSED' },
        ...(['unverified', 'expired', 'not-covered', 'suspended', 'revoked'] as const).map(
          (status) => ({ ...parts, status, entitled: false }) as const,
        ),
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

  /** What one can do about the matter, leaving aside the support report. */
  function waysOut(scene: Situation): number {
    const form = scene.body === 'none' ? 0 : 1
    return form + buttonsOf(scene).filter(({ action }) => action !== 'copyDetails').length
  }

  test('has words, something to do, and room for its buttons', () => {
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
})

describe('a version that the license doesn’t cover', () => {
  const state = locked('not-covered')

  test.for([
    [
      ['buy', 'renew', 'coveredVersion'],
      ['renew', 'coveredVersion', 'retry', 'enterKey'],
    ],
    [['coveredVersion'], ['coveredVersion', 'retry', 'enterKey']],
    [[], ['retry', 'enterKey']],
  ] as const)('is answered by a renewal, an earlier version, or another key: %j', ([offered, actions]) => {
    expect(actionsOf(show({ state }, offered))).toEqual(actions)
  })

  test('says until when the license covers versions, also after an attempt with the same key', () => {
    const said = 'Your license covers versions released until March 14, 2031.'
    const tried = failed('license-expired')
    for (const view of [{ state }, { state, ...tried, triedKey: license.maskedKey }]) {
      expect(show(view)).toMatchObject({
        heading: 'This version isn’t covered',
        lead: expect.stringContaining(said),
      })
    }
    const other = { state, ...tried, triedKey: '2f0a••••9c1d' }
    expect(show(other).heading).toBe('Your license has expired')
  })
})

describe('an activated app', () => {
  const shown = (about: Partial<typeof license>, offered: readonly ActivationLink[] = ['renew']): Situation =>
    show({ state: active({ license: { ...license, ...about } }) }, offered)
  const allSet = 'You’re all set, even offline.'
  const heading = 'Inkpad is activated'
  const primary = { action: 'continue' }
  const other = { action: 'renew' }

  test('mentions an end that is near quietly, with a link to renew it, until it is renewed', () => {
    const lead = 'Your license ends on March 14, 2031.'
    expect(shown({ endsSoon: true })).toMatchObject({ heading, lead, primary, other })
    expect(shown({ endsSoon: true }, []).other).toBeNull()
    expect(shown({})).toMatchObject({ lead: allSet, other: null })
  })

  test('whose license has ended says until when it has updates, and offers a renewal', () => {
    const ended = { expiresAt: '2030-05-01T00:00:00Z' }
    expect(shown(ended)).toMatchObject({ heading, lead: allSet, primary, other })
    expect(labelsOf(shown(ended)).at(-1)).toBe('Updates until: May 1, 2030')
    expect(shown(ended, []).other).toBeNull()
    expect(labelsOf(shown({})).at(-1)).toBe('Valid until: March 14, 2031')
    expect(shown({ expiresAt: null }).other).toBeNull()
    expect(labelsOf(shown({ expiresAt: null })).at(-1)).toBe('Valid until: No end date')
  })

  test('shows no end that the service doesn’t tell', () => {
    const labels = labelsOf(shown({ expiresAt: null, isEndUnknown: true })).join('\n')
    expect(labels).toContain('Devices in use')
    expect(labels).not.toContain('Valid until')
  })

  test('shows an end without a time as that day in every time zone, not over before the day is', () => {
    const zone = process.env['TZ']
    const state = active({ license: { ...license, expiresAt: '2026-12-31' } })
    const shownAt = (at: string) => show({ state }, ['renew'], { atMs: Date.parse(at) })
    try {
      for (const timeZone of ['America/Los_Angeles', 'UTC', 'Pacific/Auckland']) {
        process.env['TZ'] = timeZone
        expect(labelsOf(shownAt('2026-12-31T23:59:00Z'))).toContain('Valid until: December 31, 2026')
        expect(labelsOf(shownAt('2027-01-01T00:00:00Z'))).toContain('Updates until: December 31, 2026')
        expect(shownAt('2026-12-31T12:00:00Z').other).toBeNull()
      }
    } finally {
      if (zone === undefined) delete process.env['TZ']
      else process.env['TZ'] = zone
    }
  })

  test('whose license could not be saved does not claim to be all set', () => {
    expect(show({ state: active({ problem: problem('store-not-writable') }) }).lead).toBe('')
  })

  test('may say something of its own', () => {
    const own = createTranslator(english, { activatedNote: 'Thank you for using {app}!' }, 'Inkpad')
    const { lead } = show({ state: active() }, [], { translator: own })
    expect(lead).toBe(`${allSet}\nThank you for using Inkpad!`)
  })

  test('names plan and features, if there are any', () => {
    expect(labelsOf(shown({ plan: 'Studio', features: ['export', 'sync'] }))).toEqual(
      expect.arrayContaining(['Plan: Studio', 'Features: export · sync']),
    )
    expect(labelsOf(shown({})).join()).not.toMatch(/Plan|Features/u)
  })
})

test('a key that was declined may be of a license that ended: renewing it is offered', () => {
  const shown = show(failed('activation-refused'), ['buy', 'renew', 'support'])
  expect(buttonsOf(shown).map(({ action }) => action)).toEqual(expect.arrayContaining(['renew', 'support']))
})

describe('without a list of devices to choose from', () => {
  const scene = (devices: SessionView['devices']): Situation =>
    show({ ...failed('no-seat-left'), devices }, ['devices'])

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

  test.each([
    ['no-seat-left', 'No seats left'],
    ['seat-may-be-taken', 'No answer yet'],
  ] as const)(
    'at a service without one, %s names this device as it stands there, and links to that page',
    (code, heading) => {
      const device = { label: 'Work laptop', fingerprint: '0123456789abcdef' }
      const list = { devices: null, isLoading: false, problem: problem('devices-not-listed') }
      const scene = (links: readonly ActivationLink[]): Situation =>
        show({ state: { ...unlicensed(), device }, ...failed(code), devices: list }, links)
      const shown = scene(['account'])
      expect(shown.heading).toBe(heading)
      expect(shown.lead).toContain('customer account')
      expect(shown.details).toMatchObject([{ value: 'Work laptop [0123456789abcdef]' }])
      expect([shown.primary?.action, shown.other?.action]).toEqual(['retry', 'account'])
      expect(scene([]).other).toBeNull()
      // The page that frees the device is better than the one about the account.
      expect(scene(['account', 'devices']).other?.action).toBe('devices')
    },
  )
})

test('an app that moved to another service asks for the new key, and is left alone while the old one still works', () => {
  const moved = { problem: problem('license-of-other-service') }
  const asked = { body: 'form', notice: { text: expect.stringContaining('Enter your new key.') } }
  expect(show({ state: grace(moved) }, ['renew'])).toMatchObject({
    ...asked,
    lead: 'You can keep using Inkpad in the meantime.',
    primary: { action: 'activate' },
    other: { action: 'continue' },
  })
  const over = locked('unverified', 'license-of-other-service')
  expect(show({ state: over }, ['renew'])).toMatchObject({ ...asked, lead: '', other: null })
})

test('only an activation that continues by itself is said to', () => {
  const leadAfter = (code: ProblemCode, state = unlicensed()): string => show({ state, ...failed(code) }).lead
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

describe('without a connection', () => {
  const blocked = ['No answer yet', 'administrator to allow licensing.inkpad.example.'] as const
  test.each([
    ['ERR_INTERNET_DISCONNECTED', 'No connection', 'We couldn’t reach the license service.'],
    ['ERR_CERT_DATE_INVALID', 'Check this computer’s date', 'probably wrong: June 1, 2030.'],
    ['ERR_NAME_NOT_RESOLVED', ...blocked],
    ['ERR_CONNECTION_RESET', ...blocked],
    ['ERR_SSL_PROTOCOL_ERROR', ...blocked],
    ['ERR_CONNECTION_CLOSED', ...blocked],
    ['ERR_TUNNEL_CONNECTION_FAILED', ...blocked],
  ])('because of %s, an activation shows “%s”', (networkError, heading, sentence) => {
    const shown = show({ ...failed('offline', { networkError }), retryAtMs: nowMs + 9_000 })
    expect(shown).toMatchObject({ heading, status: 'Retrying in 9 seconds' })
    expect(shown.lead).toContain(sentence)
    expect(shown.lead).toContain('Your key is saved')
  })

  test.each(['grace', 'unverified'] as const)('a license in %s names the same', (status) => {
    const noticeWith = (networkError: string): string | undefined => {
      const base = { problem: problem('offline', { networkError }) }
      const state = status === 'grace' ? grace(base) : locked(status, null, base)
      return show({ state }).notice?.text
    }
    expect(noticeWith('ERR_INTERNET_DISCONNECTED')).toBeUndefined()
    expect(noticeWith('ERR_CERT_DATE_INVALID')).toContain('June 1, 2030')
    expect(noticeWith('ERR_NAME_NOT_RESOLVED')).toContain('licensing.inkpad.example')
  })
})

test('an activation that a block page refused goes on by itself once the block is gone', async () => {
  const refused = problem('unauthorized', { httpStatus: 403 })
  const { session, clock, fake, shown } = await openScreen({
    activate: async () => ({ ok: false, problem: refused, state: unlicensed() }),
  })
  session.activate(licenseKey)
  await clock.advance(0)
  expect(shown()).toMatchObject({
    heading: 'Activation was declined',
    status: expect.stringContaining('Retrying'),
  })
  fake.answers.activate = async () => {
    fake.push(active())
    return { ok: true, state: active() }
  }
  await clock.advance(10_000)
  expect(shown().facts.kind).toBe('activated')
})

test('a link that the system doesn’t open shows its address to copy, until the user goes on', async () => {
  const address = 'https://inkpad.example/buy'
  const { session, clock, shown } = await openScreen({ openLink: async () => ({ ok: false, address }) })
  session.openLink('buy')
  await clock.advance(0)
  expect(shown().notice).toMatchObject({ text: expect.stringContaining('couldn’t open'), address })
  // Nothing moves while an answer is pending.
  session.activate(licenseKey)
  expect(shown().notice).toMatchObject({ address })
  session.enterKey()
  expect(shown().notice).toBeNull()
})

test.each([
  ['an activated app', active()],
  ['an app whose license ends soon', active({ license: { ...license, endsSoon: true } })],
  ['an app in grace', grace({ problem: null })],
])('another license key is one click away in %s, and Cancel goes back without harm', async (_, state) => {
  const { session, calls, shown } = await openScreen({}, state)
  const before = shown()
  expect(before.footer.map(({ action }) => action)).toContain('enterKey')
  calls.length = 0
  session.enterKey()
  expect(shown()).toMatchObject({ body: 'form', other: { action: 'back' } })
  session.back()
  expect(shown()).toEqual(before)
  expect(calls).toEqual([])
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

test.each([
  ['2030-06-13T11:59:00Z', '12 days left in your trial'],
  ['2030-06-02T12:00:00Z', '1 day left in your trial'],
  ['2030-06-01T12:00:01Z', '1 day left in your trial'],
  ['2030-05-01T12:00:00Z', '0 days left in your trial'],
])('days left are counted up to the last, and never below zero: %s', (trialEndsAt, heading) => {
  expect(show({ state: trial(trialEndsAt) }).heading).toBe(heading)
})

test('a record of another computer is one, even if the license key in it can’t be read', () => {
  const state = unlicensed({ problem: problem('record-of-another-device') })
  expect(show({ state }).heading).toBe(english.strings.copiedHeading)
})

test.each([
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
  async (language, words) => {
    const texts = createTranslator(await loadStrings(language), {}, 'Inkpad')
    const withoutSeats = { license: { ...license, activationLimit: null, activationUsage: null } }
    const state = active(withoutSeats)
    const views: readonly Partial<SessionView>[] = [
      { state },
      { state, intent: 'deactivate' },
      { freedSeat: 'freed' },
      { state: locked('revoked', 'record-of-another-device', withoutSeats) },
    ]
    const all = (hasSeats: boolean): string =>
      views
        .flatMap((view) => {
          const shown = show(view, ['support', 'buy'], { translator: texts, hasSeats })
          const labels = [...shown.details, ...buttonsOf(shown)].map(({ label }) => label)
          return [shown.heading, shown.lead, shown.notice?.text, ...labels]
        })
        .join('\n')
    expect(all(true)).toMatch(words)
    expect(all(false)).not.toMatch(words)
  },
)

describe('what screen readers announce', () => {
  const en = english.strings

  function next(before: Shown | null, view: Partial<SessionView>, input: Partial<Entry> = {}): Shown {
    const shown = { ...firstView, state: unlicensed(), ...view }
    const entry = { ...nothingEntered, isFieldEmpty: false, ...input }
    return showNext(before, shown, entry, { translator, links: [] }, Date.now())
  }

  // A new object for each try, as in the session.
  const refusedTry = () => failed('license-not-found')
  const form = next(null, {})
  const refused = next(form, refusedTry())
  const reason = problem('license-not-found').message
  const running = { attempt: { isRunning: true, problem: null } } as const

  test('is why a license key was refused, and again when the same key is tried once more', () => {
    expect(refused.announcement).toBe(reason)
    const checking = next(refused, running)
    expect(checking.announcement).not.toBe(reason)
    expect(next(checking, refusedTry()).announcement).toBe(reason)
  })

  test('stays on the screen until the text is changed', () => {
    const said = ({ hint }: Shown): string => hint.said.replaceAll('\n', ' ')
    expect([said(refused), refused.hint.tone]).toEqual([reason, 'danger'])
    expect(said(next(refused, refusedTry(), { isEdited: true }))).not.toBe(reason)
  })

  test('is a wait when it begins and when it gets long, with a way out', () => {
    const checking = next(form, running)
    expect(checking.announcement).toBe(en.checking)
    const slow = next(checking, { ...running, isSlow: true })
    expect(slow.announcement).toBe(en.takingLong)
    expect(slow.hint.button).toMatchObject({ action: 'stopWaiting' })
  })

  test('is the heading after a wait that ends with the same words', () => {
    const begun = next(form, { state: unlicensed({ activity: 'activating' }) })
    expect(begun.announcement).toBe(en.checking)
    // The app's own call was refused, which this screen doesn't show.
    const ended = next(begun, { state: unlicensed({ problem: problem('license-not-found') }) })
    expect(ended.announcement).toBe(form.situation.heading)
  })

  test('is no retry without a network', () => {
    const stopped = next(form, failed('offline'))
    const retrying = next(stopped, { attempt: { isRunning: true, problem: problem('offline') } })
    expect(retrying.announcement).toBe(stopped.announcement)
    expect(next(retrying, { attempt: stopped.view.attempt }).announcement).toBe(stopped.announcement)
  })

  test('is a key that is found, and details that were copied', () => {
    const found = next(form, {}, { foundKey: '1f0a••••9c1d' })
    expect(found.announcement).toBe(en.keyFound)
    expect(next(found, { copied: 'details' }, { foundKey: '1f0a••••9c1d' }).announcement).toBe(en.copied)
  })

  test('is no alarm for an empty field: the hint says what to do', () => {
    const empty = next(form, failed('empty-text'))
    expect(empty.hint.tone).toBeNull()
    expect(empty.announcement).toBe(problem('empty-text').message)
  })
})
