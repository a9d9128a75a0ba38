import { randomUUID } from 'node:crypto'
import type { FaultRule, LicenseInput, LicensePatch } from '@latchkey/emulator'
import { beforeEach, describe, expect, test } from 'vitest'
import { dialects } from '../../../../emulator/test/dialects.ts'
import { skipWaitsBeforeRetries } from '../../doubles/skip-waits.ts'
import { createTestDevice, dayMs, says, scene, serviceForTests } from '../fixture.ts'

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
/** A definite answer that the license entitles nobody. */
const denied = (status: string) => ({
  status,
  entitled: false,
  code: `license-${status}`,
  asks: ['validate'],
})
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
    ...denied('expired'),
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
    ...denied('suspended'),
  },
  {
    answer: '2xx, suspended and expired',
    patch: { suspended_at: past, expires_at: past },
    ...denied('suspended'),
  },
  {
    answer: '2xx, another status',
    patch: { status: 'PAUSED' },
    ...denied('inactive'),
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
  // 2xx, the schema does not hold. Every other way to be unreachable is in the matrix of faults.
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
  { answer: '425', fault: status(425), ...unreachable('service-error') },
]

const service = await serviceForTests()

beforeEach(skipWaitsBeforeRetries)

describe('the result of a response to validate', () => {
  test.each(rows)('$answer: $status, $code', async ({ patch, fault, asks, ...row }) => {
    const { answer: _, ...expected } = row
    const { license, device } = await service.activated()
    await device.quit()
    const { activation } = await device.recordOnDisk()
    if (patch !== undefined) service.control.updateLicense(license.id, patch)
    if (fault !== undefined) service.control.faults.inject(fault)
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
    const { device } = await scene({ isActivated: true, fates: { validate: [says(code, isJson)] } })
    expect(await device.launch()).toMatchObject({ status: 'grace', problem: { code: expected } })
  })
})

