import {
  type CommerceClient,
  type CommerceErrorCode,
  createCommerceClient,
  isCommerceError,
} from '@latchkey/commerce'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Dialect, dialects, type Emulator, startEmulator } from '../../src/index.ts'

/** One way a service could behave where the document says "not shown", and what the client makes of it. */
interface Behaviour {
  behaviour: string
  arrange?(emulator: Emulator): void
  /** What the client is asked to do; its result has to match `gives`, or its error to have the code. */
  act(client: CommerceClient, keyId: string): Promise<unknown>
  gives: unknown
}

let emulator: Emulator
let commerce: CommerceClient
let keyId: string
beforeEach(async () => {
  emulator = await startEmulator()
  keyId = emulator.control.addKey(emulator.demoLicense.id, 'Laptop').id
  commerce = createCommerceClient({ baseUrl: emulator.baseUrl, accessToken: 'demo', timeout: 2_000 })
})
afterEach(() => emulator.close())

const license = (): string => emulator.demoLicense.id
const activate: Behaviour['act'] = (client) => client.licenses.activate(license(), { name: 'Phone' })
const validate: Behaviour['act'] = (client, key) => client.licenses.validate(license(), { key })
const deactivate: Behaviour['act'] = (client, key) => client.licenses.deactivate(license(), { key })
const keyNames: Behaviour['act'] = async (client) =>
  (await client.licenses.keys(license())).map(({ name }) => name)
const customers: Behaviour['act'] = (client) => client.customers.list()
const discounts: Behaviour['act'] = async (client) => (await client.discounts.list()).data

const error = (code: CommerceErrorCode, more: object = {}): unknown => ({ error: { code, ...more } })
const inDialect =
  (dialect: Partial<Dialect>) =>
  ({ control }: Emulator): void =>
    control.useDialect({ ...dialects.default, name: 'custom', ...dialect })
const fullLicense = ({ control, demoLicense }: Emulator): void => {
  control.updateLicense(demoLicense.id, { activation_limit: 1 })
}
const refusing = (status: number): Dialect['refusalStatus'] => ({
  ...dialects.default.refusalStatus,
  'limit-reached': status,
})

