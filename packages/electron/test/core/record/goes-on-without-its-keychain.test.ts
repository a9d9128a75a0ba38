import { afterAll, beforeAll, expect, test } from 'vitest'
import { createFakeSecrets, type FakeSecrets } from '../../doubles/fake-secrets.ts'
import { createTestDevice, startTestService, type TestDevice, type TestService } from '../fixture.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.emulator.close())

/** A device whose keychain asks the user. The launch continues without it, and the test decides when it answers. */
function deviceThatAsks(): { device: TestDevice; secrets: FakeSecrets; answer: () => void } {
  const listeners = new Set<() => void>()
  const secrets: FakeSecrets = {
    ...createFakeSecrets(),
    onAnswer(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
  const answer = (): void => {
    secrets.locked = false
    for (const listener of listeners) listener()
  }
  return { device: createTestDevice(service, { secrets }), secrets, answer }
}

test('a record that opens after the launch is loaded automatically', async () => {
  const license = service.newLicense()
  const { device, secrets, answer } = deviceThatAsks()
  await device.core.activate(license.id)
  await device.quit()
  secrets.locked = true
  expect(await device.launch()).toMatchObject({
    status: 'unlicensed',
    problem: { code: 'store-undecryptable' },
  })
  answer()
  await expect.poll(() => device.state).toMatchObject({ status: 'active', entitled: true, problem: null })
  expect(service.seats(license.id)).toHaveLength(1)
  expect(device.store.setAsideTexts).toEqual([])
})

test('data saved unencrypted during the keychain prompt is encrypted afterwards', async () => {
  const license = service.newLicense()
  const { device, secrets, answer } = deviceThatAsks()
  await device.launch()
  secrets.tier = 'plain'
  await device.core.activate(license.id)
  expect(device.state.storage).toBe('plain')
  secrets.tier = 'keychain'
  answer()
  await expect.poll(() => device.state.storage).toBe('keychain')
})

test('a keychain that responds after the app quit changes nothing', async () => {
  const license = service.newLicense()
  const { device, secrets, answer } = deviceThatAsks()
  await device.core.activate(license.id)
  await device.quit()
  secrets.locked = true
  await device.launch()
  await device.core.dispose()
  const asked = service.asked(license.id).length
  answer()
  await device.settled()
  expect(device.state).toMatchObject({ status: 'unlicensed' })
  expect(service.asked(license.id)).toHaveLength(asked)
})

test('a keychain that responds without a record causes no request', async () => {
  const { device, answer } = deviceThatAsks()
  await device.launch()
  const asked = service.emulator.control.requests().length
  answer()
  await device.settled()
  expect(device.state).toMatchObject({ status: 'unlicensed', problem: null })
  expect(service.emulator.control.requests()).toHaveLength(asked)
})
