import { describe, expect, test, vi } from 'vitest'
import { decideSituation } from '../../src/dialog/situation/decide-situation.ts'
import { createLicensingClient } from '../../src/renderer/licensing-client.ts'
import type { LicensingState } from '../../src/shared/licensing-state.ts'
import type { ProblemCode } from '../../src/shared/problem.ts'
import type { ActivationResult } from '../../src/shared/results.ts'
import { createFakeClock } from '../doubles/fake-clock.ts'
import { startScreen } from './stage/device-screen.ts'
import type { FakeAnswers } from './stage/fake-bridge.ts'
import {
  active,
  devices,
  grace,
  license,
  licenseKey,
  locked,
  maskedKey,
  problem,
  trial,
  unlicensed,
} from './stage/states.ts'

const tenMinutesMs = 10 * 60_000

async function openScreen(state?: LicensingState, answers?: Partial<FakeAnswers>) {
  const screen = startScreen(state, answers)
  const { calls, clock, session } = screen
  await clock.advance(0)
  calls.length = 0
  const settle = () => clock.advance(0)
  return {
    ...screen,
    /** Lets what is under way settle. */
    settle,
    situation: () => decideSituation(session.view),
    activate: async () => {
      session.activate(licenseKey)
      await settle()
    },
    tries: () => calls.filter((call) => call.startsWith('activate')).length,
  }
}

/** A screen on which an activation was answered like this. */
async function openTried(code: ProblemCode, answers: Partial<FakeAnswers> = {}, state = unlicensed()) {
  const screen = await openScreen(state, { activate: refuse(code), ...answers })
  await screen.activate()
  return screen
}

const refusal = (code: ProblemCode, more: { retryAt?: string } = {}): ActivationResult => ({
  ok: false,
  problem: problem(code, more),
  state: unlicensed(),
})
const refuse = (code: ProblemCode) => async () => refusal(code)
const never = (): Promise<never> => new Promise(() => {})

describe('activating', () => {
  test('a text without a key is refused on the spot', async () => {
    const { session, calls, situation } = await openScreen()
    session.activate('hello')
    expect(situation()).toMatchObject({ kind: 'key-trouble', problem: { code: 'no-license-key' } })
    expect(calls).toEqual([])
  })

  test('a bridge that rejects is a problem on the screen, not an unhandled one', async () => {
    const { activate, situation } = await openScreen(unlicensed(), {
      activate: () => Promise.reject(new Error('gone')),
    })
    await activate()
    expect(situation()).toMatchObject({ kind: 'key-trouble', problem: { code: 'unexpected' } })
  })

  test('while another operation runs, it waits its turn by itself', async () => {
    const { fake, clock, situation } = await openTried('busy')
    expect(situation()).toMatchObject({ kind: 'enter-key', isChecking: true })
    fake.answers.activate = refuse('license-not-found')
    await clock.advance(2_000)
    expect(situation().kind).toBe('key-trouble')
  })
})

