import { expect, test } from 'vitest'
import { situationOf } from '../../src/dialog/scene/situation.ts'
import { createServicePort } from '../../src/main/adapters/service/create-service-port.ts'
import { createTestDevice, minuteMs } from '../core/fixture.ts'
import { createServiceModel, type Fate } from '../core/service-model.ts'
import { createFakeClock } from '../doubles/fake-clock.ts'
import { type AdapterName, adapterOf, startFace, unlistedNames } from '../services/faces.ts'
import { openScreenOn } from './stage/device-screen.ts'

test('one click takes one seat, also where keys cannot be listed and answers are lost', async () => {
  const model = createServiceModel(() => device.clock.now())
  const license = model.addLicense(5)
  const commerce = model.reachedBy(
    (operation): Fate =>
      operation === 'keys'
        ? { kind: 'status', status: 403, isJson: true }
        : operation === 'activate'
          ? { kind: 'answer-lost' }
          : { kind: 'served' },
  )
  const device = createTestDevice(null, { commerce })
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
  const commerce = model.reachedBy((operation): Fate => {
    if (operation === 'activate') return { kind: 'answer-lost' }
    if (operation !== 'keys') return { kind: 'served' }
    asked += 1
    return asked === 2 ? { kind: 'request-lost' } : { kind: 'status', status: 403, isJson: true }
  })
  const device = createTestDevice(null, { commerce })
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
  const commerce = createServicePort({
    service: adapterOf[name]({ baseUrl: scene.emulator.baseUrl, settings }),
    fetch: async (request, init) => {
      const served = await fetch(request, init)
      return request.url.endsWith('/activate') ? lost : served
    },
  })
  const device = scene.device({ commerce })
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
    expect(situationOf(session.view)).toMatchObject({ kind: 'no-network', problem: { code: 'timeout' } })

    await lose()
    for (let i = 0; i < 10; i += 1) {
      await clock.advance(minuteMs)
      await device.settled()
    }
    await clock.advance(0)
    expect(calls.filter((call) => call.startsWith('activate'))).toHaveLength(1)
    expect(scene.seats()).toHaveLength(1)
    expect(situationOf(session.view)).toMatchObject({
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
    expect(situationOf(session.view)).toMatchObject({ kind: 'enter-key', notice: null })
    await lose()
    expect(situationOf(session.view)).toMatchObject({
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
    expect(situationOf(session.view)).toMatchObject({
      kind: 'enter-key',
      isChecking: false,
      notice: { code: 'seat-may-be-taken' },
    })
    expect(scene.seats()).toHaveLength(1)
  },
)
