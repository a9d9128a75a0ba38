import { describe, expect, test } from 'vitest'
import { createActivationSession } from '../../src/dialog/session/activation-session.ts'
import { decideSituation } from '../../src/dialog/situation/decide-situation.ts'
import { createLicensingClient } from '../../src/renderer/licensing-client.ts'
import type { LicensingState } from '../../src/shared/licensing-state.ts'
import { createTestDevice, dayMs, minuteMs, type TestDevice } from '../core/fixture.ts'
import { createServiceModel, type Fate } from '../core/service-model.ts'
import { createFakeClock } from '../doubles/fake-clock.ts'
import { type AdapterName, keyOfLicense, startFace, unlistedNames } from '../services/faces.ts'
import { openScreenOn } from './stage/device-screen.ts'
import { createFakeBridge, type FakeAnswers } from './stage/fake-bridge.ts'
import { stagedAnswers } from './stage/staged-answers.ts'
import { active, license, licenseKey, otherKey, problem, stateBase, unlicensed } from './stage/states.ts'

const served: Fate = { kind: 'served' }
const noNetwork: Fate = { kind: 'request-lost' }

/** What the screen and the app do by themselves within minutes. */
async function pass(device: TestDevice): Promise<void> {
  for (let i = 0; i < 12; i += 1) {
    await device.settled()
    await device.elapse(minuteMs)
    await device.settled()
  }
}

/** A device whose token may not list keys, and whose activation of `lost` was never answered. */
async function lostActivation() {
  const model = createServiceModel(() => device.clock.now())
  const [lost, other] = [model.addLicense(5), model.addLicense(5)]
  const world = { isOnline: true, isLost: true }
  const service = model.reachedBy((operation): Fate => {
    if (!world.isOnline) return noNetwork
    if (operation === 'keys') return { kind: 'status', status: 403, isJson: true }
    return operation === 'activate' && world.isLost ? { kind: 'answer-lost' } : served
  })
  const device = createTestDevice(null, { service })
  await device.launch()
  await device.core.activate(lost.id)
  world.isLost = false
  expect(lost.keys).toHaveLength(1)
  return { lost, other, world, device }
}

/** A screen whose main process gives set answers. */
async function openStaged(state: LicensingState, answers: Partial<FakeAnswers>) {
  const fake = createFakeBridge(stagedAnswers(state, answers))
  const clock = createFakeClock()
  const client = createLicensingClient(fake.bridge)
  const session = createActivationSession(client, { nowMs: clock.now, after: clock.after }, () => {})
  session.start()
  await clock.advance(0)
  fake.calls.length = 0
  return { session, fake, clock }
}

describe('where keys cannot be listed, an answer was lost, and the app is started again', () => {
  describe.each([
    ['with a network', true],
    ['without a network', false],
  ])('%s', (_, isOnline) => {
    test.each(['"Try now"', 'the same key'])(
      '%s without a network takes no second seat later',
      async (how) => {
        const { lost, world, device } = await lostActivation()
        world.isOnline = isOnline
        await device.launch()
        const { session } = await openScreenOn(device)
        world.isOnline = false
        if (how === '"Try now"') session.retry()
        else session.activate(lost.id)
        await pass(device)
        world.isOnline = true
        await pass(device)
        expect(lost.keys).toHaveLength(1)

        session.retry()
        await device.settled()
        session.retry()
        await pass(device)
        expect(decideSituation(session.view).kind).toBe('activated')
      },
    )

    test('another key without a network is activated once there is one', async () => {
      const { other, world, device } = await lostActivation()
      world.isOnline = isOnline
      await device.launch()
      const { session } = await openScreenOn(device)
      world.isOnline = false
      session.activate(other.id)
      await pass(device)
      world.isOnline = true
      await pass(device)
      expect(decideSituation(session.view).kind).toBe('activated')
      expect(other.keys).toHaveLength(1)
    })
  })

  test('the same key, entered anew after "Stop waiting", takes no second seat later', async () => {
    const { lost, world, device } = await lostActivation()
    await device.launch()
    const { session } = await openScreenOn(device)
    world.isOnline = false
    session.activate(lost.id)
    await device.settled()
    session.enterKey()
    session.activate(lost.id)
    await pass(device)
    world.isOnline = true
    await pass(device)
    expect(lost.keys).toHaveLength(1)
  })
})

test('the key of the license in use, entered again without a network, ends with that license', async () => {
  const model = createServiceModel(() => device.clock.now())
  const license = model.addLicense(5)
  const world = { isOnline: true }
  const service = model.reachedBy(() => (world.isOnline ? served : noNetwork))
  const device = createTestDevice(null, { service })
  await device.launch()
  await device.core.activate(license.id)
  world.isOnline = false
  await device.elapse(3 * dayMs)
  expect(device.state.status).toBe('grace')
  const { session } = await openScreenOn(device)
  session.enterKey()
  session.activate(license.id)
  await pass(device)
  expect(decideSituation(session.view).kind).toBe('no-network')
  world.isOnline = true
  await pass(device)
  expect(decideSituation(session.view).kind).toBe('activated')
  expect(license.keys).toHaveLength(1)
})