describe('without a network', () => {
  test('retries automatically with growing pauses, and at once when the user asks', async () => {
    const { session, clock, settle, tries } = await openTried('offline')
    expect(session.view.retryAtMs).toBe(clock.now() + 5_000)
    await clock.advance(5_000)
    expect(tries()).toBe(2)
    expect(session.view.retryAtMs).toBe(clock.now() + 10_000)
    session.retry()
    await settle()
    expect(tries()).toBe(3)
    expect(session.view.retryAtMs).toBe(clock.now() + 20_000)
    await clock.advance(tenMinutesMs)
    expect(session.view.retryAtMs).toBeLessThanOrEqual(clock.now() + 60_000)
  })

  test('retries what an earlier run of the app left open, with growing pauses', async () => {
    const open = unlicensed({ problem: problem('unexpected-answer') })
    const { session, fake, calls, clock, settle } = await openScreen(open)
    expect(session.view.retryAtMs).toBe(clock.now() + 5_000)
    await clock.advance(5_000)
    expect(calls).toEqual(['validate'])
    fake.push({ ...open, activity: 'validating' })
    expect(session.view.retryAtMs).toBeNull()
    fake.push(open)
    expect(session.view.retryAtMs).toBe(clock.now() + 10_000)
    session.enterKey()
    await clock.advance(tenMinutesMs)
    expect(calls).toEqual(['validate'])
    session.back()
    fake.push(active())
    await settle()
    expect(session.view).toMatchObject({ attempt: null, retryAtMs: null })
  })

  test('waits as long as the service asks, up to a limit', async () => {
    const { session, clock, settle, fake, activate } = await openScreen()
    const askedFor = (ms: number) => {
      const retryAt = new Date(clock.now() + ms).toISOString()
      fake.answers.activate = async () => refusal('rate-limited', { retryAt })
    }
    askedFor(90_000)
    await activate()
    expect(session.view.retryAtMs).toBe(clock.now() + 90_000)
    askedFor(86_400_000)
    session.retry()
    await settle()
    expect(session.view.retryAtMs).toBe(clock.now() + 15 * 60_000)
  })

  test('it stops trying when the user goes back to the form, and keeps the key there', async () => {
    const { session, clock, tries, situation } = await openTried('offline')
    session.enterKey()
    await clock.advance(tenMinutesMs)
    expect(tries()).toBe(1)
    expect(situation().kind).toBe('enter-key')
    expect(session.heldText).toBe(licenseKey)
  })

  test.each([
    ['unlicensed', unlicensed()],
    ['licensed', active()],
  ] as const)(
    'another key cancels an unanswered activation, and never signs the device out: %s',
    async (_, state) => {
      const { session, calls, settle, situation } = await openTried('unexpected-answer', {}, state)
      session.changeKey()
      await settle()
      expect(calls).toEqual([`activate(${licenseKey})`, 'cancelActivation'])
      expect(situation()).toMatchObject({ kind: 'enter-key', notice: null })
    },
  )

  test('a request that may have taken a seat is searched for automatically, and repeated only by a click', async () => {
    const unconfirmed = unlicensed({ problem: problem('activation-unconfirmed') })
    const { session, fake, calls, clock, settle, situation, tries } = await openTried(
      'activation-unconfirmed',
      {
        validate: async () => unconfirmed,
      },
    )
    await clock.advance(60_000)
    expect(calls.slice(0, 3)).toEqual([`activate(${licenseKey})`, 'validate', 'validate'])
    expect(tries()).toBe(1)
    expect(situation().kind).toBe('no-network')

    session.retry()
    await settle()
    expect(tries()).toBe(2)

    fake.answers.validate = async () => {
      fake.push(active())
      return active()
    }
    await clock.advance(60_000)
    expect(situation().kind).toBe('activated')
    expect(session.heldText).toBe('')
  })

  test('a closed screen tries no more', async () => {
    const { session, clock, tries } = await openTried('offline')
    session.stop()
    await clock.advance(tenMinutesMs)
    expect(tries()).toBe(1)
    expect(clock.waiting).toEqual([])
    expect(session.heldText).toBe('')
  })

  test('retrying without an attempt checks the license', async () => {
    const { session, calls, settle } = await openScreen(locked('unverified'))
    session.retry()
    await settle()
    expect(calls).toEqual(['validate'])
  })
})

describe('leaving for an activation without internet', () => {
  test('stops waiting for the attempt, and returns to the form with its key', async () => {
    const { session, clock, situation } = await openScreen(unlicensed(), { activate: never })
    session.activate(licenseKey)
    session.openOffline('')
    await clock.advance(60_000)
    expect(situation().kind).toBe('offline-request')
    expect(session.view).toMatchObject({ attempt: null, isSlow: false })
    session.back()
    expect(situation()).toMatchObject({ kind: 'enter-key', isChecking: false })
    expect(session.heldText).toBe(licenseKey)
  })

  test('waits no longer for a request than the user does', async () => {
    const answers = { activate: never, createOfflineRequest: never }
    const { session, clock, fake, situation } = await openScreen(unlicensed(), answers)
    session.activate(licenseKey)
    session.openOffline('')
    fake.push(unlicensed({ activity: 'activating' }))
    await clock.advance(8_000)
    expect(situation()).toMatchObject({ kind: 'offline', isChecking: true })
    expect(session.view.isSlow).toBe(true)
    session.stopWaiting()
    expect(situation()).toMatchObject({ kind: 'offline', isChecking: false })
  })

  test('pauses the retries until the user is back', async () => {
    const { session, fake, clock, situation, tries } = await openTried('offline')
    // The second attempt is under way.
    fake.answers.activate = never
    await clock.advance(5_000)
    expect(situation()).toMatchObject({ kind: 'no-network', isChecking: true })
    session.openOffline('')
    await clock.advance(tenMinutesMs)
    expect(tries()).toBe(2)
    expect(session.view.retryAtMs).toBeNull()
    session.back()
    expect(situation()).toMatchObject({ kind: 'no-network', isChecking: false })
    expect(session.view.retryAtMs).toBe(clock.now() + 10_000)
    await clock.advance(10_000)
    expect(tries()).toBe(3)
  })

  test('back is the success if the same license became active in the meantime', async () => {
    const { session, fake, clock, situation, tries } = await openTried('offline', {}, grace())
    session.openOffline('')
    fake.push(active())
    session.back()
    expect(situation().kind).toBe('activated')
    await clock.advance(60_000)
    expect(tries()).toBe(1)
  })
})

