import { randomUUID } from 'node:crypto'
import type { DialectName, FaultRule, LicensePatch } from '@latchkey/emulator'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createTestDevice, dayMs, startTestService, type TestService } from './fixture.ts'
import { createServiceModel, type Fate } from './service-model.ts'

/** One row of the design's table: what validate answers, and how it is read. */
interface Row {
  readonly answer: string
  readonly patch?: LicensePatch
  readonly fault?: FaultRule
  readonly status: string
  readonly entitled: boolean
  readonly code: string | null
  /** What is asked besides. */
  readonly asks: readonly string[]
}

const past = '2020-01-01T00:00:00.000000Z'
const inTenDays = new Date(Date.now() + 10 * dayMs).toISOString()
const valid = { status: 'active', entitled: true, code: null, asks: ['validate'] }
const unreachable = (code: string) => ({ status: 'grace', entitled: true, code, asks: ['validate'] })
const once = { operation: 'validate' } as const
const status = (code: number, rest: object = {}): FaultRule => ({
  ...once,
  fault: 'status',
  status: code,
  ...rest,
})

const rows: readonly Row[] = [
  // 2xx, the schema holds
  { answer: '2xx, ACTIVE, not suspended, expiry ahead', ...valid },
  { answer: '2xx, no expiry at all', patch: { expires_at: null }, ...valid },
  {
    answer: '2xx, expired',
    patch: { expires_at: past },
    ...valid,
    status: 'expired',
    entitled: false,
    code: 'license-expired',
  },
  {
    answer: '2xx, expired, and no date beside it',
    patch: { expires_at: past },
    fault: { ...once, fault: 'date-missing' },
    ...valid,
  },
  {
    answer: '2xx, expired, and a date the computer’s clock contradicts',
    patch: { expires_at: inTenDays },
    fault: { ...once, fault: 'date-shift', shiftMs: 400 * dayMs },
    ...valid,
  },
  {
    answer: '2xx, suspended',
    patch: { suspended_at: past },
    ...valid,
    status: 'suspended',
    entitled: false,
    code: 'license-suspended',
  },
  {
    answer: '2xx, suspended and expired',
    patch: { suspended_at: past, expires_at: past },
    ...valid,
    status: 'suspended',
    entitled: false,
    code: 'license-suspended',
  },
  {
    answer: '2xx, another status',
    patch: { status: 'PAUSED' },
    ...valid,
    status: 'inactive',
    entitled: false,
    code: 'license-inactive',
  },
  {
    answer: '2xx, an unknown field more',
    fault: { ...once, fault: 'set-fields', fields: { 'license.new': 1 } },
    ...valid,
  },
  {
    answer: '2xx, another content type',
    fault: { ...once, fault: 'content-type', contentType: 'text/html' },
    ...valid,
  },
  // 2xx, the schema does not hold
  { answer: '2xx, a portal’s page', fault: { ...once, fault: 'html' }, ...unreachable('unexpected-answer') },
  { answer: '2xx, nothing', fault: { ...once, fault: 'empty' }, ...unreachable('unexpected-answer') },
  { answer: '204', fault: { ...once, fault: 'no-content' }, ...unreachable('unexpected-answer') },
  {
    answer: '2xx, truncated JSON',
    fault: { ...once, fault: 'truncated' },
    ...unreachable('incomplete-answer'),
  },
  {
    answer: '2xx, a field missing',
    fault: { ...once, fault: 'missing-fields', fields: ['license.status'] },
    ...unreachable('unexpected-answer'),
  },
  {
    answer: '2xx, a field of another type',
    fault: { ...once, fault: 'wrong-types', fields: ['license.suspended_at'] },
    ...unreachable('unexpected-answer'),
  },
  {
    answer: '2xx, an expiry nobody can read',
    fault: { ...once, fault: 'set-fields', fields: { 'license.expires_at': 'soon' } },
    ...unreachable('unexpected-answer'),
  },
  { answer: '302', fault: { ...once, fault: 'redirect' }, ...unreachable('unexpected-answer') },
  // Refusals: the key itself is asked for
  ...[400, 404, 410, 422, 409].map((code) => ({
    answer: `${code}, and the key is shown`,
    fault: status(code),
    status: 'grace',
    entitled: true,
    code: 'unconfirmed',
    asks: [`validate ${code}`, 'key'],
  })),
  // Not the user's fault
  ...[401, 403].map((code) => ({
    answer: `${code}`,
    fault: status(code),
    ...unreachable('unauthorized'),
  })),
  // A fetch by the book makes a network error of it before anyone sees the status.
  { answer: '407', fault: status(407), ...unreachable('offline') },
  // Out of reach
  { answer: '408', fault: status(408), ...unreachable('timeout') },
  { answer: '425', fault: status(425), ...unreachable('service-error') },
  { answer: '429', fault: status(429, { retryAfterSeconds: 60 }), ...unreachable('rate-limited') },
  { answer: '500', fault: status(500), ...unreachable('service-error') },
  { answer: '503', fault: status(503, { body: 'html' }), ...unreachable('service-error') },
  { answer: 'a reset', fault: { ...once, fault: 'reset' }, ...unreachable('offline') },
  {
    answer: 'a connection that ends in the body',
    fault: { ...once, fault: 'cut' },
    ...unreachable('incomplete-answer'),
  },
]

