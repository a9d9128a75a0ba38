import { describe, expect, test } from 'vitest'
import { firstView, type SessionView } from '../../src/dialog/session/session-view.ts'
import { situationOf, type Wording } from '../../src/dialog/situation/describe-situation.ts'
import { createTranslator } from '../../src/dialog/situation/translator.ts'
import type { LicensingState } from '../../src/shared/licensing-state.ts'
import { english } from '../../src/texts/load-strings.ts'
import { startScreen } from './stage/device-screen.ts'
import type { FakeAnswers } from './stage/fake-bridge.ts'
import { active, license, licenseKey, problem, stateBase, unlicensed } from './stage/states.ts'

const translator = createTranslator(english, {}, 'Inkpad', 'licensing.inkpad.example')
const nowMs = Date.parse('2030-06-01T12:00:00Z')

function describeView(view: Partial<SessionView>, atMs = nowMs) {
  return situationOf({ ...firstView, state: unlicensed(), ...view }, { translator, links: ['renew'] }, atMs)
}

async function openScreen(answers: Partial<FakeAnswers>, state = unlicensed()) {
  const screen = startScreen(state, answers)
  await screen.clock.advance(0)
  const wording: Wording = { translator, links: ['buy'] }
  return { ...screen, shown: () => situationOf(screen.session.view, wording, nowMs) }
}

describe('an activation without a connection', () => {
  test.for([
    ['ERR_INTERNET_DISCONNECTED', 'No connection', 'We couldn’t reach the license service.'],
    ['ERR_CERT_DATE_INVALID', 'Check this computer’s date', 'probably wrong: June 1, 2030.'],
    ['ERR_NAME_NOT_RESOLVED', 'No answer yet', 'administrator to allow licensing.inkpad.example.'],
    ['ERR_CONNECTION_RESET', 'No answer yet', 'administrator to allow licensing.inkpad.example.'],
    ['ERR_SSL_PROTOCOL_ERROR', 'No answer yet', 'administrator to allow licensing.inkpad.example.'],
    ['ERR_CONNECTION_CLOSED', 'No answer yet', 'administrator to allow licensing.inkpad.example.'],
    ['ERR_TUNNEL_CONNECTION_FAILED', 'No answer yet', 'administrator to allow licensing.inkpad.example.'],
  ])('because of %s shows “%s”', ([networkError = '', heading, sentence]) => {
    const failed = problem('offline', { networkError })
    const shown = describeView({ attempt: { isRunning: false, problem: failed }, retryAtMs: nowMs + 9_000 })
    expect(shown).toMatchObject({ heading, status: 'Retrying in 9 seconds' })
    expect(shown.lead).toContain(sentence)
    expect(shown.lead).toContain('Your key is saved')
  })

  test.for(['grace', 'unverified'] as const)('of a license in %s names the same', (status) => {
    const noticeWith = (networkError: string): string | undefined => {
      const base = stateBase({ license, problem: problem('offline', { networkError }) })
      const state: LicensingState =
        status === 'grace'
          ? { ...base, status, entitled: true, graceEndsAt: '2030-06-10T12:00:00Z' }
          : { ...base, status, entitled: false }
      return describeView({ state }).notice?.text
    }
    expect(noticeWith('ERR_INTERNET_DISCONNECTED')).toBeUndefined()
    expect(noticeWith('ERR_CERT_DATE_INVALID')).toContain('June 1, 2030')
    expect(noticeWith('ERR_NAME_NOT_RESOLVED')).toContain('licensing.inkpad.example')
  })
})

test('an activation that a block page refused goes on by itself once the block is gone', async () => {
  const { session, clock, fake, shown } = await openScreen({
    activate: async () => ({
      ok: false,
      problem: problem('unauthorized', { httpStatus: 403 }),
      state: unlicensed(),
    }),
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

describe('an end without a time', () => {
  const state = active({ license: { ...license, expiresAt: '2026-12-31' } })
  const endOn = (at: string): string | undefined =>
    describeView({ state }, Date.parse(at)).details.find(({ value }) => value === 'December 31, 2026')?.label

  test('is that day in every time zone, and isn’t over before the day is', () => {
    const zone = process.env['TZ']
    try {
      for (const timeZone of ['America/Los_Angeles', 'UTC', 'Pacific/Auckland']) {
        process.env['TZ'] = timeZone
        expect(endOn('2026-12-31T23:59:00Z'), timeZone).toBe('Valid until')
        expect(endOn('2027-01-01T00:00:00Z'), timeZone).toBe('Updates until')
        expect(describeView({ state }, Date.parse('2026-12-31T12:00:00Z')).other).toBeNull()
      }
    } finally {
      if (zone === undefined) delete process.env['TZ']
      else process.env['TZ'] = zone
    }
  })
})

test('an activated app may say something of its own', () => {
  const own = createTranslator(english, { activatedNote: 'Thank you for using {app}!' }, 'Inkpad')
  const { lead } = situationOf({ ...firstView, state: active() }, { translator: own, links: [] }, nowMs)
  expect(lead).toBe('You’re all set, even offline.\nThank you for using Inkpad!')
})

describe('another license key', () => {
  test.for([
    ['an activated app', active()],
    ['an app whose license ends soon', active({ license: { ...license, endsSoon: true } })],
    [
      'an app in grace',
      { ...stateBase({ license }), status: 'grace', entitled: true, graceEndsAt: '2030-06-10T12:00:00Z' },
    ],
  ] satisfies readonly (readonly [string, LicensingState])[])(
    'is one click away in %s, and Cancel goes back without harm',
    async ([, state]) => {
      const { session, fake, shown } = await openScreen({}, state)
      const before = shown()
      expect(before.footer.map(({ action }) => action)).toContain('enterKey')
      fake.calls.length = 0
      session.enterKey()
      expect(shown()).toMatchObject({ body: 'form', other: { action: 'back' } })
      session.back()
      expect(shown()).toEqual(before)
      expect(fake.calls).toEqual([])
    },
  )
})