describe('an answer that does not come', () => {
  test('shows that it takes long, then stops waiting, and a late refusal changes nothing', async () => {
    let answer: (result: ActivationResult) => void = () => {}
    const { session, clock, situation, settle } = await openScreen(unlicensed(), {
      activate: () =>
        new Promise((resolve) => {
          answer = resolve
        }),
    })
    session.activate(licenseKey)
    await clock.advance(7_999)
    expect(session.view.isSlow).toBe(false)
    await clock.advance(1)
    expect(session.view.isSlow).toBe(true)
    await clock.advance(52_000)
    expect(situation()).toMatchObject({ kind: 'no-network', problem: { code: 'timeout' }, isChecking: false })
    expect(session.view.isSlow).toBe(false)
    answer(refusal('license-not-found'))
    await settle()
    expect(situation().kind).toBe('no-network')
  })

  test('of the main process itself is given up too', async () => {
    const { session, clock, situation, fake } = await openScreen(unlicensed({ activity: 'activating' }))
    expect(situation().isChecking).toBe(true)
    await clock.advance(60_000)
    expect(situation().isChecking).toBe(false)
    expect(session.view.isSlow).toBe(false)
    fake.push(unlicensed())
    fake.push(unlicensed({ activity: 'activating' }))
    expect(situation().isChecking).toBe(true)
  })
})

describe('no seats left', () => {
  const listed = { devices: async () => ({ ok: true, devices }) as const }

  test('a failed release keeps the list and shows the reason', async () => {
    const { session, settle, situation, tries } = await openTried('no-seat-left', {
      ...listed,
      releaseDevice: async () => ({ ok: false, problem: problem('offline') }),
    })
    session.release('handle-1')
    await settle()
    expect(situation()).toMatchObject({ kind: 'no-seat-left', isChecking: false })
    expect(session.view.devices).toMatchObject({ devices, problem: { code: 'offline' } })
    expect(tries()).toBe(1)
  })

  test('a list that failed to load can be loaded again', async () => {
    const { session, fake, settle } = await openTried('no-seat-left', {
      devices: async () => ({ ok: false, problem: problem('service-error') }),
    })
    expect(session.view.devices).toMatchObject({ devices: null, problem: { code: 'service-error' } })
    fake.answers.devices = listed.devices
    session.loadDevices()
    await settle()
    expect(session.view.devices).toMatchObject({ devices })
  })
})

describe('the key on the clipboard', () => {
  async function openWithClipboard(answers: Partial<FakeAnswers> = {}) {
    const screen = await openScreen(unlicensed(), { clipboardKey: async () => ({ maskedKey }), ...answers })
    const { fake, session, settle } = screen
    const look = async (copied = maskedKey) => {
      fake.answers.clipboardKey = async () => ({ maskedKey: copied })
      session.lookAtClipboard()
      await settle()
    }
    await look()
    return { ...screen, look }
  }

  test('is not offered again once it was dismissed, but another one is', async () => {
    const { session, look } = await openWithClipboard()
    session.dismissClipboardKey()
    await look()
    expect(session.view.clipboardKey).toBeNull()
    await look('aaaa••••bbbb')
    expect(session.view.clipboardKey).toBe('aaaa••••bbbb')
  })

  test('stays the key for retries, even if another text is copied', async () => {
    const { session, calls, clock, settle, situation, look } = await openWithClipboard({
      activateFromClipboard: refuse('offline'),
    })
    session.activateFromClipboard()
    await settle()
    await look('aaaa••••bbbb')
    await clock.advance(5_000)
    await look('aaaa••••bbbb')
    session.retry()
    await settle()
    expect(calls.filter((call) => call !== 'clipboardKey')).toEqual(
      Array(3).fill(`activateFromClipboard(${maskedKey})`),
    )
    expect(situation().kind).toBe('no-network')
  })
})

