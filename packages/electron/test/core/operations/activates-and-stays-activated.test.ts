import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDevice, startTestService, type TestService } from '../fixture.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.emulator.close())

test('a pasted license key uses one seat, named after the device, and the next launch is entitled immediately', async () => {
  const license = service.newLicense()
  const device = createTestDevice(service)
  expect((await device.launch()).status).toBe('unlicensed')

  const result = await device.core.activate(`Your key:\n  ${license.id.toUpperCase()} \u200b`)
  expect(result).toMatchObject({ ok: true, state: { status: 'active', entitled: true, activity: 'idle' } })
  expect(service.seats(license.id)).toEqual([expect.stringMatching(/^Work laptop \[[0-9a-f]{16}\]$/)])

  expect(await device.decide()).toMatchObject({ status: 'active', entitled: true, problem: null })
})

test('a normal launch sends exactly one request', async () => {
  const license = service.newLicense()
  const device = createTestDevice(service)
  await device.launch()
  await device.core.activate(license.id)
  await device.quit()
  const before = service.asked(license.id).length
  await device.launch()
  expect(service.asked(license.id).slice(before)).toEqual(['validate'])
})

test('a launch without an activation sends no request', async () => {
  const before = service.emulator.control.requests().length
  await createTestDevice(service).launch()
  expect(service.emulator.control.requests()).toHaveLength(before)
})

test.each([
  ['', 'empty-text'],
  [' \n\u200b', 'empty-text'],
  ['hello', 'no-license-key'],
  ['1f0a1111-2222-4333-8444-555566667777 1f0a1111-2222-4333-8444-555566667778', 'several-license-keys'],
  ['x'.repeat(1_000_000), 'text-too-long'],
])('text without a key (%.20j) is detected and neither sent nor stored', async (text, code) => {
  const device = createTestDevice(service)
  await device.launch()
  const before = service.emulator.control.requests().length
  expect(await device.core.activate(text)).toMatchObject({ ok: false, problem: { code } })
  expect(service.emulator.control.requests()).toHaveLength(before)
  expect(device.store.writes).toBe(0)
})

test.each([
  [undefined, 'empty-text'],
  [null, 'empty-text'],
  [7, 'no-license-key'],
])('an app in plain JavaScript may pass %j in place of a text', async (given, code) => {
  const device = createTestDevice(service)
  await device.launch()
  const { core } = device
  expect(await Reflect.apply(core.activate, core, [given])).toMatchObject({ ok: false, problem: { code } })
  expect(device.logger.lines).toContainEqual(expect.stringContaining('take the license key as a text'))
})