describe('the proof that a key is gone', () => {
  // What else may come in its place is in the matrix of faults.
  const noProof = [
    ['404 text', { fault: 'status', status: 404, body: 'text' }],
    ['404 empty', { fault: 'status', status: 404, body: 'empty' }],
    ['JSON of another shape', { fault: 'set-fields', fields: { data: null } }],
    ['a list with an item nobody can read', { fault: 'set-fields', fields: { 'data.0.id': 7 } }],
    ['a list that says it is longer', { fault: 'set-fields', fields: { meta: { total: 9 } } }],
    [
      'a page of a list without the next',
      { fault: 'set-fields', fields: { meta: { current_page: 1, last_page: 2 } } },
    ],
  ] as const

  async function released(): Promise<{ device: ReturnType<typeof createTestDevice>; licenseId: string }> {
    const { licenseId, device } = await service.activated({ activation_limit: 3, keys: ['one', 'two'] })
    const { activation } = await device.recordOnDisk()
    service.control.removeKey(licenseId, activation?.activationId ?? '')
    return { device, licenseId }
  }

  test.each([400, 401, 403, 404, 409, 410, 422])(
    'is a list without the key, after a %d to validate',
    async (status) => {
      const { device } = await released()
      service.control.faults.inject({ fault: 'status', status, operation: 'validate' })
      expect(await device.launch()).toMatchObject({ status: 'revoked', entitled: false })
    },
  )

  test.each(noProof)('is not %s in the place of the list', async (_what, fault) => {
    const { device } = await released()
    service.control.faults.inject({ ...fault, operation: 'keys' })
    for (const status of [400, 401, 403, 404, 410, 422]) {
      const rule = service.control.faults.inject({ fault: 'status', status, operation: 'validate' })
      expect(await device.launch()).toMatchObject({ status: 'grace', entitled: true })
      service.control.faults.remove(rule.id)
    }
    service.control.faults.clear()
    expect(await device.launch()).toMatchObject({ status: 'revoked', entitled: false })
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
    const { license, device } = await service.activated()
    const rule = service.control.faults.inject({
      fault: 'set-fields',
      fields,
      operation: 'validate',
    })
    expect(await device.launch()).toMatchObject({ status: 'grace', entitled: true })
    service.control.faults.remove(rule.id)
    // The same if another key is shown. Then the list decides.
    const { activation } = await device.recordOnDisk()
    service.control.removeKey(license.id, activation?.activationId ?? '')
    service.control.addKey(license.id, 'Tower')
    service.control.faults.inject({ fault: 'status', status: 404, operation: 'validate' })
    expect(await device.launch()).toMatchObject({ status: 'revoked' })
  })

  test('if validate is unreachable, no other request is sent', async () => {
    const { license, device } = await service.activated()
    const before = service.asked(license.id).length
    for (const code of [407, 408, 429, 500, 503]) {
      service.control.faults.inject({
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
    service.control.useDialect(dialect)
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
  },
)

test('a refused access of the app is an error for the developer', async () => {
  const { device } = await service.activated()
  service.control.faults.inject({ fault: 'status', status: 401 })
  await device.launch()
  expect(device.logger.lines.filter((line) => line.startsWith('error '))).toEqual([
    expect.stringContaining('(validate): unauthorized (status 401). Check the access token or gateway'),
  ])
})

/** The largest 64-bit integer. JSON can contain it, but JavaScript numbers lose digits. */
const huge = Number('9223372036854775807')

describe('a response without optional fields', () => {
  function setFields(fields: Record<string, unknown>): void {
    service.control.faults.inject({ fault: 'set-fields', fields, operation: ['activate', 'validate'] })
  }

  function dropFields(...fields: string[]): void {
    service.control.faults.inject({
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
      const { device } = await service.activated()
      setFields({ 'license.expires_at': end })
      expect(await device.launch()).toMatchObject({ status: 'grace', problem: { code: 'unexpected-answer' } })
    },
  )

  test('finds its own key in a list with an unreadable item', async () => {
    const license = service.newLicense({ activation_limit: 2 })
    service.control.addKey(license.id, 'Somebody else')
    const device = createTestDevice(service)
    await device.core.activate(license.id)
    for (const fields of [{ 'data.0.name': null }, { 'data.0.id': 7 }, { 'data.0': null }]) {
      service.control.faults.clear()
      service.control.faults.inject({ fault: 'set-fields', fields, operation: 'keys' })
      const { machineId } = device.device
      const again = createTestDevice(service, { device: { machineId } })
      expect(await again.core.activate(license.id)).toMatchObject({ ok: true })
      expect(service.seats(license.id)).toHaveLength(2)
    }
  })
})

/** Why, the license, and the code in each dialect of the service. They report different things, and nothing is guessed. */
const refusals: readonly (readonly [string, LicenseInput | null, string, string, string])[] = [
  ['there is no such license', null, 'license-not-found', 'license-not-found', 'license-not-found'],
  [
    'no seat is left',
    { activation_limit: 2, keys: ['one', 'two'] },
    'no-seat-left',
    'no-seat-left',
    'no-seat-left',
  ],
  [
    'the license is suspended',
    { suspended_at: past, keys: ['one'] },
    'license-suspended',
    'activation-refused',
    'unauthorized',
  ],
  [
    'the license has expired',
    { expires_at: past, keys: ['one'] },
    'license-expired',
    'activation-refused',
    'unauthorized',
  ],
  [
    'the license has a status nobody knows',
    { status: 'REFUNDED', keys: ['one'] },
    // The plain service sets any status to ACTIVE on activation, as the interface says.
    'license-inactive',
    'none',
    'unauthorized',
  ],
  [
    'the license is suspended and no key of it tells so',
    { suspended_at: past },
    'activation-refused',
    'activation-refused',
    'unauthorized',
  ],
]

describe.each(['default', 'plain', 'strict'] as const)(
  'an activation at a service that speaks %s',
  (dialect) => {
    test.each(refusals)('is refused because %s', async (_what, license, ...codes) => {
      const code = codes[['default', 'plain', 'strict'].indexOf(dialect)]
      service.control.useDialect(dialects[dialect])
      const id = license === null ? randomUUID() : service.newLicense(license).id
      const before = license === null ? [] : service.seats(id)
      const device = createTestDevice(service)
      const result = await device.core.activate(id)
      if (code === 'none') {
        expect(result).toMatchObject({ ok: true })
        return
      }
      expect(result).toMatchObject({ ok: false, problem: { code }, state: { status: 'unlicensed' } })
      expect(device.state.problem?.code).toBe(code)
      if (license !== null) expect(service.seats(id)).toEqual(before)
      // Nothing is pending, so the user can paste another key. A list that was refused is requested a day later.
      const asked = service.asked(id).length
      expect((await device.launch()).problem).toBeNull()
      expect(service.asked(id).slice(asked)).not.toContain('activate')
    })
  },
)
