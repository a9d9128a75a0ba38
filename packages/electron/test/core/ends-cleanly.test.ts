import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createTestDevice, dayMs, hourMs, startTestService, type TestService } from './fixture.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
beforeEach(() => service.emulator.control.reset())
afterAll(() => service.emulator.close())

test('dispose leaves no timer behind, and the time run is on disk', async () => {
  const license = service.newLicense()
  const device = createTestDevice(service)
  await device.launch()
  await device.core.activate(license.id)
  await device.elapse(hourMs / 2)
  await device.core.dispose()
  expect(device.clock.waiting).toEqual([])
  expect((await device.vaultOnDisk()).markMs).toBeGreaterThanOrEqual(device.clock.now() - 2000)
})

test('dispose waits for what is under way', async () => {
  const license = service.newLicense()
  const device = createTestDevice(service)
  await device.launch()
  const activation = device.core.activate(license.id)
  await device.core.dispose()
  expect(await activation).toMatchObject({ ok: true })
  expect((await device.vaultOnDisk()).activation).not.toBeNull()
})

test('dispose right after start leaves no timer behind either', async () => {
  const device = createTestDevice(service, { rules: { trialMs: dayMs } })
  const started = device.core.start()
  await device.core.dispose()
  await started
  await device.settled()
  expect(device.clock.waiting).toEqual([])
})

test('a seat that waits to be freed is not begun with once the app ends, and goes at the next launch', async () => {
  const license = service.newLicense()
  const device = createTestDevice(service)
  await device.core.activate(license.id)
  service.emulator.control.faults.inject({ fault: 'reset', operation: 'deactivate', licenseId: license.id })
  await device.core.deactivate()
  service.emulator.control.faults.clear()
  const asked = service.asked(license.id).length

  const { identify } = device.device
  const waiting: (() => void)[] = []
  device.device.identify = async function (known) {
    await new Promise<void>((resolve) => waiting.push(resolve))
    return identify.call(this, known)
  }
  await device.decide()
  await expect.poll(() => waiting.length).toBe(1)
  const ended = device.core.dispose()
  waiting[0]?.()
  await ended
  expect(service.asked(license.id)).toHaveLength(asked)

  device.device.identify = identify
  await device.launch()
  expect(service.seats(license.id)).toEqual([])
})

test('dispose without start touches nothing', async () => {
  const device = createTestDevice(service)
  await device.core.dispose()
  expect(device.store.writes).toBe(0)
})

test('calls after dispose answer with the last state and ask nobody', async () => {
  const license = service.newLicense()
  const device = createTestDevice(service)
  await device.launch()
  await device.core.activate(license.id)
  await device.core.dispose()
  const { state } = device
  const asked = service.asked(license.id).length
  expect(await device.core.validate()).toBe(state)
  expect(await device.core.start()).toBe(state)
  device.core.check('online')
  const ended = { ok: false, problem: { code: 'unexpected' } }
  expect(await device.core.activate(license.id)).toMatchObject(ended)
  expect(await device.core.deactivate()).toMatchObject(ended)
  expect(await device.core.devices()).toMatchObject(ended)
  expect(await device.core.releaseDevice('any')).toMatchObject(ended)
  expect(service.asked(license.id)).toHaveLength(asked)
  expect(device.clock.waiting).toEqual([])
  expect(device.state).toMatchObject({ status: 'active', activity: 'idle' })
})

test('the app asks for its identity once per launch at most', async () => {
  const license = service.newLicense()
  const device = createTestDevice(service)
  await device.launch()
  await device.core.activate(license.id)
  await device.core.devices()
  await device.core.validate()
  await device.core.deactivate()
  expect(device.device.identifications).toBe(1)
})
