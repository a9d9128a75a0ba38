import { randomUUID } from 'node:crypto'
import type { FaultRule, LicensePatch } from '@latchkey/emulator'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { dialects } from '../../../../emulator/test/dialects.ts'
import { skipWaitsBeforeRetries } from '../../doubles/skip-waits.ts'
import { createTestDevice, dayMs, startTestService, type TestService } from '../fixture.ts'
import { createServiceModel, type Fate } from '../service-model.ts'

/** An answer to *validate*, and how it is read. */
interface Row {
  readonly answer: string
  readonly patch?: LicensePatch
  readonly fault?: FaultRule
  readonly status: string
  readonly entitled: boolean
  readonly code: string | null
  /** Further requests. */
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
  // Refusals: followed by *show key*
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
    answer: `${code}, and the key is listed`,
    fault: status(code),
    ...unreachable('unauthorized'),
    asks: ['validate', 'keys'],
  })),
  // A standard fetch turns it into a network error without a status.
  { answer: '407', fault: status(407), ...unreachable('offline') },
  // Unreachable
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

beforeEach(skipWaitsBeforeRetries)

describe('the result of a response to validate', () => {
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
    const { activation } = await device.recordOnDisk()
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
    // Anything but a definite answer leaves the record unchanged.
    if (expected.status === 'grace') expect((await device.recordOnDisk()).activation).toEqual(activation)
  })

  test.each([
    [407, true, 'unauthorized'],
    [418, false, 'unconfirmed'],
    [413, true, 'unconfirmed'],
  ] as const)('a status that fetch and the emulator do not pass on: %d', async (code, isJson, expected) => {
    const model = createServiceModel(Date.now)
    const license = model.addLicense(1)
    let fate: Fate = { kind: 'served' }
    const reached = model.reachedBy((operation) => (operation === 'validate' ? fate : { kind: 'served' }))
    const device = createTestDevice(null, { service: reached })
    await device.core.activate(license.id)
    fate = { kind: 'status', status: code, isJson }
    expect(await device.launch()).toMatchObject({ status: 'grace', problem: { code: expected } })
  })

  test('a slow response counts as unreachable after the timeout', async () => {
    const license = service.newLicense()
    const patient = createTestDevice(service)
    await patient.core.activate(license.id)
    const { store, secrets } = patient
    const device = createTestDevice(service, { store, secrets, timeoutMs: 300 })
    service.emulator.control.faults.inject({ ...once, fault: 'timeout' })
    expect(await device.launch()).toMatchObject({ status: 'grace', problem: { code: 'timeout' } })
  })
})

