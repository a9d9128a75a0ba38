import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { RecordRules as LicensingRules } from '../../../src/core/device-record.ts'
import {
  createTestDevice,
  dayMs,
  hourMs,
  startTestService,
  type TestDevice,
  type TestService,
} from '../fixture.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
beforeEach(() => service.emulator.control.reset())
afterAll(() => service.emulator.close())

const faults = () => service.emulator.control.faults

async function activated(
  rules: Partial<LicensingRules> = {},
): Promise<{ device: TestDevice; licenseId: string }> {
  const { id: licenseId } = service.newLicense()
  const device = createTestDevice(service, { rules })
  await device.launch()
  await device.core.activate(licenseId)
  return { device, licenseId }
}

test('offline, the app is entitled until grace ends, even after restarts', async () => {
  const { device, licenseId } = await activated()
  faults().inject({ fault: 'reset', licenseId })
  for (let day = 1; day <= 13; day += 1) {
    device.sleep(dayMs)
    const state = await device.launch()
    expect(state).toMatchObject({ status: 'grace', entitled: true, problem: { code: 'offline' } })
  }
  device.sleep(dayMs + hourMs)
  expect(await device.decide()).toMatchObject({ status: 'unverified', entitled: false })
})

test('a launch decides immediately if the service does not respond', async () => {
  const { device, licenseId } = await activated()
  faults().inject({ fault: 'timeout', licenseId })
  expect(await device.decide()).toMatchObject({ status: 'active', entitled: true, activity: 'validating' })
  device.kill()
})

test('the state has the end of grace: 14 days after the last valid response', async () => {
  const { device, licenseId } = await activated()
  const checkedAt = device.state.checkedAt ?? ''
  faults().inject({ fault: 'status', status: 503, licenseId })
  const state = await device.launch()
  if (state.status !== 'grace') throw new Error(state.status)
  const lastsMs = Date.parse(state.graceEndsAt) - Date.parse(checkedAt)
  expect(Math.abs(lastsMs - 14 * dayMs)).toBeLessThan(2000)
})

test('unlimited grace ends on the last possible day', async () => {
  const { id: licenseId } = service.newLicense({ expires_at: null })
  const device = createTestDevice(service, { rules: { graceMs: Number.POSITIVE_INFINITY } })
  await device.core.activate(licenseId)
  faults().inject({ fault: 'status', status: 503, licenseId })
  expect(await device.launch()).toMatchObject({ status: 'grace', graceEndsAt: '+275760-09-13T00:00:00.000Z' })
})

test('a running app notices the end of grace', async () => {
  const { device, licenseId } = await activated()
  faults().inject({ fault: 'reset', licenseId })
  await device.elapse(13 * dayMs)
  expect(device.state).toMatchObject({ status: 'grace', entitled: true })
  await device.elapse(2 * dayMs)
  expect(device.state).toMatchObject({ status: 'unverified', entitled: false })
})

test('without grace, the app is only entitled while the service responds', async () => {
  const { id: licenseId } = service.newLicense()
  const device = createTestDevice(service, { rules: { graceMs: 0 } })
  await device.launch()
  expect(await device.core.activate(licenseId)).toMatchObject({ ok: true, state: { status: 'active' } })
  await device.elapse(5 * dayMs)
  expect(device.state).toMatchObject({ status: 'active', entitled: true })
  expect(await device.decide()).toMatchObject({ status: 'active', entitled: true })
  await device.settled()
  faults().inject({ fault: 'reset', licenseId })
  await device.elapse(2 * dayMs)
  expect(device.state).toMatchObject({ status: 'unverified', entitled: false })
  faults().clear()
  await device.elapse(2 * dayMs)
  expect(device.state).toMatchObject({ status: 'active', entitled: true })
})

test('a computer that sleeps through the end of grace notices it on wake-up, even if no check is due', async () => {
  const { device, licenseId } = await activated()
  faults().inject({ fault: 'reset', licenseId })
  await device.launch()
  device.sleep(20 * dayMs)
  device.core.check('resume')
  expect(device.state).toMatchObject({ status: 'unverified', entitled: false })
})

test('one successful check makes an unverified device active again automatically', async () => {
  const { device, licenseId } = await activated()
  faults().inject({ fault: 'reset', licenseId })
  device.sleep(30 * dayMs)
  expect(await device.launch()).toMatchObject({ status: 'unverified', entitled: false })
  faults().clear()
  expect(await device.launch()).toMatchObject({ status: 'active', entitled: true, problem: null })
})

