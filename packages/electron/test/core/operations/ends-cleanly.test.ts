import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createTestDevice, dayMs, hourMs, startTestService, type TestService } from '../fixture.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
beforeEach(() => service.emulator.control.reset())
afterAll(() => service.emulator.close())

test('dispose leaves no timer, and the elapsed time is on disk', async () => {
  const license = service.newLicense()
  const device = createTestDevice(service)
  await device.launch()
  await device.core.activate(license.id)
  await device.elapse(hourMs / 2)
  await device.core.dispose()
  expect(device.clock.waiting).toEqual([])
  expect((await device.recordOnDisk()).clock.markMs).toBeGreaterThanOrEqual(device.clock.now() - 2000)
})

/** The service never answers. */
const noAnswer = { fault: 'timeout' } as const

test('dispose does not wait for a silent service, and the next launch completes the activation', async () => {
  const license = service.newLicense()
  const device = createTestDevice(service, { timeoutMs: 3_600_000 })
  await device.launch()
  service.emulator.control.faults.inject({ ...noAnswer, licenseId: license.id })
  const activation = device.core.activate(license.id)
  await expect.poll(() => service.emulator.control.requests().length).toBeGreaterThan(0)
  await device.core.dispose()
  expect(await activation).toMatchObject({ ok: false })
  expect((await device.recordOnDisk()).wanted).toMatchObject({ licenseKey: license.id })
  service.emulator.control.faults.clear()
  expect(await device.launch()).toMatchObject({ status: 'active' })
  expect(service.seats(license.id)).toHaveLength(1)
})

test('a check that is aborted because the app quits is not a failure of the service', async () => {
  const license = service.newLicense()
  const device = createTestDevice(service, { timeoutMs: 3_600_000 })
  await device.core.activate(license.id)
  await device.settled()
  service.emulator.control.faults.inject({ ...noAnswer, licenseId: license.id })
  const checked = device.core.validate()
  await expect.poll(() => device.state.activity).toBe('validating')
  await device.core.dispose()
  expect(await checked).toMatchObject({ status: 'active', problem: null })
  expect(device.states.map(({ status }) => status)).not.toContain('grace')
})

test('a write in progress is completed when the app quits', async () => {
  const license = service.newLicense()
  const device = createTestDevice(service)
  await device.core.activate(license.id)
  await device.settled()
  const { write } = device.store
  device.store.write = async function (...args) {
    await new Promise((resolve) => setTimeout(resolve, 50))
    return write.apply(this, args)
  }
  const left = device.core.deactivate()
  await device.core.dispose()
  await left
  expect((await device.recordOnDisk()).activation).toBeNull()
})

test('dispose right after start leaves no timer', async () => {
  const device = createTestDevice(service, { rules: { trialMs: dayMs } })
  const started = device.core.start()
  await device.core.dispose()
  await started
  await device.settled()
  expect(device.clock.waiting).toEqual([])
})

test('a queued release does not start after the app quits, and runs at the next launch', async () => {
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

test('calls after dispose return the last state without a request', async () => {
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

test('the device identity is read at most once per launch', async () => {
  const license = service.newLicense()
  const device = createTestDevice(service)
  await device.launch()
  await device.core.activate(license.id)
  await device.core.devices()
  await device.core.validate()
  await device.core.deactivate()
  expect(device.device.identifications).toBe(1)
})