describe('the proof that a key is gone', () => {
  const noProof = [
    ['404 JSON', { fault: 'status', status: 404 }],
    ['410 JSON', { fault: 'status', status: 410 }],
    ['404 text', { fault: 'status', status: 404, body: 'text' }],
    ['404 empty', { fault: 'status', status: 404, body: 'empty' }],
    ['400', { fault: 'status', status: 400 }],
    ['401', { fault: 'status', status: 401 }],
    ['403', { fault: 'status', status: 403 }],
    ['422', { fault: 'status', status: 422 }],
    ['429', { fault: 'status', status: 429 }],
    ['500', { fault: 'status', status: 500 }],
    ['a reset', { fault: 'reset' }],
    ['a page', { fault: 'html' }],
    ['nothing', { fault: 'empty' }],
    ['204', { fault: 'no-content' }],
    ['JSON of another shape', { fault: 'set-fields', fields: { data: null } }],
    ['a list with an item nobody can read', { fault: 'set-fields', fields: { 'data.0.id': 7 } }],
    ['a list that says it is longer', { fault: 'set-fields', fields: { meta: { total: 9 } } }],
    [
      'a page of a list without the next',
      { fault: 'set-fields', fields: { meta: { current_page: 1, last_page: 2 } } },
    ],
  ] as const

  let service: TestService
  beforeAll(async () => {
    service = await startTestService()
  })
  beforeEach(() => service.emulator.control.reset())
  afterAll(() => service.emulator.close())

  async function released(): Promise<{ device: ReturnType<typeof createTestDevice>; licenseId: string }> {
    const { id: licenseId } = service.newLicense({ activation_limit: 3, keys: ['one', 'two'] })
    const device = createTestDevice(service)
    await device.core.activate(licenseId)
    const { activation } = await device.recordOnDisk()
    service.emulator.control.removeKey(licenseId, activation?.activationId ?? '')
    return { device, licenseId }
  }

  test.each([400, 401, 403, 404, 409, 410, 422])(
    'is a list without the key, after a %d to validate',
    async (status) => {
      const { device } = await released()
      service.emulator.control.faults.inject({ fault: 'status', status, operation: 'validate' })
      expect(await device.launch()).toMatchObject({ status: 'revoked', entitled: false })
    },
  )

  test.each(noProof)('is not %s in the place of the list', async (_what, fault) => {
    const { device } = await released()
    service.emulator.control.faults.inject({ ...fault, operation: 'keys' })
    for (const status of [400, 401, 403, 404, 410, 422]) {
      const rule = service.emulator.control.faults.inject({ fault: 'status', status, operation: 'validate' })
      expect(await device.launch()).toMatchObject({ status: 'grace', entitled: true })
      service.emulator.control.faults.remove(rule.id)
    }
    service.emulator.control.faults.clear()
    expect(await device.launch()).toMatchObject({ status: 'revoked', entitled: false })
  })

  test('does not exist if the key is listed: a 403 to validate keeps the record and reports unauthorized', async () => {
    const license = service.newLicense()
    const device = createTestDevice(service)
    await device.core.activate(license.id)
    service.emulator.control.faults.inject({ fault: 'status', status: 403, operation: 'validate' })
    expect(await device.launch()).toMatchObject({ status: 'grace', problem: { code: 'unauthorized' } })
  })

  test.each([
    ['another key', { 'key.id': '00000000-0000-4000-8000-000000000001' }],
    ['another license', { 'license.id': '00000000-0000-4000-8000-000000000001' }],
    [
      'another license, which is suspended',
      {
        'license.id': '00000000-0000-4000-8000-000000000001',
        'license.suspended_at': '2020-01-01T00:00:00.000000Z',
      },
    ],
  ])('a response about %s is ignored', async (_what, fields) => {
    const license = service.newLicense()
    const device = createTestDevice(service)
    await device.core.activate(license.id)
    const rule = service.emulator.control.faults.inject({
      fault: 'set-fields',
      fields,
      operation: 'validate',
    })
    expect(await device.launch()).toMatchObject({ status: 'grace', entitled: true })
    service.emulator.control.faults.remove(rule.id)
    // The same if another key is shown. Then the list decides.
    const { activation } = await device.recordOnDisk()
    service.emulator.control.removeKey(license.id, activation?.activationId ?? '')
    service.emulator.control.addKey(license.id, 'Tower')
    service.emulator.control.faults.inject({ fault: 'status', status: 404, operation: 'validate' })
    expect(await device.launch()).toMatchObject({ status: 'revoked' })
  })

  test('if validate is unreachable, no other request is sent', async () => {
    const license = service.newLicense()
    const device = createTestDevice(service)
    await device.core.activate(license.id)
    const before = service.asked(license.id).length
    for (const code of [407, 408, 429, 500, 503]) {
      service.emulator.control.faults.inject({
        fault: 'status',
        status: code,
        operation: 'validate',
        times: 1,
      })
      expect(await device.launch()).toMatchObject({ status: 'grace', entitled: true })
    }
    const asked = service.asked(license.id).slice(before)
    expect(asked.filter((line) => !line.startsWith('validate'))).toEqual([])
  })
})

test.each(Object.entries(dialects))(
  'a service that speaks %s is understood from activation to release',
  async (_name, dialect) => {
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
    expect(await device.launch()).toMatchObject({ status: 'revoked' })
    expect(await other.core.deactivate()).toMatchObject({ ok: true, seat: 'freed' })
    expect(service.seats(license.id)).toEqual([])
    await service.emulator.close()
  },
)

test('a refused access of the app is an error for the developer', async () => {
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
