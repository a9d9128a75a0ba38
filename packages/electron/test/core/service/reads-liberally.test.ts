import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createTestDevice, startTestService, type TestService } from '../fixture.ts'

/** The largest 64-bit integer. JSON can contain it, but JavaScript numbers lose digits. */
const huge = Number('9223372036854775807')

describe('a response without optional fields', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService()
  })
  beforeEach(() => service.emulator.control.reset())
  afterAll(() => service.emulator.close())

  function setFields(fields: Record<string, unknown>): void {
    service.emulator.control.faults.inject({
      fault: 'set-fields',
      fields,
      operation: ['activate', 'validate'],
    })
  }

  function dropFields(...fields: string[]): void {
    service.emulator.control.faults.inject({
      fault: 'missing-fields',
      fields,
      operation: ['activate', 'validate'],
    })
  }

  test.each([
    ['a limit of null', () => setFields({ 'license.activation_limit': null }), { activationLimit: null }],
    ['a huge limit', () => setFields({ 'license.activation_limit': huge }), { activationLimit: null }],
    ['a limit in words', () => setFields({ 'license.activation_limit': 'ten' }), { activationLimit: null }],
    ['no limit', () => dropFields('license.activation_limit'), { activationLimit: null }],
    ['a usage of null', () => setFields({ 'license.activation_usage': null }), { activationUsage: null }],
    ['no usage', () => dropFields('license.activation_usage'), { activationUsage: null }],
    ['no formatted usage', () => dropFields('license.activation_usage_formatted'), {}],
    ['a formatted usage of null', () => setFields({ 'license.activation_usage_formatted': null }), {}],
    ['no time of its last change', () => dropFields('license.updated_at', 'key.updated_at'), {}],
    ['null for its last change', () => setFields({ 'license.updated_at': null, 'key.updated_at': null }), {}],
    ['no key name', () => dropFields('key.name'), {}],
    ['no end', () => dropFields('license.expires_at'), { expiresAt: null }],
    ['no suspension', () => dropFields('license.suspended_at'), {}],
    ['an end that is a bare day', () => setFields({ 'license.expires_at': '2999-12-31' }), {}],
    ['an end without a zone', () => setFields({ 'license.expires_at': '2999-12-31 10:00:00' }), {}],
  ])('activates and stays active: %s', async (_what, spoil, summary) => {
    const license = service.newLicense({ activation_limit: 2 })
    const device = createTestDevice(service)
    spoil()
    expect(await device.core.activate(license.id)).toMatchObject({
      ok: true,
      state: { status: 'active', license: summary },
    })
    expect(await device.launch()).toMatchObject({ status: 'active', problem: null, license: summary })
    expect(service.seats(license.id)).toHaveLength(1)
    const isUnknown = 'activationLimit' in summary || 'activationUsage' in summary
    expect(device.core.diagnose().join('\n').includes('unknown')).toBe(isUnknown)
    // The record with unknown fields opens again without the service.
    await device.quit()
    expect(await device.decide()).toMatchObject({ status: 'active', license: summary })
  })

  test.each(['0000-00-00 00:00:00', '2026-02-30T00:00:00.000000Z', 'soon', '', 0, false])(
    'an end of %j is an unreadable response, never a perpetual license',
    async (end) => {
      const license = service.newLicense()
      const device = createTestDevice(service)
      await device.core.activate(license.id)
      setFields({ 'license.expires_at': end })
      expect(await device.launch()).toMatchObject({ status: 'grace', problem: { code: 'unexpected-answer' } })
    },
  )

  test('finds its own key in a list with an unreadable item', async () => {
    const license = service.newLicense({ activation_limit: 2 })
    service.emulator.control.addKey(license.id, 'Somebody else')
    const device = createTestDevice(service)
    await device.core.activate(license.id)
    for (const fields of [{ 'data.0.name': null }, { 'data.0.id': 7 }, { 'data.0': null }]) {
      service.emulator.control.faults.clear()
      service.emulator.control.faults.inject({ fault: 'set-fields', fields, operation: 'keys' })
      const { machineId } = device.device
      const again = createTestDevice(service, { device: { machineId } })
      expect(await again.core.activate(license.id)).toMatchObject({ ok: true })
      expect(service.seats(license.id)).toHaveLength(2)
    }
  })

  test('lists devices without an activation date', async () => {
    const license = service.newLicense({ activation_limit: 2 })
    service.emulator.control.addKey(license.id, 'Old laptop')
    const device = createTestDevice(service, { device: { machineId: randomUUID() } })
    await device.core.activate(license.id)
    service.emulator.control.faults.inject({
      fault: 'set-fields',
      fields: { 'data.0.created_at': null },
      operation: 'keys',
    })
    expect(await device.core.devices()).toMatchObject({
      ok: true,
      devices: [{ label: 'Old laptop', activatedAt: null }, { isThisDevice: true }],
    })
  })
})
