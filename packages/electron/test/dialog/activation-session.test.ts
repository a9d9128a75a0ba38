import { describe, expect, test, vi } from 'vitest'
import { decideSituation } from '../../src/dialog/situation/decide-situation.ts'
import { createLicensingClient } from '../../src/renderer/licensing-client.ts'
import type { LicensingState } from '../../src/shared/licensing-state.ts'
import type { ProblemCode } from '../../src/shared/problem.ts'
import type { ActivationResult } from '../../src/shared/results.ts'
import { createFakeClock } from '../doubles/fake-clock.ts'
import { startScreen } from './stage/device-screen.ts'
import type { FakeAnswers } from './stage/fake-bridge.ts'
import { active, devices, licenseKey, maskedKey, problem, stateBase, unlicensed } from './stage/states.ts'

async function openScreen(state?: LicensingState, answers?: Partial<FakeAnswers>) {
  const screen = startScreen(state, answers)
  await screen.clock.advance(0)
  screen.calls.length = 0
  return {
    ...screen,
    /** Lets what is under way settle. */
    settle: () => screen.clock.advance(0),
    situation: () => decideSituation(screen.session.view),
  }
}
const refusal = (code: ProblemCode, more: { retryAt?: string } = {}): ActivationResult => ({
  ok: false,
  problem: problem(code, more),
  state: unlicensed(),
})
const refuse = (code: ProblemCode) => async () => refusal(code)
const never = (): Promise<never> => new Promise(() => {})

describe('activating', () => {
  test('sends only the key from the pasted text', async () => {
    const { session, fake, settle } = await openScreen()
    session.activate(`Your key:\n ${licenseKey.toUpperCase()} — enjoy!`)
    await settle()
    expect(fake.calls).toEqual([`activate(${licenseKey})`])
  })

  test('a text without a key is refused on the spot', async () => {
    const { session, fake, situation } = await openScreen()
    session.activate('hello')
    expect(situation()).toMatchObject({ kind: 'key-trouble', problem: { code: 'no-license-key' } })
    expect(fake.calls).toEqual([])
  })

  test('a bridge that rejects is a problem on the screen, not an unhandled one', async () => {
    const { session, settle, situation } = await openScreen(unlicensed(), {
      activate: () => Promise.reject(new Error('gone')),
    })
    session.activate(licenseKey)
    await settle()
    expect(situation()).toMatchObject({ kind: 'key-trouble', problem: { code: 'unexpected' } })
  })

  test('while another operation runs, it waits its turn by itself', async () => {
    const { session, fake, clock, settle, situation } = await openScreen(unlicensed(), {
      activate: refuse('busy'),
    })
    session.activate(licenseKey)
    await settle()
    expect(situation()).toMatchObject({ kind: 'enter-key', isChecking: true })
    fake.answers.activate = refuse('license-not-found')
    await clock.advance(2_000)
    expect(situation().kind).toBe('key-trouble')
  })
})