const dialectNames: readonly DialectName[] = ['default', 'strict', 'plain']

describe('the reading of an answer to validate', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService()
  })
  beforeEach(() => service.emulator.control.reset())
  afterAll(() => service.emulator.close())

  test.each(rows)('$answer: $status, $code', async ({ patch, fault, asks, ...row }) => {
    const { answer: _, ...expected } = row
    const license = service.newLicense()
    const device = createTestDevice(service)
    await device.core.activate(license.id)
    await device.quit()
    const { activation } = await device.vaultOnDisk()
    if (patch !== undefined) service.emulator.control.updateLicense(license.id, patch)
    if (fault !== undefined) service.emulator.control.faults.inject(fault)
    const before = service.asked(license.id).length

    const state = await device.launch()
    const { status: seen, entitled, problem } = state
    expect({ status: seen, entitled, code: problem?.code ?? null }).toEqual(expected)
    const asked = service
      .asked(license.id)
      .slice(before)
      .map((line) => line.replace(/^validate (cut|[1235]\d\d|40[1378]|42[59])$/, 'validate'))
    expect(asked).toEqual(asks)
    expect(service.seats(license.id)).toHaveLength(1)
    // Whatever is not the service's word leaves the record as it was.
    if (expected.status === 'grace') expect((await device.vaultOnDisk()).activation).toEqual(activation)
  })

  test.each([
    [407, true, 'unauthorized'],
    [418, false, 'unconfirmed'],
    [413, true, 'unconfirmed'],
  ] as const)('a status no fetch or emulator hands on: %d', async (code, isJson, expected) => {
    const model = createServiceModel(Date.now)
    const license = model.addLicense(1)
    let fate: Fate = { kind: 'served' }
    const commerce = model.reachedBy((operation) => (operation === 'validate' ? fate : { kind: 'served' }))
    const device = createTestDevice(null, { commerce })
    await device.core.activate(license.id)
    fate = { kind: 'status', status: code, isJson }
    expect(await device.launch()).toMatchObject({ status: 'grace', problem: { code: expected } })
  })

  test('a slow answer is out of reach after the configured time', async () => {
    const license = service.newLicense()
    const patient = createTestDevice(service)
    await patient.core.activate(license.id)
    const { store, secrets } = patient
    const device = createTestDevice(service, { store, secrets, timeoutMs: 300 })
    service.emulator.control.faults.inject({ ...once, fault: 'timeout' })
    expect(await device.launch()).toMatchObject({ status: 'grace', problem: { code: 'timeout' } })
  })
})

