import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDevice, dayMs, startTestService, type TestDevice, type TestService } from '../fixture.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.emulator.close())

const told = ({ logger }: TestDevice): readonly string[] =>
  logger.lines.filter((line) => line.startsWith('info ')).map((line) => line.slice(5))

const masked = (id: string): string => `${id.slice(0, 4)}••••${id.slice(-4)}`

test('an activation, and a deactivation whose seat is released later', async () => {
  const license = service.newLicense()
  const device = createTestDevice(service)
  await device.launch()
  expect(told(device)).toEqual([])
  await device.core.activate(license.id)
  await device.settled()
  expect(told(device)).toEqual([`Activated license ${masked(license.id)}`])
  service.emulator.control.faults.inject({ fault: 'reset', licenseId: license.id })
  await device.core.deactivate()
  service.emulator.control.faults.clear()
  await device.core.validate()
  expect(told(device).slice(1)).toEqual([
    `Deactivated license ${masked(license.id)}`,
    `A seat of license ${masked(license.id)} will be freed`,
    `Freed a seat of license ${masked(license.id)}`,
  ])
  expect(told(device).join()).not.toContain(license.id)
})

test('a reinstalled app adopts the existing activation', async () => {
  const license = service.newLicense()
  const device = createTestDevice(service)
  await device.core.activate(license.id)
  await device.quit()
  const again = createTestDevice(service)
  await again.core.activate(license.id)
  expect(told(again)).toEqual([`Adopted this device's activation of license ${masked(license.id)}`])
  await again.settled()
  await again.quit()
  await again.launch()
  expect(told(again)).toHaveLength(1)
})

test('grace that starts and ends, and the license that becomes active again', async () => {
  const license = service.newLicense({ expires_at: null })
  const device = createTestDevice(service)
  await device.core.activate(license.id)
  await device.settled()
  service.emulator.control.faults.inject({ fault: 'reset', licenseId: license.id })
  await device.elapse(16 * dayMs)
  const name = masked(license.id)
  expect(told(device).slice(1)).toEqual([
    expect.stringMatching(`^License ${name}: active, now grace, until \\d{4}-`),
    `License ${name}: grace, now unverified`,
  ])
  service.emulator.control.faults.clear()
  await device.core.validate()
  expect(told(device).at(-1)).toBe(`License ${name}: unverified, now active`)
})

test('a suspended license, and a device that another one released', async () => {
  const license = service.newLicense()
  const device = createTestDevice(service)
  await device.core.activate(license.id)
  await device.settled()
  service.emulator.control.suspend(license.id)
  await device.core.validate()
  service.emulator.control.reinstate(license.id)
  await device.core.validate()
  for (const { id } of service.emulator.control.keys(license.id)) {
    service.emulator.control.removeKey(license.id, id)
  }
  await device.core.validate()
  expect(told(device).slice(1)).toEqual([
    `License ${masked(license.id)}: active, now suspended`,
    `License ${masked(license.id)}: suspended, now active`,
    `License ${masked(license.id)}: active, now revoked`,
  ])
})

test('another device released from this one', async () => {
  const license = service.newLicense()
  const other = service.emulator.control.addKey(license.id, 'Old laptop [0123456789abcdef]')
  const device = createTestDevice(service)
  await device.core.activate(license.id)
  await device.settled()
  await device.core.devices()
  expect(await device.core.releaseDevice(other.id)).toEqual({ ok: true })
  expect(told(device).slice(1)).toEqual([`Released a device of license ${masked(license.id)}`])
})
