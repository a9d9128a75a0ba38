import { randomUUID } from 'node:crypto'
import type { FaultRule } from '@latchkey/emulator'
import { beforeEach, describe, expect, test } from 'vitest'
import type { LicensingState } from '../../../src/shared/licensing-state.ts'
import { skipWaitsBeforeRetries } from '../../doubles/skip-waits.ts'
import { createTestDevice, dayMs, lost, scene, served, serviceForTests, type TestDevice } from '../fixture.ts'

describe('a listener', () => {
  test('gets every change with the previous state, without gaps', async () => {
    const { license, device } = await scene()
    const heard: (readonly [LicensingState, LicensingState])[] = []
    const before = device.state
    device.core.subscribe((state, previous) => heard.push([state, previous]))
    await device.core.activate(license.id)
    await device.core.deactivate()
    expect(heard.length).toBeGreaterThan(3)
    expect(heard[0]?.[1]).toBe(before)
    for (const [index, [state]] of heard.entries()) {
      expect(heard[index + 1]?.[1] ?? device.state).toBe(state)
    }
  })

  test('gets frozen states, and a new object only for a change', async () => {
    const { device } = await scene({ isActivated: true })
    const texts = device.states.map((state) => JSON.stringify(state))
    expect(texts.every((text, index) => text !== texts[index - 1])).toBe(true)
    expect(Object.isFrozen(device.state)).toBe(true)
    const { state } = device
    await device.core.devices()
    expect(device.state).toBe(state)
  })

  test('that is removed or throws does not affect the others, and its error is logged', async () => {
    const { license, device } = await scene()
    const heard: string[] = []
    const stop = device.core.subscribe(() => heard.push('removed'))
    stop()
    stop()
    device.core.subscribe(() => {
      throw new Error('the window is gone')
    })
    device.core.subscribe(() => {
      throw 'no error at all'
    })
    device.core.subscribe(() => heard.push('last'))
    expect(await device.core.activate(license.id)).toMatchObject({ ok: true })
    expect(new Set(heard)).toEqual(new Set(['last']))
    expect(device.logger.lines.join('\n')).toContain('A licensing listener threw: the window is gone')
  })

  test('that changes something gets that change after the first one', async () => {
    const { license, device } = await scene()
    let isFirst = true
    device.core.subscribe((state) => {
      if (!isFirst || state.status !== 'active' || state.activity !== 'idle') return
      isFirst = false
      void device.core.validate()
    })
    const heard: LicensingState[] = []
    device.core.subscribe((state) => heard.push(state))
    await device.core.activate(license.id)
    await device.settled()
    expect(heard.at(-1)).toBe(device.state)
    expect(heard).toEqual(device.states.slice(-heard.length))
  })

  test('gets the loss of the entitlement while the app runs', async () => {
    const { license, device } = await scene({ isActivated: true })
    const changes: string[] = []
    device.core.subscribe((state, previous) => {
      if (state.entitled !== previous.entitled) changes.push(`${previous.status} -> ${state.status}`)
    })
    license.isSuspended = true
    await device.elapse(2 * dayMs)
    expect(changes).toEqual(['active -> suspended'])
  })
})

describe('the log tells of', () => {
  const told = ({ logger }: TestDevice): readonly string[] =>
    logger.lines.filter((line) => line.startsWith('info ')).map((line) => line.slice(5))
  const masked = ({ id }: { readonly id: string }): string => `${id.slice(0, 4)}••••${id.slice(-4)}`

  test('an activation, and a deactivation whose seat is released later', async () => {
    const { license, device } = await scene({ isActivated: true, fates: { deactivate: [lost] } })
    const name = masked(license)
    expect(told(device)).toEqual([`Activated license ${name}`])
    await device.core.deactivate()
    await device.core.validate()
    expect(told(device).slice(1)).toEqual([
      `Deactivated license ${name}`,
      `A seat of license ${name} will be freed`,
      `Freed a seat of license ${name}`,
    ])
  })

  test('an existing activation that a reinstalled app adopts, once', async () => {
    const { license, service } = await scene({ isActivated: true })
    const again = createTestDevice(null, { service })
    await again.core.activate(license.id)
    await again.settled()
    await again.quit()
    await again.launch()
    expect(told(again)).toEqual([`Adopted this device's activation of license ${masked(license)}`])
  })

  test('grace that starts and ends, and the license that becomes active again', async () => {
    const { license, device, fates } = await scene({ isActivated: true, fates: { every: lost } })
    const name = masked(license)
    await device.elapse(16 * dayMs)
    expect(told(device).slice(1)).toEqual([
      expect.stringMatching(`^License ${name}: active, now grace, until \\d{4}-`),
      `License ${name}: grace, now unverified`,
    ])
    fates.every = served
    await device.core.validate()
    expect(told(device).at(-1)).toBe(`License ${name}: unverified, now active`)
  })

  test('a suspended license, and a device that another one released', async () => {
    const { license, device } = await scene({ isActivated: true })
    for (const isSuspended of [true, false]) {
      license.isSuspended = isSuspended
      await device.core.validate()
    }
    license.keys = []
    await device.core.validate()
    const name = masked(license)
    expect(told(device).slice(1)).toEqual([
      `License ${name}: active, now suspended`,
      `License ${name}: suspended, now active`,
      `License ${name}: active, now revoked`,
    ])
  })

  test('another device released from this one', async () => {
    const { model, license, device } = await scene({ isActivated: true })
    const other = model.addKey(license, 'Old laptop [0123456789abcdef]')
    await device.core.devices()
    expect(await device.core.releaseDevice(other.id)).toEqual({ ok: true })
    expect(told(device).slice(1)).toEqual([`Released a device of license ${masked(license)}`])
  })
})

const accessToken = 'sk_live_0123456789abcdef_do_not_show'

const service = await serviceForTests({ accessToken })

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
    service.control.faults.clear()
    if (trouble !== null) service.control.faults.inject(trouble)
    results.push(await device.core.activate(license.id))
    results.push(device.core.diagnose())
    results.push(await device.core.activate(other.id))
    results.push(await device.core.validate())
    results.push(await device.core.releaseDevice(randomUUID()))
    await device.elapse(dayMs)
    results.push(await device.core.deactivate())
  }
  service.control.faults.clear()
  results.push(await device.core.activate(license.id))
  device.store.failure = 'disk-full'
  results.push(await device.core.validate())
  device.store.write = () => Promise.reject(new Error(license.id))
  results.push(await device.core.validate())
  device.device.identify = () => Promise.reject(new Error(license.id))
  results.push(await device.launch())

  const keys = [license.id, other.id].flatMap((id) => service.control.keys(id).map((key) => key.id))
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
  service.control.faults.inject({ fault: 'status', status: 503, licenseId: license.id })
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
  service.control.suspend(license.id)
  const other = service.newLicense({ expires_at: null })
  await device.core.activate(other.id)
  service.control.suspend(other.id)
  await device.core.validate()
  service.control.faults.inject({ fault: 'reset', operation: ['activate', 'keys'], after: 1 })
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