test('a running unverified device recovers automatically when the service is back', async () => {
  const { device, licenseId } = await activated()
  faults().inject({ fault: 'reset', licenseId })
  device.sleep(30 * dayMs)
  await device.launch()
  faults().clear()
  await device.elapse(hourMs)
  expect(device.state).toMatchObject({ status: 'active', entitled: true })
})

test('only definite responses of the service change the record', async () => {
  const { device, licenseId } = await activated()
  const { activation } = await device.recordOnDisk()
  for (const fault of [
    { fault: 'reset' },
    { fault: 'html' },
    { fault: 'truncated' },
    { fault: 'redirect' },
    { fault: 'status', status: 401 },
    { fault: 'status', status: 500 },
  ] as const) {
    faults().clear()
    faults().inject({ ...fault, licenseId })
    expect(await device.launch()).toMatchObject({ status: 'grace', entitled: true })
    expect((await device.recordOnDisk()).activation).toEqual(activation)
  }
})

test('grace counts down from the last failed check, even if the app is killed each time', async () => {
  const { device, licenseId } = await activated()
  faults().inject({ fault: 'reset', licenseId })
  device.sleep(10 * dayMs)
  await device.launch()
  device.kill()
  // The user sets the clock back to where it was, and starts the app again.
  device.clock.jump(-10 * dayMs)
  await device.decide()
  await device.settled()
  device.sleep(3 * dayMs)
  expect(await device.decide()).toMatchObject({ entitled: true })
  expect((await device.recordOnDisk()).clock.markMs).toBeGreaterThan(device.clock.now() + 4 * dayMs)
  device.sleep(2 * dayMs)
  expect(await device.decide()).toMatchObject({ status: 'unverified', entitled: false })
})

describe('grace never overrides a response of the service', () => {
  const past = '2020-01-01T00:00:00.000000Z'
  test.each([
    ['expired', { expires_at: past }, 'license-expired'],
    ['suspended', { suspended_at: past }, 'license-suspended'],
    ['inactive', { status: 'REFUNDED' }, 'license-inactive'],
  ] as const)('%s is %s offline too, through every restart', async (status, patch, code) => {
    const { device, licenseId } = await activated()
    service.emulator.control.updateLicense(licenseId, patch)
    expect(await device.launch()).toMatchObject({ status, entitled: false, problem: { code } })
    faults().inject({ fault: 'reset', licenseId })
    expect(await device.decide()).toMatchObject({ status, entitled: false })
    expect(await device.settled()).toMatchObject({ status, entitled: false })
    await device.elapse(3 * dayMs)
    expect(device.state).toMatchObject({ status, entitled: false })

    faults().clear()
    service.emulator.control.reinstate(licenseId)
    expect(await device.launch()).toMatchObject({ status: 'active', entitled: true, problem: null })
  })

  test('a license expires offline on time while the app runs', async () => {
    const { device, licenseId } = await activated({ renewalGraceMs: 0 })
    const expiresAt = new Date(device.clock.now() + 5 * dayMs).toISOString()
    service.emulator.control.updateLicense(licenseId, { expires_at: expiresAt })
    await device.launch()
    faults().inject({ fault: 'reset', licenseId })
    await device.elapse(5 * dayMs - hourMs)
    expect(device.state).toMatchObject({ status: 'grace', entitled: true })
    await device.elapse(2 * hourMs)
    expect(device.state).toMatchObject({ status: 'expired', entitled: false })
    expect(await device.decide()).toMatchObject({ status: 'expired', entitled: false })
  })

  test('the raw text of an unknown status is in the state', async () => {
    const { device, licenseId } = await activated()
    service.emulator.control.updateLicense(licenseId, { status: 'CHARGEBACK' })
    expect(await device.launch()).toMatchObject({ status: 'inactive', rawStatus: 'CHARGEBACK' })
  })

  test('a perpetual license never expires', async () => {
    const { device, licenseId } = await activated()
    service.emulator.control.updateLicense(licenseId, { expires_at: null })
    await device.launch()
    device.sleep(3000 * dayMs)
    expect(await device.launch()).toMatchObject({ status: 'active', license: { expiresAt: null } })
  })
})
