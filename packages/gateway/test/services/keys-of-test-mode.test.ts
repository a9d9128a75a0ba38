import { readService } from '@latchkey/services/environment'
import { writeOfflineRequest } from '@latchkey/services/offline'
import { describe, expect, test } from 'vitest'
import { keyName, signing, withNonce } from '../gateway-fixture.ts'
import { asking } from '../offline/offline-fixture.ts'
import { environmentOf, fingerprint, gatewayOf, startFace } from './face-fixture.ts'

/** A gateway in front of Lemon Squeezy, whose license key was created in test mode. */
async function startWithTestKey(variables: Readonly<Record<string, string>>) {
  const emulator = await startFace('lemon-squeezy')
  emulator.control.faults.inject({ fault: 'set-fields', fields: { 'license_key.test_mode': true } })
  const problems: string[] = []
  const environment = { ...environmentOf('lemon-squeezy', emulator), ...variables }
  const service = readService('lemon-squeezy', environment, problems)
  if (service === null) throw new Error(problems.join(' '))
  const gateway = gatewayOf(service, {
    signing,
    offline: { days: 30 },
  })
  const seats = () => emulator.control.keys(emulator.demoLicense.id).length
  return { emulator, gateway, license: gateway.of(emulator.licenseKey), seats }
}

const accepting = { LATCHKEY_LEMON_SQUEEZY_TEST_MODE: '1' }

test('a license key of test mode takes no seat, and its reason is passed on', async () => {
  const { license, seats } = await startWithTestKey({})
  expect(await license.activate(keyName)).toMatchObject({ status: 422, body: { error: 'test-license' } })
  expect(seats()).toBe(0)
})

test('a gateway that is tried out accepts it', async () => {
  const { license, seats } = await startWithTestKey(accepting)
  expect((await license.activate(keyName)).status).toBe(200)
  expect(seats()).toBe(1)
})

describe('a license key of test mode that was activated at the service itself', () => {
  test('gets no lease', async () => {
    const { emulator, license } = await startWithTestKey({})
    const { id } = emulator.control.addKey(emulator.demoLicense.id, keyName)
    const told = await license.validate(id, fingerprint, withNonce)
    expect(told).toMatchObject({ status: 422, body: { error: 'test-license' }, lease: null })
    // It isn't gone, and can be deactivated.
    expect(await license.key(id, withNonce)).toMatchObject({ status: 200, lease: null })
    expect(await license.deactivate(id)).toMatchObject({ status: 200 })
  })

  test('gets no signed answer for a computer without internet', async () => {
    const { emulator, gateway, seats } = await startWithTestKey({})
    emulator.control.addKey(emulator.demoLicense.id, keyName)
    const request = writeOfflineRequest({ ...asking, licenseKey: emulator.licenseKey })
    const told = await gateway.ask('POST', '/offline', { request })
    expect(told).toMatchObject({ status: 422, body: { error: 'test-license' } })
    expect(seats()).toBe(1)
  })

  test('gets both from a gateway that is tried out', async () => {
    const { emulator, gateway, license } = await startWithTestKey(accepting)
    const { id } = emulator.control.addKey(emulator.demoLicense.id, keyName)
    const told = await license.validate(id, fingerprint, withNonce)
    expect(told).toMatchObject({ status: 200, lease: expect.any(String) })
    const request = writeOfflineRequest({ ...asking, licenseKey: emulator.licenseKey })
    expect(await gateway.ask('POST', '/offline', { request })).toMatchObject({ status: 200 })
  })
})
