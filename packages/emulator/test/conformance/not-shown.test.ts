import {
  type CommerceClient,
  type CommerceErrorCode,
  createCommerceClient,
  isCommerceError,
} from '@latchkey/commerce'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type DialectChanges, type Emulator, type FaultRule, startEmulator } from '../../src/index.ts'

/** A possible behavior where the document says "not shown", and the client's result. */
interface Behavior {
  behavior: string
  arrange?(emulator: Emulator): void
  /** The call. Its result matches `gives`, or its error has that code. */
  act(client: CommerceClient): Promise<unknown>
  gives: unknown
}

let emulator: Emulator
let commerce: CommerceClient
/** A key of the demo license, of the device "Laptop". */
let key: string

const license = (): string => emulator.demoLicense.id
const activate: Behavior['act'] = (client) => client.licenses.activate(license(), { name: 'Phone' })
const validate: Behavior['act'] = (client) => client.licenses.validate(license(), { key })
const keyNames: Behavior['act'] = async (client) =>
  (await client.licenses.keys(license())).map(({ name }) => name)
const customers: Behavior['act'] = (client) => client.customers.list()
const beyondLast: Behavior['act'] = (client) => client.customers.list({ page: 99 })
const discounts = async (client: CommerceClient) => (await client.discounts.list()).data
const past = '2026-01-01'
const distinct = (values: readonly string[]): string[] => [...new Set(values)].sort()

/** The result of a failed call. */
const error = (code: CommerceErrorCode, more: object = {}): unknown => ({ error: { code, ...more } })
const inDialect =
  (changes: DialectChanges) =>
  ({ control }: Emulator): void =>
    control.useDialect(changes)
const withFault =
  (fault: FaultRule) =>
  ({ control }: Emulator): void =>
    void control.faults.inject(fault)
const withLicense =
  (patch: Parameters<Emulator['control']['updateLicense']>[1], changes: DialectChanges = {}) =>
  ({ control, demoLicense }: Emulator): void => {
    control.useDialect(changes)
    control.updateLicense(demoLicense.id, patch)
  }
const refusing = (changes: DialectChanges): DialectChanges => ({
  ...changes,
  validation: { unusableLicense: 'refuse' },
})
/** Takes all seats. */
const full = (changes: DialectChanges = {}) => withLicense({ activation_limit: 1 }, changes)
const withoutKey =
  (changes: DialectChanges) =>
  ({ control, demoLicense }: Emulator): void => {
    control.useDialect(changes)
    control.removeKey(demoLicense.id, key)
  }
const withKeys =
  (names: readonly string[], changes: DialectChanges = {}) =>
  ({ control, demoLicense }: Emulator): void => {
    control.useDialect(changes)
    for (const name of names) control.addKey(demoLicense.id, name)
  }

