import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDevice, dayMs, startTestService, type TestDevice, type TestService } from '../fixture.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.emulator.close())

/** A device whose app is painted only when the test decides. */
function deviceThatStartsSlowly(): { device: TestDevice; paint: () => void } {
  let paint = (): void => {}
  const device = createTestDevice(service, {
    whenPainted: () =>
      new Promise<void>((resolve) => {
        paint = resolve
      }),
  })
  return { device, paint: () => paint() }
}

test('an entitled device sends its check after the app is painted', async () => {
  const license = service.newLicense()
  const { device, paint } = deviceThatStartsSlowly()
  await device.core.activate(license.id)
  await device.quit()
  const before = service.asked(license.id).length
  await device.launch()
  expect(device.state).toMatchObject({ status: 'active', activity: 'idle' })
  expect(service.asked(license.id)).toHaveLength(before)
  paint()
  await device.settled()
  await expect.poll(() => service.asked(license.id).slice(before)).toEqual(['validate'])
})

test('a device that is not entitled checks immediately', async () => {
  const license = service.newLicense()
  const { device } = deviceThatStartsSlowly()
  await device.core.activate(license.id)
  service.emulator.control.suspend(license.id)
  expect(await device.core.validate()).toMatchObject({ entitled: false })
  await device.quit()
  service.emulator.control.reinstate(license.id)
  expect(await device.launch()).toMatchObject({ status: 'active', entitled: true })
})

test('an interrupted activation continues immediately', async () => {
  const license = service.newLicense()
  const { device } = deviceThatStartsSlowly()
  service.emulator.control.faults.inject({ fault: 'reset', licenseId: license.id })
  expect(await device.core.activate(license.id)).toMatchObject({ ok: false })
  service.emulator.control.faults.clear()
  device.kill()
  expect(await device.launch()).toMatchObject({ status: 'active' })
})

test('a check by the user replaces the one after the app is painted', async () => {
  const license = service.newLicense()
  const { device, paint } = deviceThatStartsSlowly()
  await device.core.activate(license.id)
  await device.quit()
  await device.launch()
  const before = service.asked(license.id).length
  await device.core.validate()
  paint()
  await device.settled()
  await device.settled()
  expect(service.asked(license.id).slice(before)).toEqual(['validate'])
  await device.elapse(1.2 * dayMs)
  expect(service.asked(license.id).length).toBeGreaterThan(before + 1)
})

test('an app that quits before it is painted sends nothing', async () => {
  const license = service.newLicense()
  const { device, paint } = deviceThatStartsSlowly()
  await device.core.activate(license.id)
  await device.quit()
  await device.launch()
  const before = service.asked(license.id).length
  await device.core.dispose()
  paint()
  await device.settled()
  expect(service.asked(license.id)).toHaveLength(before)
})