describe('without a network', () => {
  test('retries automatically with growing pauses, and at once when the user asks', async () => {
    const { session, fake, clock, settle } = await openScreen(unlicensed(), { activate: refuse('offline') })
    session.activate(licenseKey)
    await settle()
    expect(session.view.retryAtMs).toBe(clock.now() + 5_000)
    await clock.advance(5_000)
    expect(fake.calls).toHaveLength(2)
    expect(session.view.retryAtMs).toBe(clock.now() + 10_000)
    session.retry()
    await settle()
    expect(fake.calls).toHaveLength(3)
    expect(session.view.retryAtMs).toBe(clock.now() + 20_000)
    await clock.advance(10 * 60_000)
    expect(session.view.retryAtMs).toBeLessThanOrEqual(clock.now() + 60_000)
  })

  test('retries what an earlier run of the app left open, with growing pauses', async () => {
    const open = unlicensed({ problem: problem('unexpected-answer') })
    const { session, fake, clock, settle } = await openScreen(open)
    expect(session.view.retryAtMs).toBe(clock.now() + 5_000)
    await clock.advance(5_000)
    expect(fake.calls).toEqual(['validate'])
    fake.push({ ...open, activity: 'validating' })
    expect(session.view.retryAtMs).toBeNull()
    fake.push(open)
    expect(session.view.retryAtMs).toBe(clock.now() + 10_000)
    session.enterKey()
    await clock.advance(10 * 60_000)
    expect(fake.calls).toEqual(['validate'])
    session.back()
    fake.push(active())
    await settle()
    expect(session.view).toMatchObject({ attempt: null, retryAtMs: null })
  })

  test('waits as long as the service asks, up to a limit', async () => {
    const { session, clock, settle, fake } = await openScreen()
    const asked = new Date(clock.now() + 90_000).toISOString()
    fake.answers.activate = async () => refusal('rate-limited', { retryAt: asked })
    session.activate(licenseKey)
    await settle()
    expect(session.view.retryAtMs).toBe(clock.now() + 90_000)
    const tomorrow = new Date(clock.now() + 86_400_000).toISOString()
    fake.answers.activate = async () => refusal('rate-limited', { retryAt: tomorrow })
    session.retry()
    await settle()
    expect(session.view.retryAtMs).toBe(clock.now() + 15 * 60_000)
  })

  test('it stops trying when the user goes back to the form, and keeps the key there', async () => {
    const { session, fake, clock, settle, situation } = await openScreen(unlicensed(), {
      activate: refuse('offline'),
    })
    session.activate(licenseKey)
    await settle()
    session.enterKey()
    await clock.advance(10 * 60_000)
    expect(fake.calls).toHaveLength(1)
    expect(situation().kind).toBe('enter-key')
    expect(session.heldText).toBe(licenseKey)
  })

  test('another key cancels an unanswered activation, and never signs the device out', async () => {
    const { session, fake, settle, situation } = await openScreen(unlicensed(), {
      activate: refuse('unexpected-answer'),
    })
    session.activate(licenseKey)
    await settle()
    session.changeKey()
    await settle()
    expect(fake.calls).toEqual([`activate(${licenseKey})`, 'cancelActivation'])
    expect(situation()).toMatchObject({ kind: 'enter-key', notice: null })

    const licensed = await openScreen(active(), { activate: refuse('offline') })
    licensed.session.activate(licenseKey)
    await licensed.settle()
    licensed.session.changeKey()
    await licensed.settle()
    expect(licensed.fake.calls).toEqual([`activate(${licenseKey})`, 'cancelActivation'])
  })

  test('a request that may have taken a seat is searched for automatically, and repeated only by a click', async () => {
    const unconfirmed = unlicensed({ problem: problem('activation-unconfirmed') })
    const { session, fake, clock, settle, situation } = await openScreen(unlicensed(), {
      activate: refuse('activation-unconfirmed'),
      validate: async () => unconfirmed,
    })
    session.activate(licenseKey)
    await settle()
    await clock.advance(60_000)
    expect(fake.calls.slice(0, 3)).toEqual([`activate(${licenseKey})`, 'validate', 'validate'])
    expect(fake.calls.filter((call) => call.startsWith('activate'))).toHaveLength(1)
    expect(situation().kind).toBe('no-network')

    session.retry()
    await settle()
    expect(fake.calls.filter((call) => call.startsWith('activate'))).toHaveLength(2)

    fake.answers.validate = async () => {
      fake.push(active())
      return active()
    }
    await clock.advance(60_000)
    expect(situation().kind).toBe('activated')
    expect(session.heldText).toBe('')
  })

  test('a closed screen tries no more', async () => {
    const { session, fake, clock, settle } = await openScreen(unlicensed(), { activate: refuse('offline') })
    session.activate(licenseKey)
    await settle()
    session.stop()
    await clock.advance(10 * 60_000)
    expect(fake.calls).toHaveLength(1)
    expect(clock.waiting).toEqual([])
    expect(session.heldText).toBe('')
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
    const { session, clock, fake, situation } = await openScreen(unlicensed(), {
      activate: never,
      createOfflineRequest: never,
    })
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
    const { session, fake, clock, settle, situation } = await openScreen(unlicensed(), {
      activate: refuse('offline'),
    })
    session.activate(licenseKey)
    await settle()
    // The second attempt is under way.
    fake.answers.activate = never
    await clock.advance(5_000)
    expect(situation()).toMatchObject({ kind: 'no-network', isChecking: true })
    session.openOffline('')
    await clock.advance(10 * 60_000)
    expect(fake.calls.filter((call) => call.startsWith('activate'))).toHaveLength(2)
    expect(session.view.retryAtMs).toBeNull()
    session.back()
    expect(situation()).toMatchObject({ kind: 'no-network', isChecking: false })
    expect(session.view.retryAtMs).toBe(clock.now() + 10_000)
    await clock.advance(10_000)
    expect(fake.calls.filter((call) => call.startsWith('activate'))).toHaveLength(3)
  })

  test('back is the success if the same license became active in the meantime', async () => {
    const grace: LicensingState = {
      ...stateBase({ license: active().license }),
      status: 'grace',
      entitled: true,
      graceEndsAt: '2030-06-20T00:00:00Z',
    }
    const { session, fake, clock, settle, situation } = await openScreen(grace, {
      activate: refuse('offline'),
    })
    session.activate(licenseKey)
    await settle()
    session.openOffline('')
    fake.push(active())
    session.back()
    expect(situation().kind).toBe('activated')
    await clock.advance(60_000)
    expect(fake.calls.filter((call) => call.startsWith('activate'))).toHaveLength(1)
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
  const full = { activate: refuse('no-seat-left'), devices: async () => ({ ok: true, devices }) as const }

  test('lists the devices, and a release continues the activation automatically', async () => {
    const { session, fake, settle, situation } = await openScreen(unlicensed(), full)
    session.activate(licenseKey)
    await settle()
    expect(situation().kind).toBe('no-seat-left')
    expect(session.view.devices).toMatchObject({ devices })

    fake.answers.activate = async () => {
      fake.push(active())
      return { ok: true, state: active() }
    }
    session.release('handle-2')
    expect(situation()).toMatchObject({ kind: 'no-seat-left', isChecking: true })
    await settle()
    expect(situation().kind).toBe('activated')
    expect(fake.calls).toEqual([
      `activate(${licenseKey})`,
      'devices',
      'releaseDevice(handle-2)',
      `activate(${licenseKey})`,
    ])
  })

  test('a failed release keeps the list and shows the reason', async () => {
    const { session, fake, settle, situation } = await openScreen(unlicensed(), {
      ...full,
      releaseDevice: async () => ({ ok: false, problem: problem('offline') }),
    })
    session.activate(licenseKey)
    await settle()
    session.release('handle-1')
    await settle()
    expect(situation()).toMatchObject({ kind: 'no-seat-left', isChecking: false })
    expect(session.view.devices).toMatchObject({ devices, problem: { code: 'offline' } })
    expect(fake.calls.filter((call) => call.startsWith('activate'))).toHaveLength(1)
  })

  test('a list that failed to load can be loaded again', async () => {
    const { session, fake, settle } = await openScreen(unlicensed(), {
      ...full,
      devices: async () => ({ ok: false, problem: problem('service-error') }),
    })
    session.activate(licenseKey)
    await settle()
    expect(session.view.devices).toMatchObject({ devices: null, problem: { code: 'service-error' } })
    fake.answers.devices = async () => ({ ok: true, devices })
    session.loadDevices()
    await settle()
    expect(session.view.devices).toMatchObject({ devices })
  })
})

describe('the key on the clipboard', () => {
  const offer = { clipboardKey: async () => ({ maskedKey }) }

  test('is offered, and activated only on request', async () => {
    const { session, fake, settle } = await openScreen(unlicensed(), offer)
    session.lookAtClipboard()
    await settle()
    expect(session.view.clipboardKey).toBe(maskedKey)
    expect(fake.calls).toEqual(['clipboardKey'])
    session.activateFromClipboard()
    await settle()
    expect(fake.calls).toEqual(['clipboardKey', `activateFromClipboard(${maskedKey})`])
    expect(session.heldText).toBe('')
  })

  test('is not offered again once it was dismissed, but another one is', async () => {
    const { session, fake, settle } = await openScreen(unlicensed(), offer)
    session.lookAtClipboard()
    await settle()
    session.dismissClipboardKey()
    session.lookAtClipboard()
    await settle()
    expect(session.view.clipboardKey).toBeNull()
    fake.answers.clipboardKey = async () => ({ maskedKey: 'aaaa••••bbbb' })
    session.lookAtClipboard()
    await settle()
    expect(session.view.clipboardKey).toBe('aaaa••••bbbb')
  })

  test('stays the key for retries, even if another text is copied', async () => {
    const { session, fake, clock, settle, situation } = await openScreen(unlicensed(), {
      ...offer,
      activateFromClipboard: refuse('offline'),
    })
    session.lookAtClipboard()
    await settle()
    session.activateFromClipboard()
    await settle()
    fake.answers.clipboardKey = async () => ({ maskedKey: 'aaaa••••bbbb' })
    session.lookAtClipboard()
    await clock.advance(5_000)
    session.lookAtClipboard()
    await settle()
    session.retry()
    await settle()
    expect(fake.calls.filter((call) => call !== 'clipboardKey')).toEqual(
      Array(3).fill(`activateFromClipboard(${maskedKey})`),
    )
    expect(situation().kind).toBe('no-network')
  })
})

describe('a license that becomes active behind the screen', () => {
  const grace: LicensingState = {
    ...stateBase({ license: active().license, problem: problem('offline') }),
    status: 'grace',
    entitled: true,
    graceEndsAt: '2030-06-12T00:00:00Z',
  }
  const other: LicensingState = active({
    license: {
      maskedKey: 'aaaa••••bbbb',
      activationLimit: 1,
      activationUsage: 1,
      expiresAt: null,
      endsSoon: false,
      plan: null,
      features: [],
    },
  })
  const trial: LicensingState = {
    ...stateBase(),
    status: 'trial',
    entitled: true,
    trialEndsAt: '2030-06-12T00:00:00Z',
  }

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
      const { session, fake, clock, settle, situation } = await openScreen(unlicensed(), {
        activate: refuse(code),
      })
      session.activate(licenseKey)
      await settle()
      fake.push(active())
      expect(situation().kind).toBe('activated')
      expect(session.view.retryAtMs).toBeNull()
      await clock.advance(10 * 60_000)
      expect(fake.calls.filter((call) => call.startsWith('activate'))).toHaveLength(1)
      expect(clock.waiting).toEqual([])
    },
  )

  test('shows after a trial, and in place of another license', async () => {
    for (const [before, after] of [
      [trial, active()],
      [active(), other],
      [grace, other],
    ] as const) {
      const { session, fake, settle, situation } = await openScreen(before, { activate: refuse('timeout') })
      session.enterKey()
      session.activate(licenseKey)
      await settle()
      expect(situation().kind).toBe('no-network')
      fake.push(after)
      expect(situation().kind).toBe('activated')
    }
  })

  test('keeps the form open if the license was valid all the time', async () => {
    const { session, fake, settle, situation } = await openScreen(grace, {
      activate: refuse('license-not-found'),
    })
    session.enterKey()
    fake.push(active())
    expect(situation().kind).toBe('enter-key')
    session.activate(licenseKey)
    await settle()
    fake.push(grace)
    fake.push(active({ activity: 'validating' }))
    fake.push(active())
    expect(situation().kind).toBe('key-trouble')
  })
})