const notShown: Record<string, Behavior[]> = {
  'success status codes': [200, 201, 202, 203].map((status) => ({
    behavior: `${status} for everything`,
    arrange: inDialect({
      successStatus: { activate: status, validate: status, deactivate: status, customers: status },
    }),
    act: async (client) => {
      const { license: activated } = await client.licenses.activate(license(), { name: 'Phone' })
      await client.licenses.validate(license(), { key })
      await client.customers.list()
      await client.licenses.deactivate(license(), { key })
      return activated
    },
    gives: { activation_usage: 2 },
  })),
  'how body fields are encoded': [true, false].map((requiresContentType) => ({
    behavior: requiresContentType
      ? 'JSON, and only under its Content-Type'
      : 'JSON, whatever the Content-Type',
    arrange: inDialect({ requiresContentType }),
    act: activate,
    gives: { key: { name: 'Phone' } },
  })),
  'how an error looks': (['message', 'error', 'problem', 'text', 'empty'] as const).map((refusalBody) => ({
    behavior: `its body is of the form "${refusalBody}"`,
    arrange: full({ refusalBody }),
    act: activate,
    gives: error('rejected', { status: 422, bodyIsJson: !['text', 'empty'].includes(refusalBody) }),
  })),
  'which status an error has': [
    ...[400, 402, 409, 422].map((status) => [status, 'rejected'] as const),
    ...[404, 410].map((status) => [status, 'not-found'] as const),
    ...[401, 403].map((status) => [status, 'unauthorized'] as const),
    ...[429, 500, 503].map((status) => [status, 'unreachable'] as const),
  ].map(([status, code]) => ({
    behavior: `${status} for a license without a free seat`,
    arrange: full({ refusalStatus: { 'limit-reached': status } }),
    act: activate,
    gives: error(code, { status }),
  })),
  'rate limits': [
    {
      behavior: '429 with Retry-After in seconds',
      arrange: withFault({ fault: 'status', status: 429, retryAfterSeconds: 86_400 }),
      act: customers,
      gives: error('unreachable', { status: 429, retryAfterMs: 86_400_000 }),
    },
    {
      behavior: '429 with Retry-After as a date',
      arrange: withFault({
        fault: 'status',
        status: 429,
        retryAfterSeconds: 86_400,
        retryAfterForm: 'http-date',
      }),
      act: customers,
      gives: error('unreachable', { status: 429, retryAfterMs: expect.any(Number) }),
    },
    {
      behavior: '429 without Retry-After',
      arrange: withFault({ fault: 'status', status: 429 }),
      act: customers,
      gives: error('unreachable', { status: 429, retryAfterMs: null }),
    },
  ],
  'the lifetime and scopes of a token': [401, 403].map((status) => ({
    behavior: `an expired or insufficient token gets ${status}`,
    arrange: withFault({ fault: 'status', status, after: 1 }),
    act: async (client) => {
      for await (const page of client.customers.pages()) expect(page.meta.current_page).toBe(1)
    },
    gives: error('unauthorized', { status }),
  })),
  'changes between versions': [
    {
      behavior: 'new fields, which are dropped',
      arrange: withFault({
        fault: 'set-fields',
        fields: { 'license.seats': [], 'key.device': {}, trial: true },
      }),
      act: validate,
      gives: { license: { status: 'ACTIVE' }, key: { name: 'Laptop' } },
    },
    {
      behavior: 'a missing field that no decision needs',
      arrange: withFault({ fault: 'missing-fields', fields: ['license.activation_limit'] }),
      act: validate,
      gives: { license: { activation_limit: null, status: 'ACTIVE' } },
    },
    {
      behavior: 'a missing field that a decision needs, which the error names',
      arrange: withFault({ fault: 'missing-fields', fields: ['license.status'] }),
      act: validate,
      gives: error('unexpected-answer', { field: 'license.status' }),
    },
    {
      behavior: 'a field of another type, which the error names',
      arrange: withFault({ fault: 'wrong-types', fields: ['data.*.amount'] }),
      act: discounts,
      gives: error('unexpected-answer', { field: 'data[0].amount' }),
    },
    {
      behavior: 'fewer fractional digits in timestamps',
      arrange: withFault({
        fault: 'set-fields',
        fields: {
          'license.created_at': '2026-01-01T00:00:00Z',
          'key.created_at': '2026-01-01T00:00:00.123Z',
        },
      }),
      act: validate,
      gives: { license: { created_at: '2026-01-01T00:00:00Z' } },
    },
  ],
  'other values of a license status': ['SUSPENDED', 'Inactive', ''].map((status) => ({
    behavior: `a status of "${status}"`,
    arrange: withLicense({ status }),
    act: validate,
    gives: { license: { status } },
  })),
  'transitions of a license status': [
    {
      behavior: 'a suspended license stays ACTIVE',
      arrange: withLicense({ suspended_at: past }),
      act: validate,
      gives: { license: { status: 'ACTIVE', suspended_at: expect.any(String) } },
    },
    {
      behavior: 'a suspended license changes its status',
      arrange: withLicense({ suspended_at: past }, { shownStatus: { suspended: 'SUSPENDED' } }),
      act: validate,
      gives: { license: { status: 'SUSPENDED', suspended_at: expect.any(String) } },
    },
    {
      behavior: 'an expired license changes its status',
      arrange: withLicense({ expires_at: past }, { shownStatus: { expired: 'EXPIRED' } }),
      act: validate,
      gives: { license: { status: 'EXPIRED', expires_at: expect.any(String) } },
    },
  ],
  'validation of a suspended or expired license': [
    {
      behavior: 'is a success with the license’s fields',
      arrange: withLicense({ expires_at: past }),
      act: validate,
      gives: { license: { status: 'ACTIVE', expires_at: expect.any(String) } },
    },
    {
      behavior: 'is refused with 400',
      arrange: withLicense(
        { expires_at: past },
        refusing({ refusalStatus: { 'license-expired': 400 }, refusalBody: 'text' }),
      ),
      act: validate,
      gives: error('rejected', { status: 400, bodyIsJson: false }),
    },
    {
      behavior: 'is refused with 403',
      arrange: withLicense(
        { suspended_at: past },
        refusing({ refusalStatus: { 'license-suspended': 403 }, refusalBody: 'problem' }),
      ),
      act: validate,
      gives: error('unauthorized', { status: 403, bodyIsJson: true }),
    },
  ],
  'a license without end': [
    {
      behavior: 'expires_at is a distant date',
      arrange: withLicense({ expires_at: '9999-12-31' }),
      act: validate,
      gives: { license: { expires_at: '9999-12-31T00:00:00.000000Z' } },
    },
    {
      behavior: 'expires_at is null',
      arrange: withLicense({ expires_at: null }),
      act: validate,
      gives: { license: { expires_at: null } },
    },
  ],
  'the response for an invalid key on validation': [
    ...[400, 404, 410, 422].map(
      (invalidKeyStatus): Behavior => ({
        behavior: `${invalidKeyStatus} with JSON`,
        arrange: withoutKey({ validation: { invalidKeyStatus } }),
        act: validate,
        gives: error([404, 410].includes(invalidKeyStatus) ? 'not-found' : 'rejected', { bodyIsJson: true }),
      }),
    ),
    {
      behavior: 'a success whose body says no',
      arrange: withFault({ fault: 'missing-fields', fields: ['license', 'key'] }),
      act: validate,
      gives: error('unexpected-answer', { field: 'license' }),
    },
  ],
  'deactivation of a key that is gone': (['answer', 'refuse'] as const).map((removedKey) => ({
    behavior: removedKey === 'answer' ? 'is a success again' : 'is refused',
    arrange: withoutKey({ deactivation: { removedKey } }),
    act: (client) => client.licenses.deactivate(license(), { key }),
    gives: removedKey === 'answer' ? { message: expect.any(String) } : error('not-found', { status: 404 }),
  })),
  'what happens when the activation limit is reached': [
    {
      behavior: 'it is refused with 422',
      arrange: full(),
      act: activate,
      gives: error('rejected', { status: 422 }),
    },
    {
      behavior: 'it is refused with 409',
      arrange: full({ refusalStatus: { 'limit-reached': 409 } }),
      act: activate,
      gives: error('rejected', { status: 409 }),
    },
    {
      behavior: 'the oldest key is removed',
      arrange: (running) => {
        full()(running)
        withoutKey({})(running)
      },
      act: activate,
      gives: { license: { activation_usage: 1 }, key: { name: 'Phone' } },
    },
  ],
  'the format of starts_at and ends_at': [
    '2026-01-01T00:00:00.000000Z',
    '2026-01-01 00:00:00',
    '2026-01-01',
  ].map((date) => ({
    behavior: date,
    arrange: withFault({ fault: 'set-fields', fields: { 'data.*.starts_at': date } }),
    act: async (client) => distinct((await discounts(client)).map(({ starts_at }) => starts_at ?? '')),
    gives: [date],
  })),
  'the unit of a FIXED amount, and the values of a status and of a product type': [
    [250, 'Scheduled', 'COURSE'],
    [2.5, 'EXPIRED', 'whatever'],
  ].map(([amount, status, type]) => ({
    behavior: `${amount}, ${status} and ${type}`,
    arrange: withFault({
      fault: 'set-fields',
      fields: { 'data.*.amount': amount, 'data.*.status': status, 'data.*.products.*.type': type },
    }),
    act: async (client) => (await discounts(client))[0],
    gives: { amount, status, products: [{ type }] },
  })),
  'further customer fields': [
    { behavior: 'there are none', act: customers, gives: { data: expect.any(Array) } },
    {
      behavior: 'there are some, which are dropped',
      arrange: withFault({
        fault: 'set-fields',
        fields: { 'data.*.phone': '+1', 'data.*.address': { city: 'Oslo' } },
      }),
      act: async (client) => Object.keys((await client.customers.list()).data[0] ?? {}),
      gives: ['id', 'name', 'email'],
    },
  ],
  'whether List keys is paginated, and in pages of which size': [null, 1, 2, 100].map((perPage) => ({
    behavior: perPage === null ? 'it is not' : `${perPage} per page`,
    arrange: withKeys(['0', '1', '2', '3'], { keysPaging: perPage === null ? null : { perPage } }),
    act: keyNames,
    gives: ['Laptop', '0', '1', '2', '3'],
  })),
  'pages that are not there': [
    {
      behavior: 'an empty page, from and to 0',
      act: beyondLast,
      gives: { data: [], meta: { from: 0, to: 0 } },
    },
    {
      behavior: 'an empty page, from and to null',
      arrange: withFault({ fault: 'set-fields', fields: { 'meta.from': null, 'meta.to': null } }),
      act: beyondLast,
      gives: { data: [], meta: { from: null, to: null } },
    },
    {
      behavior: 'the last page',
      arrange: inDialect({ paging: { beyondLast: 'nearest' } }),
      act: beyondLast,
      gives: { meta: { current_page: 3 } },
    },
    {
      behavior: 'a refusal',
      arrange: inDialect({ paging: { beyondLast: 'refuse' } }),
      act: beyondLast,
      gives: error('rejected', { status: 422 }),
    },
  ],
}

