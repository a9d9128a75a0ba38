import { startEmulator } from '@latchkey/emulator'
import { createGateway } from '@latchkey/gateway'
import { upstreamOf } from '@latchkey/scripts/e2e/upstream-of'
import { lemonSqueezy } from '@latchkey/services/lemon-squeezy'
import { expect, onTestFinished, test } from 'vitest'
import { createTestDevice } from '../core/fixture.ts'
import { reach, reachGateway } from '../doubles/app-service.ts'

/** An app whose license key was created in test mode. */
async function activate(app: { isPackaged: boolean; testMode?: boolean }) {
  const emulator = await startEmulator({ accessToken: 'demo', face: 'lemon-squeezy' })
  onTestFinished(() => emulator.close())
  emulator.control.faults.inject({ fault: 'set-fields', fields: { 'license_key.test_mode': true } })
  const { baseUrl, settings, control, demoLicense } = emulator
  const { storeId = '', productId = '' } = settings
  const service = lemonSqueezy({ baseUrl, storeId, productId, testMode: app.testMode })
  const commerce = reach({ service, fetch, allowsTestLicense: !app.isPackaged })
  const device = createTestDevice(null, { service: commerce })
  await device.launch()
  const result = await device.core.activate(emulator.licenseKey)
  return { result, device, seats: control.keys(demoLicense.id).length }
}

test('a packaged app refuses a license key of test mode, and takes no seat', async () => {
  const { result, device, seats } = await activate({ isPackaged: true })
  expect(result).toMatchObject({ ok: false, problem: { code: 'test-license-key' } })
  expect(result.ok ? '' : result.problem.message).toContain('only for tests')
  expect(seats).toBe(0)
  expect(await device.recordOnDisk()).toMatchObject({ activation: null, wanted: null, owed: [] })
})

test.each([{ isPackaged: false }, { isPackaged: true, testMode: true }])(
  'an app that is tried out takes one: %o',
  async (app) => {
    const { result, seats } = await activate(app)
    expect(result).toMatchObject({ ok: true })
    expect(seats).toBe(1)
  },
)

test('an app behind a gateway says that the license key is of test mode, and takes no seat', async () => {
  const emulator = await startEmulator({ accessToken: 'demo', face: 'lemon-squeezy' })
  onTestFinished(() => emulator.close())
  emulator.control.faults.inject({ fault: 'set-fields', fields: { 'license_key.test_mode': true } })
  const gateway = createGateway({ upstream: upstreamOf(emulator) })
  const commerce = reachGateway({
    baseUrl: 'https://licenses.vendor.example/v1',
    licenseKeys: 'any',
    fetch: (request, init) => gateway(new Request(request, init)),
  })
  const device = createTestDevice(null, { service: commerce })
  await device.launch()
  const result = await device.core.activate(emulator.licenseKey)
  expect(result).toMatchObject({ ok: false, problem: { code: 'test-license-key' } })
  expect(emulator.control.keys(emulator.demoLicense.id)).toEqual([])
})
