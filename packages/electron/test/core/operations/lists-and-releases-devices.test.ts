import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createTestDevice, startTestService, type TestService } from '../fixture.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
beforeEach(() => service.emulator.control.reset())
afterAll(() => service.emulator.close())

const faults = () => service.emulator.control.faults

test('lists the devices of the license, oldest first, without fingerprints, with this one marked', async () => {
  const license = service.newLicense({ keys: ['Old tower [0123456789abcdef]', ' Printer '] })
  const device = createTestDevice(service)
  await device.core.activate(license.id)
  const [tower, printer, laptop] = service.emulator.control.keys(license.id)
  expect(await device.core.devices()).toEqual({
    ok: true,
    devices: [
      { id: tower?.id, label: 'Old tower', isThisDevice: false, activatedAt: expect.stringMatching(/Z$/) },
      { id: printer?.id, label: 'Printer', isThisDevice: false, activatedAt: expect.any(String) },
      { id: laptop?.id, label: 'Work laptop', isThisDevice: true, activatedAt: expect.any(String) },
    ],
  })
})

test('releasing a lost device in the limit screen of a new one activates the new one', async () => {
  const license = service.newLicense({ activation_limit: 1, keys: ['Lost [0123456789abcdef]'] })
  const device = createTestDevice(service)
  expect(await device.core.activate(license.id)).toMatchObject({ problem: { code: 'no-seat-left' } })
  const listed = await device.core.devices()
  if (!listed.ok) throw new Error(listed.problem.code)
  expect(await device.core.releaseDevice(listed.devices[0]?.id ?? '')).toEqual({ ok: true })
  expect(await device.core.activate(license.id)).toMatchObject({ ok: true })
  expect(service.seats(license.id)).toEqual([expect.stringMatching(/^Work laptop/)])
})

test('with devices: own, a device sees and releases only itself', async () => {
  const license = service.newLicense({ keys: ['Colleague [0123456789abcdef]'] })
  const device = createTestDevice(service, { rules: { devices: 'own' } })
  await device.core.activate(license.id)
  const [colleague, own] = service.emulator.control.keys(license.id)
  expect(await device.core.devices()).toMatchObject({
    ok: true,
    devices: [{ id: own?.id, isThisDevice: true }],
  })
  expect(await device.core.releaseDevice(colleague?.id ?? '')).toMatchObject({
    ok: false,
    problem: { code: 'other-device' },
  })
  expect(service.seats(license.id)).toHaveLength(2)
  expect(await device.core.releaseDevice(own?.id ?? '')).toEqual({ ok: true })
  expect(service.seats(license.id)).toEqual(['Colleague [0123456789abcdef]'])

  const full = service.newLicense({ activation_limit: 1, keys: ['Colleague [0123456789abcdef]'] })
  expect(await device.core.activate(full.id)).toMatchObject({ problem: { code: 'no-seat-left' } })
  expect(await device.core.devices()).toMatchObject({ ok: false, problem: { code: 'other-device' } })
})

test('the limit screen ignores a pending list of another license', async () => {
  const full = service.newLicense({ activation_limit: 1, keys: ['Lost'] })
  const mine = service.newLicense()
  const device = createTestDevice(service)
  await device.launch()
  await device.core.activate(mine.id)
  faults().inject({ fault: 'delay', delayMs: 300, operation: 'keys', licenseId: mine.id })
  const slow = device.core.devices()
  await device.core.activate(full.id)
  expect(await device.core.devices()).toMatchObject({ devices: [{ label: 'Lost' }] })
  expect(await slow).toMatchObject({ devices: [{ label: 'Work laptop' }] })
})

test('the limit screen shows the devices of the full license, and afterwards those of the working license', async () => {
  const mine = service.newLicense()
  const full = service.newLicense({ activation_limit: 1, keys: ['Tower'] })
  const device = createTestDevice(service)
  await device.core.activate(mine.id)
  await device.core.activate(full.id)
  expect(await device.core.devices()).toMatchObject({ devices: [{ label: 'Tower' }] })
  await device.core.activate(mine.id)
  expect(await device.core.devices()).toMatchObject({ devices: [{ label: 'Work laptop' }] })
  await device.core.activate('00000000-0000-4000-8000-000000000000')
  expect(await device.core.devices()).toMatchObject({ devices: [{ label: 'Work laptop' }] })
})

test('a device is released from the license it was listed for, even if another one is current', async () => {
  const mine = service.newLicense({ keys: ['Tower [0123456789abcdef]'] })
  const full = service.newLicense({ activation_limit: 1, keys: ['Other'] })
  const device = createTestDevice(service)
  await device.core.activate(mine.id)
  await device.core.devices()
  expect(await device.core.activate(full.id)).toMatchObject({ problem: { code: 'no-seat-left' } })
  const [tower] = service.emulator.control.keys(mine.id)
  expect(await device.core.releaseDevice(tower?.id ?? '')).toEqual({ ok: true })
  expect(service.seats(mine.id)).toEqual([expect.stringMatching(/^Work laptop/)])
  expect(service.seats(full.id)).toEqual(['Other'])
})

