import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  createTestDevice,
  minuteMs,
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

async function activated(): Promise<{ device: TestDevice; licenseId: string; keyId: string }> {
  const { id: licenseId } = service.newLicense({ activation_limit: 1 })
  const device = createTestDevice(service)
  await device.core.activate(licenseId)
  return { device, licenseId, keyId: service.emulator.control.keys(licenseId)[0]?.id ?? '' }
}

test('a device whose seat was released elsewhere notices it at its next check', async () => {
  const { device, licenseId, keyId } = await activated()
  service.emulator.control.removeKey(licenseId, keyId)
  expect(await device.launch()).toMatchObject({
    status: 'revoked',
    entitled: false,
    problem: { code: 'moved-to-another-device', isRetryable: false },
  })
  expect(await device.decide()).toMatchObject({ status: 'revoked', entitled: false })
})

test('it also notices if it was activated again while its list was refused', async () => {
  const { device, licenseId, keyId } = await activated()
  service.emulator.control.faults.inject({ fault: 'status', status: 410, operation: 'keys', times: 1 })
  expect(await device.core.activate(licenseId)).toMatchObject({ ok: true })
  service.emulator.control.removeKey(licenseId, keyId)
  expect(await device.core.validate()).toMatchObject({ status: 'revoked' })
})

test('it uses a seat again after the user activates again', async () => {
  const { device, licenseId, keyId } = await activated()
  service.emulator.control.removeKey(licenseId, keyId)
  await device.launch()
  expect(await device.core.activate(licenseId)).toMatchObject({ ok: true, state: { status: 'active' } })
  expect(service.seats(licenseId)).toHaveLength(1)
  // For ten minutes the earlier activation may still turn up.
  await device.elapse(30 * minuteMs)
  expect((await device.recordOnDisk()).owed).toEqual([])
})

test('it can activate again without entering the key', async () => {
  const { device, licenseId, keyId } = await activated()
  service.emulator.control.removeKey(licenseId, keyId)
  await device.launch()
  expect(await device.core.reactivate()).toMatchObject({ ok: true, state: { status: 'active' } })
  expect(service.seats(licenseId)).toHaveLength(1)
})

test('a device that was never activated has nothing to activate again', async () => {
  const device = createTestDevice(service)
  expect(await device.core.reactivate()).toMatchObject({ ok: false, problem: { code: 'not-activated' } })
  expect(service.emulator.control.requests()).toEqual([])
})

test('a refusal to validate alone revokes nothing while the key is still shown', async () => {
  const { device, licenseId } = await activated()
  for (const status of [400, 404, 409, 410, 422]) {
    service.emulator.control.faults.clear()
    service.emulator.control.faults.inject({ fault: 'status', status, operation: 'validate', licenseId })
    expect(await device.launch()).toMatchObject({
      status: 'grace',
      entitled: true,
      problem: { code: 'unconfirmed' },
    })
  }
})

test('a refusal or a web page instead of the list revokes nothing', async () => {
  const { device, licenseId, keyId } = await activated()
  service.emulator.control.removeKey(licenseId, keyId)
  for (const body of ['json', 'html', 'text', 'empty'] as const) {
    service.emulator.control.faults.clear()
    service.emulator.control.faults.inject({
      fault: 'status',
      status: 404,
      body,
      operation: 'keys',
      licenseId,
    })
    expect(await device.launch()).toMatchObject({ status: 'grace', entitled: true })
  }
})

test('an unknown license runs until grace ends, because a proxy error looks the same', async () => {
  const { device, licenseId } = await activated()
  service.emulator.control.deleteLicense(licenseId)
  expect(await device.launch()).toMatchObject({
    status: 'grace',
    entitled: true,
    problem: { code: 'unconfirmed' },
  })
})

test('a response about the previous key does not revoke the current one', async () => {
  const { device, licenseId, keyId } = await activated()
  await device.launch()
  // During a slow check the key is removed and the user activates again.
  service.emulator.control.faults.inject({
    fault: 'delay',
    delayMs: 150,
    operation: 'key',
    licenseId,
    times: 1,
  })
  service.emulator.control.removeKey(licenseId, keyId)
  const checked = device.core.validate()
  expect(await device.core.activate(licenseId)).toMatchObject({ ok: true })
  await checked
  expect(device.state).toMatchObject({ status: 'active', entitled: true, problem: null })
})

test('a revoked device recovers automatically if the service accepts it again', async () => {
  const { device, licenseId } = await activated()
  const gone = { fault: 'status', status: 404, licenseId } as const
  service.emulator.control.faults.inject({ ...gone, operation: ['validate', 'key'] })
  service.emulator.control.faults.inject({
    fault: 'set-fields',
    fields: { data: [] },
    operation: 'keys',
    licenseId,
  })
  expect((await device.launch()).status).toBe('revoked')
  service.emulator.control.faults.clear()
  expect(await device.launch()).toMatchObject({ status: 'active', entitled: true, problem: null })
})
