import { readService } from '@latchkey/services/environment'
import { expect, test } from 'vitest'
import { environmentOf, gatewayOf, startFace } from './face-fixture.ts'

/** A gateway in front of Lemon Squeezy, whose license key was created in test mode. */
async function startWithTestKey(variables: Readonly<Record<string, string>>) {
  const emulator = await startFace('lemon-squeezy')
  emulator.control.faults.inject({ fault: 'set-fields', fields: { 'license_key.test_mode': true } })
  const problems: string[] = []
  const environment = { ...environmentOf('lemon-squeezy', emulator), ...variables }
  const service = readService('lemon-squeezy', environment, problems)
  if (service === null) throw new Error(problems.join(' '))
  const told = await gatewayOf(service).of(emulator.licenseKey).activate('Laptop [0123456789abcdef]')
  return { told, seats: emulator.control.keys(emulator.demoLicense.id).length }
}

test('a license key of test mode takes no seat, and its reason is passed on', async () => {
  const { told, seats } = await startWithTestKey({})
  expect(told).toMatchObject({ status: 422, body: { error: 'test-license' } })
  expect(seats).toBe(0)
})

test('a gateway that is tried out accepts it', async () => {
  const { told, seats } = await startWithTestKey({ LATCHKEY_LEMON_SQUEEZY_TEST_MODE: '1' })
  expect(told.status).toBe(200)
  expect(seats).toBe(1)
})