describe('a device that was released from another one', () => {
  const released: LicensingState = {
    ...stateBase({ license: active().license, problem: problem('moved-to-another-device') }),
    status: 'revoked',
    entitled: false,
  }

  test('is activated again by one click, over a connection that breaks and without a free seat', async () => {
    const { session, fake, clock, settle, situation } = await openScreen(released, {
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
    expect(fake.calls).toEqual([
      'reactivate',
      'reactivate',
      'devices',
      'releaseDevice(handle-2)',
      'reactivate',
    ])
    expect(session.heldText).toBe('')
  })
})

describe('deactivating', () => {
  test('asks first, and confirms that the seat is free', async () => {
    const { session, fake, settle, situation } = await openScreen(active(), {
      deactivate: async () => {
        fake.push(unlicensed())
        return { ok: true, seat: 'freed', state: unlicensed() }
      },
    })
    session.askDeactivation()
    expect(situation().kind).toBe('deactivate')
    expect(fake.calls).toEqual([])
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

  test.for(['bridge-silent', 'bridge-missing'] as const)(
    'that can’t be reached is a misconfiguration with a code, and a reason in the console: %s',
    async (code) => {
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
      const reason = {
        'bridge-silent': "doesn't answer this window",
        'bridge-missing': 'Call exposeLicensing()',
      }
      expect(String(logged.mock.lastCall)).toContain(reason[code])
    },
  )
})

test('retrying without an attempt checks the license', async () => {
  const { session, fake, settle } = await openScreen({ ...active(), status: 'unverified', entitled: false })
  session.retry()
  await settle()
  expect(fake.calls).toEqual(['validate'])
})
