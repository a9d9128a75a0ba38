import { expect, test } from 'vitest'
import { lemonSqueezy } from '../../src/lemon-squeezy/index.ts'
import { answerOf, device, startService } from '../faces.ts'

/** An activation of a Lemon Squeezy license key that was created in test mode. */
async function activateTestKey() {
  const { emulator, service, licenseKey } = await startService('lemon-squeezy')
  emulator.control.faults.inject({ fault: 'set-fields', fields: { 'license_key.test_mode': true } })
  const { activation } = answerOf(await service.activate({ licenseKey, ...device }))
  return { emulator, service, request: { licenseKey, activationId: activation.id, ...device } }
}

test('an activation with a license key of test mode is refused if the caller doesn’t allow it', async () => {
  const { service, request } = await activateTestKey()
  expect(await service.validate({ ...request, allowsTestLicense: false })).toMatchObject({
    kind: 'refusal',
    reason: 'test-license',
  })
  expect(await service.validate(request)).toMatchObject({ kind: 'answer' })
})

test('an activation with a license key of test mode is valid if the settings allow it', async () => {
  const { emulator, request } = await activateTestKey()
  const options = { storeId: 12345, productId: 67890, testMode: true, baseUrl: emulator.baseUrl }
  const outcome = await lemonSqueezy(options).validate({ ...request, allowsTestLicense: false })
  expect(outcome).toMatchObject({ kind: 'answer' })
})

test('a license key of live mode is valid either way', async () => {
  const { service, licenseKey } = await startService('lemon-squeezy')
  const { activation } = answerOf(await service.activate({ licenseKey, ...device }))
  const request = { licenseKey, activationId: activation.id, ...device, allowsTestLicense: false }
  expect(await service.validate(request)).toMatchObject({ kind: 'answer' })
})