describe('two sources before a key counts as gone', () => {
  /** What *validate* and *show key* answer, and whether that revokes. */
  const gone = [
    ['404 JSON', { fault: 'status', status: 404 }, true],
    ['410 JSON', { fault: 'status', status: 410 }, true],
    ['404 text', { fault: 'status', status: 404, body: 'text' }, false],
    ['410 HTML', { fault: 'status', status: 410, body: 'html' }, false],
    ['404 empty', { fault: 'status', status: 404, body: 'empty' }, false],
    ['400', { fault: 'status', status: 400 }, false],
    ['403', { fault: 'status', status: 403 }, false],
    ['422', { fault: 'status', status: 422 }, false],
    ['500', { fault: 'status', status: 500 }, false],
    ['a reset', { fault: 'reset' }, false],
    ['a page', { fault: 'html' }, false],
  ] as const

  let service: TestService
  beforeAll(async () => {
    service = await startTestService()
  })
  beforeEach(() => service.emulator.control.reset())
  afterAll(() => service.emulator.close())

  test.each(gone)('refused by validate, and show key says %s', async (_what, fault, isRevoked) => {
    const license = service.newLicense()
    const device = createTestDevice(service)
    await device.core.activate(license.id)
    for (const code of [400, 404, 410, 422]) {
      service.emulator.control.faults.clear()
      service.emulator.control.faults.inject({
        fault: 'status',
        status: code,
        body: 'text',
        operation: 'validate',
      })
      service.emulator.control.faults.inject({ ...fault, operation: 'key' })
      const { status: seen, entitled } = await device.launch()
      expect([code, seen, entitled]).toEqual([code, isRevoked ? 'revoked' : 'grace', !isRevoked])
    }
  })

  test('a second source that refuses too is told as unclear, with the status it said', async () => {
    const license = service.newLicense()
    const device = createTestDevice(service)
    await device.core.activate(license.id)
    service.emulator.control.faults.inject({ fault: 'status', status: 422, operation: ['validate', 'key'] })
    expect(await device.launch()).toMatchObject({ problem: { code: 'unconfirmed', httpStatus: 422 } })
  })

  test('however firmly validate is unreachable or unauthorized, show key is not even asked', async () => {
    const license = service.newLicense()
    const device = createTestDevice(service)
    await device.core.activate(license.id)
    service.emulator.control.faults.inject({ fault: 'status', status: 404, operation: 'key' })
    for (const code of [401, 403, 407, 408, 429, 500, 503]) {
      service.emulator.control.faults.inject({
        fault: 'status',
        status: code,
        operation: 'validate',
        times: 1,
      })
      expect(await device.launch()).toMatchObject({ status: 'grace', entitled: true })
    }
    expect(service.asked(license.id).filter((line) => line.startsWith('key '))).toEqual([])
  })
})

test.each(dialectNames)(
  'a service that speaks %s is understood from activation to release',
  async (dialect) => {
    const service = await startTestService({ dialect })
    const license = service.newLicense({ activation_limit: 2 })
    const device = createTestDevice(service)
    const other = createTestDevice(service, { device: { machineId: randomUUID(), label: 'Other' } })
    expect(await device.core.activate(license.id)).toMatchObject({ ok: true })
    expect(await other.core.activate(license.id)).toMatchObject({ ok: true })
    expect(await device.launch()).toMatchObject({ status: 'active' })
    const listed = await other.core.devices()
    const mine = listed.ok ? listed.devices.find((entry) => !entry.isThisDevice) : undefined
    expect(await other.core.releaseDevice(mine?.id ?? '')).toEqual({ ok: true })
    // The plain service says 400 to whatever it does not know: that is no proof that the key is gone.
    expect(await device.launch()).toMatchObject({ status: dialect === 'plain' ? 'grace' : 'revoked' })
    expect(await other.core.deactivate()).toMatchObject({ ok: true, seat: 'freed' })
    expect(service.seats(license.id)).toEqual([])
    await service.emulator.close()
  },
)

test('the developer is told loudly when the app’s access is refused', async () => {
  const service = await startTestService()
  const license = service.newLicense()
  const device = createTestDevice(service)
  await device.core.activate(license.id)
  service.emulator.control.faults.inject({ fault: 'status', status: 401 })
  await device.launch()
  expect(device.logger.lines.filter((line) => line.startsWith('error '))).toEqual([
    expect.stringContaining('(validate): unauthorized (status 401). Check the access token or gateway'),
  ])
  await service.emulator.close()
})
