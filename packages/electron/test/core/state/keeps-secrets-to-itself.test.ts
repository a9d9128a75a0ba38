import { randomUUID } from 'node:crypto'
import type { FaultRule } from '@latchkey/emulator'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { skipWaitsBeforeRetries } from '../../doubles/skip-waits.ts'
import { createTestDevice, dayMs, startTestService, type TestDevice, type TestService } from '../fixture.ts'

const accessToken = 'sk_live_0123456789abcdef_do_not_show'

let service: TestService
beforeAll(async () => {
  service = await startTestService({ accessToken })
})
beforeEach(() => service.emulator.control.reset())
afterAll(() => service.emulator.close())

/** All output of a device: states, results, logs and the support report. */
function utterances(device: TestDevice, results: readonly unknown[]): string {
  return JSON.stringify([device.states, device.state, device.logger.lines, device.core.diagnose(), results])
}

const troubles: readonly FaultRule[] = [
  { fault: 'reset' },
  { fault: 'status', status: 401 },
  { fault: 'status', status: 404 },
  { fault: 'status', status: 422 },
  { fault: 'status', status: 500 },
  { fault: 'html' },
  { fault: 'truncated' },
  { fault: 'wrong-types', fields: ['license.id', 'key.id', 'data.*.id'] },
]

beforeEach(skipWaitsBeforeRetries)

test('no state, result, log line or report contains the access token, the license key or the key id', async () => {
  const license = service.newLicense({ activation_limit: 2 })
  const other = service.newLicense({ activation_limit: 1, keys: ['Tower'] })
  const device = createTestDevice(service)
  const results: unknown[] = []
  await device.launch()
  for (const trouble of [null, ...troubles]) {
    service.emulator.control.faults.clear()
    if (trouble !== null) service.emulator.control.faults.inject(trouble)
    results.push(await device.core.activate(license.id))
    results.push(device.core.diagnose())
    results.push(await device.core.activate(other.id))
    results.push(await device.core.validate())
    results.push(await device.core.releaseDevice(randomUUID()))
    await device.elapse(dayMs)
    results.push(await device.core.deactivate())
  }
  service.emulator.control.faults.clear()
  results.push(await device.core.activate(license.id))
  device.store.failure = 'disk-full'
  results.push(await device.core.validate())
  device.store.write = () => Promise.reject(new Error(license.id))
  results.push(await device.core.validate())
  device.device.identify = () => Promise.reject(new Error(license.id))
  results.push(await device.launch())

  const keys = [license.id, other.id].flatMap((id) => service.emulator.control.keys(id).map((key) => key.id))
  const said = utterances(device, results).toLowerCase()
  expect(said.length).toBeGreaterThan(1000)
  for (const secret of [accessToken, license.id, other.id, ...keys]) expect(said).not.toContain(secret)
  expect(said).toContain(`${license.id.slice(0, 4)}••••${license.id.slice(-4)}`)
})

test('the report contains what support needs', async () => {
  const license = service.newLicense()
  const device = createTestDevice(service, { rules: { trialMs: dayMs } })
  await device.launch()
  const before = device.core.diagnose().join('\n')
  expect(before).toContain('license: none')
  expect(before).toMatch(/^status: trial \(entitled: yes, until 20.*Z\), activity: idle$/m)
  expect(before).toContain(Reflect.get(device.state, 'trialEndsAt'))
  expect(before).toMatch(/trial started: 20/)
  await device.core.activate(license.id)
  service.emulator.control.faults.inject({ fault: 'status', status: 503, licenseId: license.id })
  await device.core.validate()
  await device.core.activate(license.id)
  const report = device.core.diagnose().join('\n')
  expect(report).toMatch(/^status: grace \(entitled: yes, until 20.*Z\), activity: idle$/m)
  expect(report).toContain(Reflect.get(device.state, 'graceEndsAt'))
  expect(report).toMatch(/^last definite answer: valid at 20.*Z$/m)
  expect(report).toMatch(/^license facts: status ACTIVE, seats 1\/3, expires 20.*$/m)
  expect(report).toMatch(/^pending activation: .*, not sent$/m)
  expect(report).toMatch(/^seats waiting to be freed: 0$/m)
  expect(report).toMatch(/^device: Work laptop \[[0-9a-f]{16}\]$/m)
  expect(report).toMatch(/^storage: keychain$/m)
  expect(report).toMatch(/^wall clock against high-water mark: -?\d+ s$/m)
  expect(report).toMatch(/^problem: service-error$/m)
  expect(report).toMatch(/^ {2}20.*Z validate: service-error \(status 503\)$/m)
  expect(report).toMatch(/^ {2}20.*Z activate: ok$/m)
})

test('the report shows a computer that is not identified yet, and a license without an end', async () => {
  const license = service.newLicense({ expires_at: null })
  const device = createTestDevice(service)
  const { identify } = device.device
  device.device.identify = () => new Promise(() => {})
  await device.decide()
  expect(device.core.diagnose()).toContain('device: not identified yet')

  device.device.identify = identify
  await device.launch()
  service.emulator.control.suspend(license.id)
  const other = service.newLicense({ expires_at: null })
  await device.core.activate(other.id)
  service.emulator.control.suspend(other.id)
  await device.core.validate()
  service.emulator.control.faults.inject({ fault: 'reset', operation: ['activate', 'keys'], after: 1 })
  await device.core.activate(license.id)
  const report = device.core.diagnose().join('\n')
  expect(report).toMatch(/^license facts: status .*, seats 1\/3, expires never$/m)
  expect(report).toMatch(/^pending activation: .*, sent$/m)
})

test('the report contains the last ten outcomes', async () => {
  const device = createTestDevice(service)
  await device.launch()
  expect(device.core.diagnose().at(-1)).toBe('last outcomes:')
  await device.core.activate(service.newLicense().id)
  for (let check = 0; check < 15; check += 1) await device.core.validate()
  const lines = device.core.diagnose()
  expect(lines.slice(lines.indexOf('last outcomes:') + 1)).toHaveLength(10)
  expect(lines.at(-1)).toContain('validate: ok')
})
