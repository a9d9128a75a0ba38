import { describe, expect, it } from 'vitest'
import {
  activate,
  commerce,
  customers,
  describeNotShown,
  discounts,
  error,
  fullLicense,
  inDialect,
  license,
  refusing,
  validate,
} from './not-shown-suite.ts'

describeNotShown({
  'success status codes': [200, 201, 202, 203].map((status) => ({
    behavior: `${status} for everything`,
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
    behavior: requiresContentType
      ? 'JSON, and only under its Content-Type'
      : 'JSON, whatever the Content-Type',
    arrange: inDialect({ requiresContentType }),
    act: activate,
    gives: { key: { name: 'Phone' } },
  })),
  'how an error looks': (['message', 'error', 'problem', 'text', 'empty'] as const).map((refusalBody) => ({
    behavior: `its body is of the form "${refusalBody}"`,
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
    behavior: `${status} for a license without a free seat`,
    arrange: (running) => {
      inDialect({ refusalStatus: refusing(status) })(running)
      fullLicense(running)
    },
    act: activate,
    gives: error(code, { status }),
  })),
  'rate limits': [
    {
      behavior: '429 with Retry-After in seconds',
      arrange: ({ control }) =>
        void control.faults.inject({ fault: 'status', status: 429, retryAfterSeconds: 86_400 }),
      act: customers,
      gives: error('unreachable', { status: 429, retryAfterMs: 86_400_000 }),
    },
    {
      behavior: '429 with Retry-After as a date',
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
      behavior: '429 without Retry-After',
      arrange: ({ control }) => void control.faults.inject({ fault: 'status', status: 429 }),
      act: customers,
      gives: error('unreachable', { status: 429, retryAfterMs: null }),
    },
  ],
  'the lifetime and scopes of a token': [401, 403].map((status) => ({
    behavior: `an expired or insufficient token gets ${status}`,
    arrange: ({ control }) => void control.faults.inject({ fault: 'status', status, after: 1 }),
    act: async (client) => {
      for await (const page of client.customers.pages()) expect(page.meta.current_page).toBe(1)
    },
    gives: error('unauthorized', { status }),
  })),
  'changes between versions': [
    {
      behavior: 'new fields, which are dropped',
      arrange: ({ control }) =>
        void control.faults.inject({
          fault: 'set-fields',
          fields: { 'license.seats': [], 'key.device': {}, trial: true },
        }),
      act: validate,
      gives: { license: { status: 'ACTIVE' }, key: { name: 'Laptop' } },
    },
    {
      behavior: 'a missing field that no decision needs',
      arrange: ({ control }) =>
        void control.faults.inject({ fault: 'missing-fields', fields: ['license.activation_limit'] }),
      act: validate,
      gives: { license: { activation_limit: null, status: 'ACTIVE' } },
    },
    {
      behavior: 'a missing field that a decision needs, which the error names',
      arrange: ({ control }) =>
        void control.faults.inject({ fault: 'missing-fields', fields: ['license.status'] }),
      act: validate,
      gives: error('unexpected-answer', { field: 'license.status' }),
    },
    {
      behavior: 'a field of another type, which the error names',
      arrange: ({ control }) =>
        void control.faults.inject({ fault: 'wrong-types', fields: ['data.*.amount'] }),
      act: discounts,
      gives: error('unexpected-answer', { field: 'data[0].amount' }),
    },
    {
      behavior: 'fewer fractional digits in timestamps',
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
})

describe('what the interface doesn’t show', () => {
  it('isn’t in the client: other areas, events, changes to discounts', () => {
    expect(Object.keys(commerce).sort()).toEqual(['customers', 'discounts', 'licenses'])
    expect(Object.keys(commerce.discounts).sort()).toEqual(['all', 'list', 'pages'])
    expect(Object.keys(commerce.customers).sort()).toEqual(['all', 'list', 'pages'])
  })
})