beforeEach(async () => {
  emulator = await startEmulator()
  key = emulator.control.addKey(emulator.demoLicense.id, 'Laptop').id
  commerce = createCommerceClient({ baseUrl: emulator.baseUrl, accessToken: 'demo', timeout: 60_000 })
})
afterEach(() => emulator.close())

describe.each(Object.entries(notShown))('not shown: %s', (_statement, behaviors) => {
  it('has at least two possible behaviors', () => {
    expect(behaviors.length).toBeGreaterThanOrEqual(2)
  })

  it.each(behaviors)('the client works with: $behavior', async ({ arrange, act, gives }) => {
    arrange?.(emulator)
    const outcome = await act(commerce).catch((reason: unknown) => {
      if (isCommerceError(reason)) return { error: reason }
      throw reason
    })
    if (typeof gives === 'object' && gives !== null) expect(outcome).toMatchObject(gives)
    else expect(outcome).toBe(gives)
  })
})

it('isn’t in the client: other areas, events, changes to discounts', () => {
  expect(Object.keys(commerce).sort()).toEqual(['customers', 'discounts', 'licenses'])
  expect(Object.keys(commerce.discounts).sort()).toEqual(['all', 'list', 'pages'])
  expect(Object.keys(commerce.customers).sort()).toEqual(['all', 'list', 'pages'])
})
