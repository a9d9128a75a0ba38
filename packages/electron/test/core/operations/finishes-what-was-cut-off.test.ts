import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createTestDevice, minuteMs, startTestService, type TestService } from '../fixture.ts'
import { createServiceModel } from '../service-model.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
beforeEach(() => service.emulator.control.reset())
afterAll(() => service.emulator.close())

const faults = () => service.emulator.control.faults
const activations = (licenseId: string) =>
  service.asked(licenseId).filter((line) => line.startsWith('activate'))

test('an offline activation is completed at the next launch', async () => {
  const license = service.newLicense()
  const device = createTestDevice(service)
  faults().inject({ fault: 'reset', licenseId: license.id })
  expect(await device.core.activate(license.id)).toMatchObject({ ok: false, problem: { code: 'offline' } })
  faults().clear()
  expect(await device.launch()).toMatchObject({ status: 'active', entitled: true, problem: null })
  expect(service.seats(license.id)).toHaveLength(1)
})

test('a running app completes it automatically', async () => {
  const license = service.newLicense()
  const device = createTestDevice(service)
  await device.launch()
  faults().inject({ fault: 'reset', licenseId: license.id })
  await device.core.activate(license.id)
  faults().clear()
  await device.elapse(11 * minuteMs)
  expect(device.state).toMatchObject({ status: 'active', entitled: true })
})

test('a process killed during the request adopts its key', async () => {
  const license = service.newLicense()
  const device = createTestDevice(service)
  await device.launch()
  const { faults } = service.emulator.control
  faults.inject({
    fault: 'delay',
    delayMs: 300,
    when: 'after-acting',
    operation: 'activate',
    licenseId: license.id,
  })
  void device.core.activate(license.id)
  await expect.poll(() => service.seats(license.id).length).toBe(1)
  device.kill()
  expect(await device.launch()).toMatchObject({ status: 'active', entitled: true })
  expect(activations(license.id)).toHaveLength(1)
  expect(service.seats(license.id)).toHaveLength(1)
})

test('a process killed during the request, then deactivated offline, releases its seat', async () => {
  const license = service.newLicense()
  const device = createTestDevice(service)
  await device.launch()
  const when = 'after-acting'
  faults().inject({ fault: 'delay', delayMs: 300, when, operation: 'activate', licenseId: license.id })
  void device.core.activate(license.id)
  await expect.poll(() => service.seats(license.id).length).toBe(1)
  device.kill()

  faults().clear()
  faults().inject({ fault: 'reset', licenseId: license.id })
  await device.decide()
  expect(await device.core.deactivate()).toMatchObject({ ok: true, seat: 'freed-later' })
  faults().clear()
  await device.launch()
  expect(service.seats(license.id)).toEqual([])
})

test('a request is recorded on disk before it is sent', async () => {
  const model = createServiceModel(() => device.clock.now())
  const asked: string[] = []
  const service = model.reachedBy((operation) => {
    asked.push(operation)
    return { kind: 'served' }
  })
  const device = createTestDevice(null, { service })
  await device.launch()
  const { write } = device.store
  const waiting: (() => void)[] = []
  device.store.write = async function (document) {
    await new Promise<void>((resolve) => waiting.push(resolve))
    return write.call(this, document)
  }
  const activation = device.core.activate(model.addLicense(3).id)
  await expect.poll(() => waiting.length).toBe(1)
  expect(asked).toEqual([])
  waiting[0]?.()
  await expect.poll(() => waiting.length).toBe(2)
  expect(asked).toEqual(['keys'])
  device.store.write = write
  waiting[1]?.()
  expect(await activation).toMatchObject({ ok: true })
})

test('a launch after an unconfirmed activation sends no second one if keys cannot be listed', async () => {
  const license = service.newLicense()
  const device = createTestDevice(service)
  faults().inject({ fault: 'status', status: 403, operation: 'keys', licenseId: license.id })
  faults().inject({ fault: 'reset', when: 'after-acting', operation: 'activate', licenseId: license.id })
  expect(await device.core.activate(license.id)).toMatchObject({
    ok: false,
    problem: { code: 'activation-unconfirmed' },
  })
  for (let launch = 0; launch < 3; launch += 1) {
    expect(await device.launch()).toMatchObject({
      status: 'unlicensed',
      problem: { code: 'activation-unconfirmed' },
    })
  }
  expect(activations(license.id)).toHaveLength(1)
  faults().clear()
  expect(await device.launch()).toMatchObject({ status: 'active' })
  expect(service.seats(license.id)).toHaveLength(1)
})

test('a refusal at launch is reported and not retried', async () => {
  const license = service.newLicense({ activation_limit: 1, keys: ['other'] })
  const device = createTestDevice(service)
  faults().inject({ fault: 'reset', licenseId: license.id })
  await device.core.activate(license.id)
  faults().clear()
  expect(await device.launch()).toMatchObject({ status: 'unlicensed', problem: { code: 'no-seat-left' } })
  const asked = service.asked(license.id).length
  await device.launch()
  expect(service.asked(license.id)).toHaveLength(asked)
})

test('a refusal of a second license at launch is reported while the first one keeps working', async () => {
  const [mine, full] = [service.newLicense(), service.newLicense({ activation_limit: 1, keys: ['other'] })]
  const device = createTestDevice(service)
  await device.core.activate(mine.id)
  faults().inject({ fault: 'reset', licenseId: full.id })
  await device.core.activate(full.id)
  faults().clear()
  expect(await device.launch()).toMatchObject({ status: 'active', problem: { code: 'no-seat-left' } })
  expect(service.asked(mine.id).at(-1)).toBe('validate')
})

test('an incomplete activation does not prevent checking the recorded license', async () => {
  const license = service.newLicense()
  const device = createTestDevice(service)
  await device.core.activate(license.id)
  faults().inject({ fault: 'status', status: 503, operation: 'keys', licenseId: license.id })
  await device.core.activate(license.id)
  expect(await device.launch()).toMatchObject({ status: 'active', problem: { code: 'service-error' } })
  expect(service.asked(license.id).slice(-2)).toEqual(['keys 503', 'validate'])
})

test('activating another license releases the possible seat of the unconfirmed one', async () => {
  const [first, second] = [service.newLicense(), service.newLicense()]
  const device = createTestDevice(service)
  await device.launch()
  faults().inject({ fault: 'reset', operation: 'activate', when: 'after-acting', licenseId: first.id })
  faults().inject({ fault: 'reset', operation: 'keys', after: 1, licenseId: first.id })
  await device.core.activate(first.id)
  expect(service.seats(first.id)).toHaveLength(1)
  faults().clear()
  expect(await device.core.activate(second.id)).toMatchObject({ ok: true })
  expect(service.seats(first.id)).toEqual([])
  expect(service.seats(second.id)).toHaveLength(1)
})

test('a pending activation whose license no longer exists is reported at launch', async () => {
  const license = service.newLicense()
  const device = createTestDevice(service)
  faults().inject({ fault: 'reset', licenseId: license.id })
  await device.core.activate(license.id)
  faults().clear()
  service.emulator.control.deleteLicense(license.id)
  expect(await device.launch()).toMatchObject({ problem: { code: 'license-not-found' } })
  expect((await device.recordOnDisk()).wanted).toBeNull()
})