const notShown: Record<string, Behaviour[]> = {
  'other values of a license status': ['SUSPENDED', 'Inactive', ''].map((status) => ({
    behaviour: `a status of "${status}"`,
    arrange: ({ control, demoLicense }) => void control.updateLicense(demoLicense.id, { status }),
    act: validate,
    gives: { license: { status } },
  })),
  'transitions of a license status': [
    {
      behaviour: 'a suspended license stays ACTIVE',
      arrange: ({ control, demoLicense }) => void control.suspend(demoLicense.id),
      act: validate,
      gives: { license: { status: 'ACTIVE', suspended_at: expect.any(String) } },
    },
    {
      behaviour: 'a suspended license changes its status',
      arrange: (running) => {
        inDialect({ shownStatus: { suspended: 'SUSPENDED', expired: 'EXPIRED' } })(running)
        running.control.suspend(running.demoLicense.id)
      },
      act: validate,
      gives: { license: { status: 'SUSPENDED', suspended_at: expect.any(String) } },
    },
  ],
  'validation of a suspended or expired license': [
    {
      behaviour: 'is a success with the facts',
      arrange: ({ control, demoLicense }) => void control.expire(demoLicense.id),
      act: validate,
      gives: { license: { status: 'ACTIVE', expires_at: expect.any(String) } },
    },
    {
      behaviour: 'is refused with 400',
      arrange: ({ control, demoLicense }) => {
        control.useDialect('plain')
        control.expire(demoLicense.id)
      },
      act: validate,
      gives: error('rejected', { status: 400, bodyIsJson: false }),
    },
    {
      behaviour: 'is refused with 403',
      arrange: ({ control, demoLicense }) => {
        control.useDialect('strict')
        control.suspend(demoLicense.id)
      },
      act: validate,
      gives: error('unauthorized', { status: 403, bodyIsJson: true }),
    },
  ],
  'a license without end': [
    {
      behaviour: 'expires_at is a date far ahead',
      arrange: ({ control, demoLicense }) =>
        void control.updateLicense(demoLicense.id, { expires_at: '9999-12-31' }),
      act: validate,
      gives: { license: { expires_at: '9999-12-31T00:00:00.000000Z' } },
    },
    {
      behaviour: 'expires_at is null',
      arrange: ({ control, demoLicense }) => void control.updateLicense(demoLicense.id, { expires_at: null }),
      act: validate,
      gives: { license: { expires_at: null } },
    },
  ],
  'the unit of a FIXED amount': (['minor', 'major'] as const).map((fixedAmountUnit) => ({
    behaviour: `${fixedAmountUnit} units`,
    arrange: inDialect({ discounts: { ...dialects.default.discounts, fixedAmountUnit } }),
    act: async (client) =>
      (await client.discounts.list()).data
        .filter(({ type }) => type === 'FIXED')
        .every(({ amount, total_formatted }) => {
          const shown = Number(total_formatted.slice(1))
          return amount === (fixedAmountUnit === 'minor' ? shown * 100 : shown)
        }),
    gives: true,
  })),
  'the format of starts_at and ends_at': (['timestamp', 'date-time', 'date'] as const).map(
    (windowFormat) => ({
      behaviour: `a ${windowFormat}`,
      arrange: inDialect({ discounts: { ...dialects.default.discounts, windowFormat } }),
      act: async (client) => (await client.discounts.list()).data.length,
      gives: 25,
    }),
  ),
  'the values of a discount status': [['Active'], ['Scheduled', 'EXPIRED']].map((statuses) => ({
    behaviour: statuses.join(' and '),
    arrange: inDialect({ discounts: { ...dialects.default.discounts, statuses } }),
    act: async (client) =>
      [...new Set((await client.discounts.list()).data.map(({ status }) => status))].sort(),
    gives: [...statuses].sort(),
  })),
  'the values of a product type': [['EBOOK'], ['COURSE', 'whatever']].map((productTypes) => ({
    behaviour: productTypes.join(' and '),
    arrange: inDialect({ discounts: { ...dialects.default.discounts, productTypes } }),
    act: async (client) => {
      const { data } = await client.discounts.list()
      return [...new Set(data.flatMap(({ products }) => products.map(({ type }) => type)))].sort()
    },
    gives: [...productTypes].sort(),
  })),
  'further customer fields': [
    { behaviour: 'there are none', act: customers, gives: { data: expect.any(Array) } },
    {
      behaviour: 'there are some, which are dropped',
      arrange: ({ control }) =>
        void control.faults.inject({
          fault: 'set-fields',
          fields: { 'data.*.phone': '+1', 'data.*.address': { city: 'Oslo' } },
        }),
      act: async (client) => Object.keys((await client.customers.list()).data[0] ?? {}),
      gives: ['id', 'name', 'email'],
    },
  ],
  'the response for an invalid key on validation': [
    ...[400, 404, 410, 422].map(
      (invalidKeyStatus): Behaviour => ({
        behaviour: `${invalidKeyStatus} with JSON`,
        arrange: (running) => {
          inDialect({ validation: { ...dialects.default.validation, invalidKeyStatus } })(running)
          running.control.removeKey(running.demoLicense.id, keyId)
        },
        act: validate,
        gives: error([404, 410].includes(invalidKeyStatus) ? 'not-found' : 'rejected', { bodyIsJson: true }),
      }),
    ),
    {
      behaviour: 'a success that only says no',
      arrange: ({ control }) => {
        control.faults.inject({ fault: 'missing-fields', fields: ['license', 'key'] })
      },
      act: validate,
      gives: error('unexpected-answer', { field: 'license' }),
    },
  ],
  'whether List keys is paginated': [
    { behaviour: 'it is not', act: keyNames, gives: ['Laptop', 'Phone', 'Tablet'] },
    {
      behaviour: 'it is',
      arrange: inDialect({ keysPaging: { perPage: 1 } }),
      act: keyNames,
      gives: ['Laptop', 'Phone', 'Tablet'],
    },
  ].map((row) => ({
    ...row,
    arrange: (running: Emulator) => {
      row.arrange?.(running)
      for (const name of ['Phone', 'Tablet']) running.control.addKey(running.demoLicense.id, name)
    },
  })),
  'the page size of other services': [1, 100].map((perPage) => ({
    behaviour: `${perPage} per page`,
    arrange: (running) => {
      inDialect({ keysPaging: { perPage } })(running)
      for (let index = 0; index < 4; index += 1) running.control.addKey(running.demoLicense.id, `${index}`)
    },
    act: keyNames,
    gives: ['Laptop', '0', '1', '2', '3'],
  })),
  'success status codes': [200, 201, 202, 203].map((status) => ({
    behaviour: `${status} for everything`,
    arrange: inDialect({
      successStatus: {
        keys: status,
        key: status,
        activate: status,
        validate: status,
        deactivate: status,
        discounts: status,
        customers: status,
      },
    }),
    act: async (client, key) => {
      const { license: activated } = await client.licenses.activate(license(), { name: 'Phone' })
      await client.licenses.validate(license(), { key })
      await client.customers.list()
      await client.licenses.deactivate(license(), { key })
      return activated
    },
    gives: { activation_usage: 2 },
  })),
  'how body fields are encoded': [true, false].map((requiresContentType) => ({
    behaviour: requiresContentType
      ? 'JSON, and only under its Content-Type'
      : 'JSON, whatever the Content-Type',
    arrange: inDialect({ requiresContentType }),
    act: activate,
    gives: { key: { name: 'Phone' } },
  })),
  'how an error looks': (['message', 'error', 'problem', 'text', 'empty'] as const).map((refusalBody) => ({
    behaviour: `its body is of the form "${refusalBody}"`,
    arrange: (running) => {
      inDialect({ refusalBody })(running)
      fullLicense(running)
    },
    act: activate,
    gives: error('rejected', { status: 422, bodyIsJson: !['text', 'empty'].includes(refusalBody) }),
  })),
  'which status an error has': [
    ...[400, 402, 409, 422].map((status) => [status, 'rejected'] as const),
    ...[404, 410].map((status) => [status, 'not-found'] as const),
    ...[401, 403].map((status) => [status, 'unauthorized'] as const),
    ...[429, 500, 503].map((status) => [status, 'unreachable'] as const),
  ].map(([status, code]) => ({
    behaviour: `${status} for a license without a free seat`,
    arrange: (running) => {
      inDialect({ refusalStatus: refusing(status) })(running)
      fullLicense(running)
    },
    act: activate,
    gives: error(code, { status }),
  })),
  'deactivation of a key that is gone': (['answer', 'refuse'] as const).map((removedKey) => ({
    behaviour: removedKey === 'answer' ? 'is a success again' : 'is refused',
    arrange: (running) => {
      inDialect({ deactivation: { removedKey } })(running)
      running.control.removeKey(running.demoLicense.id, keyId)
    },
    act: deactivate,
    gives: removedKey === 'answer' ? { message: expect.any(String) } : error('not-found', { status: 404 }),
  })),
  'rate limits': [
    {
      behaviour: '429 with Retry-After in seconds',
      arrange: ({ control }) =>
        void control.faults.inject({ fault: 'status', status: 429, retryAfterSeconds: 86_400 }),
      act: customers,
      gives: error('unreachable', { status: 429, retryAfterMs: 86_400_000 }),
    },
    {
      behaviour: '429 with Retry-After as a date',
      arrange: ({ control }) =>
        void control.faults.inject({
          fault: 'status',
          status: 429,
          retryAfterSeconds: 86_400,
          retryAfterForm: 'http-date',
        }),
      act: customers,
      gives: error('unreachable', { status: 429, retryAfterMs: expect.any(Number) }),
    },
    {
      behaviour: '429 without a word on when',
      arrange: ({ control }) => void control.faults.inject({ fault: 'status', status: 429 }),
      act: customers,
      gives: error('unreachable', { status: 429, retryAfterMs: null }),
    },
  ],
  'what happens when the activation limit is reached': [
    {
      behaviour: 'it is refused with 422',
      arrange: fullLicense,
      act: activate,
      gives: error('rejected', { status: 422 }),
    },
    {
      behaviour: 'it is refused with 409',
      arrange: (running) => {
        running.control.useDialect('strict')
        fullLicense(running)
      },
      act: activate,
      gives: error('rejected', { status: 409 }),
    },
    {
      behaviour: 'the oldest key makes room',
      arrange: (running) => {
        fullLicense(running)
        running.control.removeKey(running.demoLicense.id, keyId)
      },
      act: activate,
      gives: { license: { activation_usage: 1 }, key: { name: 'Phone' } },
    },
  ],
  'the lifetime and scopes of a token': [401, 403].map((status) => ({
    behaviour: `one that ended or does not reach so far gets ${status}`,
    arrange: ({ control }) => void control.faults.inject({ fault: 'status', status, after: 1 }),
    act: async (client) => {
      for await (const page of client.customers.pages()) expect(page.meta.current_page).toBe(1)
    },
    gives: error('unauthorized', { status }),
  })),
  'pages that are not there': [
    {
      behaviour: 'an empty page, from and to 0',
      act: (client) => client.customers.list({ page: 99 }),
      gives: { data: [], meta: { from: 0, to: 0 } },
    },
    {
      behaviour: 'an empty page, from and to null',
      arrange: inDialect({ paging: { ...dialects.default.paging, emptyRange: null } }),
      act: (client) => client.customers.list({ page: 99 }),
      gives: { data: [], meta: { from: null, to: null } },
    },
    {
      behaviour: 'the last page',
      arrange: inDialect({ paging: { ...dialects.default.paging, beyondLast: 'nearest' } }),
      act: (client) => client.customers.list({ page: 99 }),
      gives: { meta: { current_page: 3 } },
    },
    {
      behaviour: 'a refusal',
      arrange: inDialect({ paging: { ...dialects.default.paging, beyondLast: 'refuse' } }),
      act: (client) => client.customers.list({ page: 99 }),
      gives: error('rejected', { status: 422 }),
    },
  ],
  'changes between versions': [
    {
      behaviour: 'new fields, which are dropped',
      arrange: ({ control }) =>
        void control.faults.inject({
          fault: 'set-fields',
          fields: { 'license.seats': [], 'key.device': {}, trial: true },
        }),
      act: validate,
      gives: { license: { status: 'ACTIVE' }, key: { name: 'Laptop' } },
    },
    {
      behaviour: 'a field that is gone, which is named',
      arrange: ({ control }) =>
        void control.faults.inject({ fault: 'missing-fields', fields: ['license.activation_limit'] }),
      act: validate,
      gives: error('unexpected-answer', { field: 'license.activation_limit' }),
    },
    {
      behaviour: 'a field of another type, which is named',
      arrange: ({ control }) =>
        void control.faults.inject({ fault: 'wrong-types', fields: ['data.*.amount'] }),
      act: discounts,
      gives: error('unexpected-answer', { field: 'data[0].amount' }),
    },
    {
      behaviour: 'fewer fractional digits in timestamps',
      arrange: ({ control }) =>
        void control.faults.inject({
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
}

describe.each(Object.entries(notShown))('not shown: %s', (_statement, behaviours) => {
  it('has at least two plausible behaviours here', () => {
    expect(behaviours.length).toBeGreaterThanOrEqual(2)
  })

  it.each(behaviours)('the client copes with this one: $behaviour', async ({ arrange, act, gives }) => {
    arrange?.(emulator)
    const outcome = await act(commerce, keyId).catch((reason: unknown) => {
      if (isCommerceError(reason)) return { error: reason }
      throw reason
    })
    if (typeof gives === 'object' && gives !== null) expect(outcome).toMatchObject(gives)
    else expect(outcome).toBe(gives)
  })
})

describe('what is not shown at all', () => {
  it('has no counterpart in the client: other areas, events, changes to discounts', () => {
    expect(Object.keys(commerce).sort()).toEqual(['customers', 'discounts', 'licenses'])
    expect(Object.keys(commerce.discounts).sort()).toEqual(['all', 'list', 'pages'])
    expect(Object.keys(commerce.customers).sort()).toEqual(['all', 'list', 'pages'])
  })
})
