import { describe, expect, test } from 'vitest'
import { decideSituation } from '../../src/dialog/situation/decide-situation.ts'
import { createTestDevice, dayMs, minuteMs, type TestDevice } from '../core/fixture.ts'
import { createServiceModel, type Fate } from '../core/service-model.ts'
import { reach } from '../doubles/app-service.ts'
import { createFakeClock, type FakeClock } from '../doubles/fake-clock.ts'
import { type AdapterName, adapterOf, keyOfLicense, startFace, unlistedNames } from '../services/faces.ts'
import { openScreenOn } from './stage/device-screen.ts'

test('one click takes one seat, also where keys cannot be listed and answers are lost', async () => {
  const model = createServiceModel(() => device.clock.now())
  const license = model.addLicense(5)
  const service = model.reachedBy(
    (operation): Fate =>
      operation === 'keys'
        ? { kind: 'status', status: 403, isJson: true }
        : operation === 'activate'
          ? { kind: 'answer-lost' }
          : { kind: 'served' },
  )
  const device = createTestDevice(null, { service })
  await device.launch()
  const clock = createFakeClock()
  const { session } = await openScreenOn(device, clock)
  session.activate(license.id)
  for (let i = 0; i < 30; i += 1) {
    await device.settled()
    await clock.advance(5_000)
  }
  expect(license.keys).toHaveLength(1)
})

test('one click takes one seat, also if the network is gone at one of the automatic retries', async () => {
  const model = createServiceModel(() => device.clock.now())
  const license = model.addLicense(5)
  let asked = 0
  const service = model.reachedBy((operation): Fate => {
    if (operation === 'activate') return { kind: 'answer-lost' }
    if (operation !== 'keys') return { kind: 'served' }
    asked += 1
    return asked === 2 ? { kind: 'request-lost' } : { kind: 'status', status: 403, isJson: true }
  })
  const device = createTestDevice(null, { service })
  await device.launch()
  const clock = createFakeClock()
  const { session } = await openScreenOn(device, clock)
  session.activate(license.id)
  for (let i = 0; i < 30; i += 1) {
    await device.settled()
    await clock.advance(5_000)
  }
  expect(asked).toBeGreaterThan(3)
  expect(license.keys).toHaveLength(1)
})

/** A screen whose user has clicked "Activate". The seat is taken, and the answer comes once it is lost. */
async function waitingFor(name: AdapterName) {
  const scene = await startFace(name)
  let lose: (error: Error) => void = () => {}
  const lost = new Promise<never>((_, reject) => {
    lose = reject
  })
  const { publicKey: _, ...settings } = scene.emulator.settings
  const commerce = reach({
    service: adapterOf[name]({ baseUrl: scene.emulator.baseUrl, settings }),
    fetch: async (request, init) => {
      const served = await fetch(request, init)
      return request.url.endsWith('/activate') ? lost : served
    },
  })
  const device = scene.device({ service: commerce })
  await device.launch()
  const clock = createFakeClock()
  const screen = await openScreenOn(device, clock)
  screen.session.activate(scene.licenseKey, true)
  await expect.poll(() => scene.seats()).toHaveLength(1)
  return {
    ...screen,
    scene,
    device,
    clock,
    async lose() {
      // The computer wakes up, for example.
      lose(new Error('net::ERR_NETWORK_IO_SUSPENDED'))
      await device.settled()
      await clock.advance(0)
    },
  }
}

test.each(unlistedNames)(
  '%s: one click takes one seat, also if the screen stops waiting first',
  async (name) => {
    const { session, calls, scene, device, clock, lose } = await waitingFor(name)
    await clock.advance(minuteMs)
    expect(decideSituation(session.view)).toMatchObject({ kind: 'no-network', problem: { code: 'timeout' } })

    await lose()
    for (let i = 0; i < 10; i += 1) {
      await clock.advance(minuteMs)
      await device.settled()
    }
    await clock.advance(0)
    expect(calls.filter((call) => call.startsWith('activate'))).toHaveLength(1)
    expect(scene.seats()).toHaveLength(1)
    expect(decideSituation(session.view)).toMatchObject({
      kind: 'no-seat-left',
      devices: { problem: { code: 'seat-may-be-taken' } },
    })
  },
)

test.each(unlistedNames)(
  '%s: after "Stop waiting", the form says that the first click may have taken a seat',
  async (name) => {
    const { session, scene, clock, lose } = await waitingFor(name)
    await clock.advance(8_000)
    session.stopWaiting()
    expect(decideSituation(session.view)).toMatchObject({ kind: 'enter-key', notice: null })
    await lose()
    expect(decideSituation(session.view)).toMatchObject({
      kind: 'enter-key',
      isChecking: false,
      notice: { code: 'seat-may-be-taken' },
    })
    expect(scene.seats()).toHaveLength(1)
  },
)

test.each(unlistedNames)(
  '%s: after "Change key", the form says that the first click may have taken a seat',
  async (name) => {
    const { session, scene, clock, lose } = await waitingFor(name)
    await clock.advance(minuteMs)
    session.changeKey()
    await lose()
    expect(decideSituation(session.view)).toMatchObject({
      kind: 'enter-key',
      isChecking: false,
      notice: { code: 'seat-may-be-taken' },
    })
    expect(scene.seats()).toHaveLength(1)
  },
)