test('an activation that finds no free seat later also shows the devices', async () => {
  const license = service.newLicense({ activation_limit: 1 })
  const device = createTestDevice(service)
  await device.launch()
  faults().inject({ fault: 'reset', licenseId: license.id })
  expect(await device.core.activate(license.id)).toMatchObject({ problem: { code: 'offline' } })
  faults().clear()
  service.emulator.control.addKey(license.id, 'Tower')
  await device.core.validate()
  expect(device.state).toMatchObject({ problem: { code: 'no-seat-left' } })
  expect(await device.core.devices()).toMatchObject({ devices: [{ label: 'Tower' }] })
})

test('releasing this device deactivates it', async () => {
  const license = service.newLicense()
  const device = createTestDevice(service)
  await device.core.activate(license.id)
  const keyId = service.emulator.control.keys(license.id)[0]?.id ?? ''
  expect(await device.core.releaseDevice(keyId)).toEqual({ ok: true })
  expect(device.state).toMatchObject({ status: 'unlicensed', entitled: false })
  expect(service.seats(license.id)).toEqual([])
})

test('releasing this device works before the record is read', async () => {
  const license = service.newLicense()
  const device = createTestDevice(service)
  await device.core.activate(license.id)
  await device.quit()
  const keyId = service.emulator.control.keys(license.id)[0]?.id ?? ''
  const next = createTestDevice(service, { store: device.store, secrets: device.secrets })
  expect(await next.core.releaseDevice(keyId)).toEqual({ ok: true })
  expect(next.state.status).toBe('unlicensed')
})

test('a device that is already gone counts as released', async () => {
  const license = service.newLicense({ keys: ['Tower'] })
  const device = createTestDevice(service)
  await device.core.activate(license.id)
  const keyId = service.emulator.control.keys(license.id)[0]?.id ?? ''
  await device.core.devices()
  expect(await device.core.releaseDevice(keyId)).toEqual({ ok: true })
  expect(await device.core.releaseDevice(keyId)).toEqual({ ok: true })
  expect(device.logger.lines.filter((line) => line.startsWith('warn'))).toEqual([])
})

test('an id from elsewhere, such as from another check, frees its seat without a warning', async () => {
  const license = service.newLicense({ keys: ['Tower'] })
  const keyId = service.emulator.control.keys(license.id)[0]?.id ?? ''
  const device = createTestDevice(service)
  await device.core.activate(license.id)
  faults().inject({ fault: 'reset', operation: 'deactivate', licenseId: license.id })
  expect(await device.core.releaseDevice(keyId)).toMatchObject({ problem: { code: 'offline' } })
  faults().clear()
  for (const _time of ['first', 'second']) {
    expect(await device.core.releaseDevice(keyId)).toEqual({ ok: true })
    expect(service.seats(license.id)).toEqual([expect.stringMatching(/^Work laptop/)])
  }
  expect(device.logger.lines.filter((line) => /^(?:warn|error)/u.test(line))).toEqual([])
})

test.each([undefined, null, 5, {}, ''])('%j in place of an id is reported to the developer', async (id) => {
  const license = service.newLicense({ keys: ['Tower'] })
  const device = createTestDevice(service)
  await device.core.activate(license.id)
  const released: unknown = await Reflect.apply(device.core.releaseDevice, device.core, [id])
  expect(released).toMatchObject({ ok: false, problem: { code: 'device-not-found' } })
  const told = device.logger.lines.filter((line) => /^(?:warn|error)/u.test(line))
  expect(told).toEqual([expect.stringContaining('releaseDevice() needs the id of a device, as a text.')])
  expect(service.seats(license.id)).toHaveLength(2)
})

test('a text that can’t be an id is refused', async () => {
  const license = service.newLicense({ keys: ['Tower'] })
  const device = createTestDevice(service)
  await device.core.activate(license.id)
  expect(await device.core.releaseDevice('not a key')).toMatchObject({ problem: { code: 'misconfigured' } })
  expect(service.seats(license.id)).toHaveLength(2)
})

test('without a license there is nothing to list or release', async () => {
  const device = createTestDevice(service)
  const nothing = { ok: false, problem: { code: 'not-activated' } }
  expect(await device.core.devices()).toMatchObject(nothing)
  expect(await device.core.releaseDevice('00000000-0000-4000-8000-000000000000')).toMatchObject(nothing)
})

test.each([
  [{ fault: 'reset' }, 'offline'],
  [{ fault: 'status', status: 503 }, 'service-error'],
  [{ fault: 'status', status: 403 }, 'unauthorized'],
  // No activation was requested here.
  [{ fault: 'status', status: 422 }, 'service-error'],
  [{ fault: 'html' }, 'unexpected-answer'],
  [{ fault: 'status', status: 404 }, 'unexpected-answer'],
] as const)('%j while listing is reported as %s', async (fault, code) => {
  const license = service.newLicense()
  const device = createTestDevice(service)
  await device.core.activate(license.id)
  faults().inject({ ...fault, operation: 'keys', licenseId: license.id })
  expect(await device.core.devices()).toMatchObject({ ok: false, problem: { code } })
})

test('a failed release is reported and not queued', async () => {
  const license = service.newLicense({ keys: ['Tower'] })
  const device = createTestDevice(service)
  await device.core.activate(license.id)
  faults().inject({ fault: 'status', status: 503, operation: 'deactivate', licenseId: license.id })
  const keyId = service.emulator.control.keys(license.id)[0]?.id ?? ''
  expect(await device.core.releaseDevice(keyId)).toMatchObject({
    ok: false,
    problem: { code: 'service-error' },
  })
  expect((await device.recordOnDisk()).owed).toEqual([])
})