describe('where keys cannot be listed, and the app finishes by itself what had no network', () => {
  async function withoutNetwork() {
    const model = createServiceModel(() => device.clock.now())
    const license = model.addLicense(5)
    const world = { isOnline: false, isSlow: false }
    const service = model.reachedBy(
      (operation): Fate => {
        if (!world.isOnline) return noNetwork
        if (operation === 'keys') return { kind: 'status', status: 403, isJson: true }
        return license.keys.length === 0 ? { kind: 'answer-lost' } : served
      },
      async () => {
        if (world.isSlow) await new Promise<void>((resolve) => device.clock.after(2_000, resolve))
      },
    )
    const device = createTestDevice(null, { service })
    await device.launch()
    const { session } = await openScreenOn(device)
    session.activate(license.id)
    await device.settled()
    expect(session.view.retryAtMs).not.toBeNull()
    world.isOnline = true
    return { license, world, device }
  }

  test('the screen takes no second seat if that answer is lost', async () => {
    const { license, device } = await withoutNetwork()
    await device.core.validate()
    expect(license.keys).toHaveLength(1)
    await pass(device)
    expect(license.keys).toHaveLength(1)
  })

  test('the screen takes no second seat while that answer is awaited', async () => {
    const { license, world, device } = await withoutNetwork()
    world.isSlow = true
    await device.clock.advance(2_000)
    void device.core.validate()
    await device.clock.advance(minuteMs)
    world.isSlow = false
    await pass(device)
    expect(license.keys).toHaveLength(1)
  })
})

describe.each(unlistedNames)('%s: "Check again" beside an older license', (name) => {
  async function beside(serviceName: AdapterName) {
    const scene = await startFace(serviceName)
    const { control } = scene.emulator
    const device = scene.device()
    await device.launch()
    const older = control.createLicense()
    await device.core.activate(keyOfLicense(scene, older.id))
    control.faults.inject({ fault: 'reset', operation: 'activate', when: 'after-acting', times: 1 })
    return { scene, control, device, older }
  }

  test('finishes, after a restart, the activation whose answer was lost', async () => {
    const { scene, control, device, older } = await beside(name)
    control.suspend(older.id)
    for (let day = 0; day < 3; day += 1) await device.elapse(dayMs)
    expect(device.state.entitled).toBe(false)
    await device.core.activate(scene.licenseKey)
    await device.launch()
    const { session, calls } = await openScreenOn(device)
    expect(decideSituation(session.view)).toMatchObject({ notice: { code: 'seat-may-be-taken' } })

    session.retryByItself()
    await pass(device)
    expect(calls).not.toContain('reactivate')

    session.retry()
    await pass(device)
    expect(decideSituation(session.view).kind).toBe('activated')
    expect(device.state.entitled).toBe(true)
  })

  test('takes no seat if that activation was canceled', async () => {
    const { scene, control, device, older } = await beside(name)
    await device.core.activate(scene.licenseKey)
    await device.core.cancelActivation()
    expect(device.state.problem?.code).toBe('seat-may-be-taken')
    const [key] = control.keys(older.id)
    control.removeKey(older.id, key?.id ?? '')
    const { session, calls } = await openScreenOn(device)
    session.retry()
    await pass(device)
    expect(calls).not.toContain('reactivate')
    expect(control.keys(older.id)).toHaveLength(0)
  })
})

test('"Check again" beside a suspended license finishes it, also where a proxy refuses the list', async () => {
  const { lost, other, world, device } = await lostActivation()
  await device.core.activate(other.id)
  await device.core.cancelActivation()
  other.isSuspended = true
  for (let day = 0; day < 3; day += 1) await device.elapse(dayMs)
  expect(device.state.status).toBe('suspended')
  world.isLost = true
  await device.core.activate(lost.id)
  world.isLost = false
  await device.launch()
  const { session } = await openScreenOn(device)
  expect(decideSituation(session.view)).toMatchObject({
    kind: 'suspended',
    notice: { code: 'activation-unconfirmed' },
  })
  session.retry()
  await pass(device)
  expect(decideSituation(session.view).kind).toBe('activated')
})

test('"Check again" asks for nothing more once the user stopped waiting for it', async () => {
  const lost = { ...stateBase({ license, problem: problem('seat-may-be-taken') }), entitled: false } as const
  const state = { ...lost, status: 'suspended' } as const
  let answer: (state: LicensingState) => void = () => {}
  const { session, fake, clock } = await openStaged(state, {
    validate: () =>
      new Promise((resolve) => {
        answer = resolve
      }),
  })
  session.retry()
  await clock.advance(8_000)
  session.stopWaiting()
  answer(state)
  await clock.advance(minuteMs)
  expect(fake.calls).toEqual(['validate'])
})

describe('a key that has to wait for another activation', () => {
  const busy = async () => ({ ok: false, problem: problem('busy'), state: unlicensed() }) as const

  test('is asked for again by itself after the screen stopped waiting', async () => {
    const { session, fake, clock } = await openStaged(unlicensed(), { activate: busy })
    session.activate(otherKey)
    await clock.advance(minuteMs)
    expect(decideSituation(session.view)).toMatchObject({ kind: 'no-network', problem: { code: 'timeout' } })
    fake.answers.activate = async () => {
      fake.push(active())
      return { ok: true, state: active() }
    }
    await clock.advance(minuteMs)
    expect(fake.calls).not.toContain('validate')
    expect(decideSituation(session.view).kind).toBe('activated')
  })

  test('is asked for by itself, also if the other one may have taken a seat', async () => {
    const { session, fake, clock } = await openStaged(unlicensed(), {
      activate: () => new Promise(() => {}),
    })
    session.activate(licenseKey)
    await clock.advance(minuteMs)
    session.enterKey()
    fake.push(unlicensed({ problem: problem('activation-unconfirmed') }))
    fake.answers.activate = busy
    session.activate(otherKey)
    await clock.advance(10_000)
    fake.answers.activate = async () => {
      fake.push(active())
      return { ok: true, state: active() }
    }
    await clock.advance(10_000)
    expect(fake.calls).not.toContain('validate')
    expect(decideSituation(session.view).kind).toBe('activated')
  })
})