/** What the screen does by itself within minutes. */
async function leaveOpen(device: TestDevice, clock: FakeClock): Promise<void> {
  for (let i = 0; i < 30; i += 1) {
    await device.settled()
    await clock.advance(0)
    await device.settled()
    await clock.advance(10_000)
  }
  await device.settled()
}

describe.each(unlistedNames)('%s: a second click without a network takes no second seat later', (name) => {
  test.each([
    ['where the device was released', true],
    ['beside an older license', false],
  ])('%s', async (_, isReleased) => {
    const scene = await startFace(name)
    const { control } = scene.emulator
    const device = scene.device()
    await device.launch()
    if (isReleased) {
      await device.core.activate(scene.licenseKey)
      control.removeKey(scene.licenseId, control.keys(scene.licenseId)[0]?.id ?? '')
      await device.elapse(3 * dayMs)
      expect(device.state).toMatchObject({
        status: 'revoked',
        problem: { code: 'moved-to-another-device' },
      })
    } else {
      await device.core.activate(keyOfLicense(scene, control.createLicense().id))
    }
    const clock = createFakeClock()
    const { session } = await openScreenOn(device, clock)
    control.faults.inject({ fault: 'reset', operation: 'activate', when: 'after-acting', times: 1 })
    if (isReleased) session.reactivate()
    else session.activate(scene.licenseKey, true)
    await expect.poll(() => session.view.attempt?.phase).toBe('failed')
    expect(scene.seats()).toHaveLength(1)

    scene.answer = () => {
      throw new Error('net::ERR_INTERNET_DISCONNECTED')
    }
    session.retry()
    await expect.poll(() => session.view.attempt?.phase).toBe('failed')
    expect(decideSituation(session.view)).toMatchObject({
      kind: 'no-seat-left',
      devices: { problem: { code: 'seat-may-be-taken' } },
    })
    scene.answer = null
    await leaveOpen(device, clock)
    expect(scene.seats()).toHaveLength(1)
  })
})

describe('where keys cannot be listed and an answer was lost', () => {
  async function lostActivation() {
    const model = createServiceModel(() => device.clock.now())
    const license = model.addLicense(5)
    const world: { fate: Fate | null; refusal: Fate | null; isLost: boolean } = {
      fate: null,
      refusal: null,
      isLost: true,
    }
    const service = model.reachedBy((operation): Fate => {
      if (world.fate !== null) return world.fate
      if (operation === 'keys') return { kind: 'status', status: 403, isJson: true }
      if (operation === 'validate' && world.refusal !== null) return world.refusal
      if (operation !== 'activate' || !world.isLost) return { kind: 'served' }
      world.isLost = false
      return { kind: 'answer-lost' }
    })
    const device = createTestDevice(null, { service })
    await device.launch()
    return { model, license, world, device }
  }

  async function click(device: TestDevice, clock: FakeClock, how: () => void): Promise<void> {
    how()
    await device.settled()
    await clock.advance(0)
    await device.settled()
    await clock.advance(0)
  }

  test.each([
    ['no network', { kind: 'request-lost' }],
    ['a failing service', { kind: 'status', status: 503, isJson: false }],
    ['a portal', { kind: 'portal' }],
  ] as const)('a second click behind %s takes no second seat later', async (_, fate) => {
    const { license, world, device } = await lostActivation()
    const clock = createFakeClock()
    const { session } = await openScreenOn(device, clock)
    await click(device, clock, () => session.activate(license.id))
    world.fate = fate
    await click(device, clock, session.retry)
    expect(session.view.attempt).toMatchObject({ phase: 'failed' })
    world.fate = null
    await leaveOpen(device, clock)
    expect(license.keys).toHaveLength(1)
  })

  test('the screen of a released device takes no second seat by itself', async () => {
    const { model, license, world, device } = await lostActivation()
    world.isLost = false
    await device.core.activate(license.id)
    model.removeKey(license, license.keys[0]?.id ?? '')
    await device.elapse(16 * dayMs)
    expect(device.state.status).toBe('unverified')
    world.isLost = true
    const { session } = await openScreenOn(device)
    await click(device, device.clock, () => session.activate(license.id))
    await click(device, device.clock, session.retry)
    await device.elapse(12 * minuteMs)
    expect(license.keys).toHaveLength(1)
  })

  test.each([401, 403])(
    'a released device that is refused with %i shows a mistake of the app, and gets a seat once it is deactivated',
    async (status) => {
      const { model, license, world, device } = await lostActivation()
      world.isLost = false
      await device.core.activate(license.id)
      model.removeKey(license, license.keys[0]?.id ?? '')
      world.refusal = { kind: 'status', status, isJson: true }
      await device.elapse(16 * dayMs)
      const { session } = await openScreenOn(device)
      await click(device, device.clock, session.reactivate)
      expect(decideSituation(session.view).kind).toBe('misconfigured')
      expect(device.state.problem?.code).toBe('unauthorized')
      expect(license.keys).toHaveLength(0)
      await device.core.deactivate()
      session.enterKey()
      await click(device, device.clock, () => session.activate(license.id))
      expect(device.state.status).toBe('active')
      expect(license.keys).toHaveLength(1)
    },
  )
})