describe('a license that becomes active behind the screen', () => {
  const other = active({ license: { ...license, maskedKey: 'aaaa••••bbbb' } })

  test('shows after the user stopped waiting for it', async () => {
    const { session, fake, clock, situation } = await openScreen(unlicensed(), { activate: never })
    session.activate(licenseKey)
    await clock.advance(8_000)
    session.stopWaiting()
    fake.push(unlicensed({ activity: 'activating' }))
    expect(situation().kind).toBe('enter-key')
    fake.push(active())
    expect(situation().kind).toBe('activated')
    expect(session.heldText).toBe('')
  })

  test.for(['rate-limited', 'timeout', 'license-not-found', 'no-seat-left'] as const)(
    'shows in place of %s, which is not tried again then',
    async (code) => {
      const { session, fake, clock, situation, tries } = await openTried(code)
      fake.push(active())
      expect(situation().kind).toBe('activated')
      expect(session.view.retryAtMs).toBeNull()
      await clock.advance(tenMinutesMs)
      expect(tries()).toBe(1)
      expect(clock.waiting).toEqual([])
    },
  )

  test.for([
    ['after a trial', trial(), active()],
    ['in place of another license', active(), other],
    ['in place of another one in grace', grace(), other],
  ] as const)('shows %s', async ([, before, after]) => {
    const { session, fake, situation, activate } = await openScreen(before, { activate: refuse('timeout') })
    session.enterKey()
    await activate()
    expect(situation().kind).toBe('no-network')
    fake.push(after)
    expect(situation().kind).toBe('activated')
  })

  test('keeps the form open if the license was valid all the time', async () => {
    const { session, fake, situation, activate } = await openScreen(grace(), {
      activate: refuse('license-not-found'),
    })
    session.enterKey()
    fake.push(active())
    expect(situation().kind).toBe('enter-key')
    await activate()
    fake.push(grace())
    fake.push(active({ activity: 'validating' }))
    fake.push(active())
    expect(situation().kind).toBe('key-trouble')
  })
})

test('a device that was released is activated again by one click, over a connection that breaks and without a free seat', async () => {
  const released = locked('revoked', 'moved-to-another-device')
  const { session, fake, calls, clock, settle, situation } = await openScreen(released, {
    reactivate: refuse('offline'),
    devices: async () => ({ ok: true, devices }),
  })
  expect(situation().kind).toBe('moved')
  session.reactivate()
  await settle()
  expect(situation().kind).toBe('no-network')
  fake.answers.reactivate = refuse('no-seat-left')
  await clock.advance(5_000)
  expect(situation().kind).toBe('no-seat-left')
  fake.answers.reactivate = async () => {
    fake.push(active())
    return { ok: true, state: active() }
  }
  session.release('handle-2')
  await settle()
  expect(situation().kind).toBe('activated')
  expect(calls).toEqual(['reactivate', 'reactivate', 'devices', 'releaseDevice(handle-2)', 'reactivate'])
  expect(session.heldText).toBe('')
})

describe('deactivating', () => {
  test('asks first, and confirms that the seat is free', async () => {
    const { session, fake, calls, settle, situation } = await openScreen(active(), {
      deactivate: async () => {
        fake.push(unlicensed())
        return { ok: true, seat: 'freed', state: unlicensed() }
      },
    })
    session.askDeactivation()
    expect(situation().kind).toBe('deactivate')
    expect(calls).toEqual([])
    session.deactivate()
    await settle()
    expect(situation().kind).toBe('enter-key')
    expect(session.view.freedSeat).toBe('freed')
  })

  test('a refusal is shown where the user asked', async () => {
    const { session, settle, situation } = await openScreen(active(), {
      deactivate: async () => ({ ok: false, problem: problem('busy'), state: active() }),
    })
    session.askDeactivation()
    session.deactivate()
    await settle()
    expect(situation()).toMatchObject({ kind: 'deactivate', notice: { code: 'busy' } })
  })
})

describe('the main process', () => {
  test('that doesn’t answer counts as silent after a while, until it answers', async () => {
    const { session, clock, fake } = startScreen(unlicensed(), {}, createFakeClock(), (bridge) =>
      createLicensingClient({ ...bridge, getState: never }),
    )
    await clock.advance(9_999)
    expect(decideSituation(session.view).kind).toBe('starting')
    await clock.advance(1)
    expect(decideSituation(session.view).kind).toBe('misconfigured')
    expect(session.view.fault).toBe('bridge-silent')
    fake.push(active())
    expect(decideSituation(session.view).kind).toBe('activated')
  })

  test.for([
    ['bridge-silent', "doesn't answer this window"],
    ['bridge-missing', 'Call exposeLicensing()'],
  ] as const)(
    'that can’t be reached is a misconfiguration with a code, and a reason in the console: %s',
    async ([code, reason]) => {
      const logged = vi.spyOn(console, 'error').mockReturnValue()
      // Another test may have found a bridge.
      vi.resetModules()
      const { licensing } = await import('../../src/renderer/licensing.ts')
      const { session, clock } = startScreen(unlicensed(), {}, createFakeClock(), (bridge) =>
        code === 'bridge-missing'
          ? licensing
          : createLicensingClient({ ...bridge, getState: () => Promise.reject(new Error('no')) }),
      )
      await clock.advance(0)
      expect(decideSituation(session.view).kind).toBe('misconfigured')
      expect(session.view.fault).toBe(code)
      expect(String(logged.mock.lastCall)).toContain(reason)
    },
  )
})
