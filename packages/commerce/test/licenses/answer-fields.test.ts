import { describe, expect, it } from 'vitest'
import { type CommerceClient, createCommerceClient } from '../../src/index.ts'
import { errorOf } from '../error-of.ts'
import { customer, discount, key, keyId, license, licenseId, page, product } from '../samples.ts'

type Fields = Readonly<Record<string, unknown>>
type Call = (commerce: CommerceClient) => Promise<unknown>

/** A client whose service gives every request the same answer. */
const clientFor = (answer: unknown): CommerceClient =>
  createCommerceClient({ baseUrl: 'https://commerce.example/v1', fetch: async () => Response.json(answer) })

const showKey: Call = ({ licenses }) => licenses.key(licenseId, keyId)
const listKeys: Call = ({ licenses }) => licenses.keys(licenseId)
const activate: Call = ({ licenses }) => licenses.activate(licenseId, { name: 'x' })
const validate: Call = ({ licenses }) => licenses.validate(licenseId, { key: keyId })
const deactivate: Call = ({ licenses }) => licenses.deactivate(licenseId, { key: keyId })
const listDiscounts: Call = ({ discounts }) => discounts.list()
const listCustomers: Call = ({ customers }) => customers.list()

const path = 'https://commerce.example/v1/customers'
const list = page(path, [customer(1)], 1, 1)
const { links, meta } = list

/** Values of the wrong type for a field. */
function wrongValues(name: string, value: unknown): unknown[] {
  if (name.endsWith('id')) return [7, null, 'no-uuid']
  if (['max_redemptions', 'duration_in_months', 'from', 'to'].includes(name)) return ['7', {}]
  if (typeof value === 'number') return ['7', null, {}]
  if (typeof value === 'boolean') return ['true', 1, null]
  if (Array.isArray(value)) return [{}, null, 'x']
  return typeof value === 'object' && value !== null ? [[], null, 'x'] : [7, [], {}]
}

const keyRequires = ['id']
const licenseRequires = ['id', 'status', 'suspended_at', 'expires_at']
/** Whether a license may be used depends on them, so they may be absent, but not unreadable. */
const mayBeAbsent = ['suspended_at', 'expires_at']

describe.each<
  [
    what: string,
    at: string,
    sample: Fields,
    inAnswer: (it: Fields) => unknown,
    call: Call,
    required?: string[],
  ]
>([
  ['LicenseKey in show key', 'data.', { ...key }, (data) => ({ data }), showKey, keyRequires],
  ['LicenseKey in activate', 'key.', { ...key }, (it) => ({ license, key: it }), activate, keyRequires],
  [
    'License in activate',
    'license.',
    { ...license },
    (it) => ({ license: it, key }),
    activate,
    licenseRequires,
  ],
  [
    'License in validate',
    'license.',
    { ...license },
    (it) => ({ license: it, key }),
    validate,
    licenseRequires,
  ],
  ['the answer to validate', '', { license, key }, (it) => it, validate],
  ['the answer to deactivate', '', { message: 'done' }, (it) => it, deactivate],
  ['Discount', 'data[0].', { ...discount }, (it) => ({ ...list, data: [it] }), listDiscounts],
  [
    'Product in a discount',
    'data[0].products[0].',
    { ...product },
    (it) => ({ ...list, data: [{ ...discount, products: [it] }] }),
    listDiscounts,
  ],
  ['Customer', 'data[0].', { ...customer(1) }, (it) => ({ ...list, data: [it] }), listCustomers],
  ['the envelope', '', { ...list }, (it) => it, listCustomers],
  ['links', 'links.', { ...links }, (it) => ({ ...list, links: it }), listCustomers],
  ['meta', 'meta.', { ...meta }, (it) => ({ ...list, meta: it }), listCustomers],
  [
    'an entry of meta.links',
    'meta.links[0].',
    { ...meta.links[0] },
    (it) => ({ ...list, meta: { ...meta, links: [it] } }),
    listCustomers,
  ],
])('%s', (_what, at, sample, inAnswer, call, required = Object.keys(sample)) => {
  it.each(required)(
    '%s that is missing or wrong is an unexpected answer that names the field',
    async (name) => {
      const { [name]: value, ...rest } = sample
      const spoiled = wrongValues(name, value).map((wrong) => ({ ...sample, [name]: wrong }))
      for (const answer of mayBeAbsent.includes(name) ? spoiled : [rest, ...spoiled]) {
        const error = await errorOf(call(clientFor(inAnswer(answer))))
        const field = at + name
        expect(error).toMatchObject({ code: 'unexpected-answer', status: 200, bodyIsJson: true, field })
        expect(error.message).toContain(`field ${field}`)
      }
    },
  )

  it('passes on undocumented fields', async () => {
    await call(clientFor(inAnswer({ ...sample, novelty: { deep: [1] } })))
  })
})

describe('undocumented cases', () => {
  // The largest 64-bit integer. JSON can contain it, but JavaScript numbers lose digits.
  const noNumbers = [undefined, null, Number('9223372036854775807'), -1, 2.5, '3', {}]
  const noTexts = [undefined, null, 7, []]

  it.each<[field: string, values: readonly unknown[]]>([
    ['activation_limit', noNumbers],
    ['activation_usage', noNumbers],
    ['activation_usage_formatted', noTexts],
    ['created_at', noTexts],
    ['updated_at', noTexts],
    ['expires_at', [undefined, null]],
    ['suspended_at', [undefined, null]],
  ])('accepts a license whose %s is unknown', async (field, values) => {
    for (const value of values) {
      const client = clientFor({ license: { ...license, [field]: value }, key })
      for (const call of [validate, activate]) {
        expect(await call(client)).toEqual({ license: { ...license, [field]: null }, key })
      }
    }
  })

  it.each<[field: string, values: readonly unknown[], read: string | null]>([
    ['name', noTexts, ''],
    ['created_at', noTexts, null],
    ['updated_at', noTexts, null],
    ['created_at', ['last week'], 'last week'],
  ])('accepts a key whose %s is one of %j', async (field, values, read) => {
    for (const value of values) {
      const [sent, expected] = [
        { ...key, [field]: value },
        { ...key, [field]: read },
      ]
      for (const call of [validate, activate]) {
        expect(await call(clientFor({ license, key: sent }))).toEqual({ license, key: expected })
      }
      expect(await showKey(clientFor({ data: sent }))).toEqual(expected)
      expect(await listKeys(clientFor({ data: [sent] }))).toEqual([expected])
    }
  })

  it.each([
    ...['2031-01-02', '2031-01-02 03:04:05', '2031-01-02T03:04:05.123456789Z', '2031-01-02T03:04+02:00'],
  ])('accepts the timestamp %s and returns it unchanged', async (text) => {
    const answer = { license: { ...license, expires_at: text }, key: { ...key, created_at: text } }
    expect(await validate(clientFor(answer))).toEqual(answer)
  })

  it.each([
    ...['soon', '', '0000-00-00 00:00:00', '2026-02-30T00:00:00.000000Z', '2026-01-02T03:04:05Z or so'],
  ])('never reads %j as "no end" or "not suspended"', async (date) => {
    for (const field of ['expires_at', 'suspended_at']) {
      const error = await errorOf(validate(clientFor({ license: { ...license, [field]: date }, key })))
      expect(error).toMatchObject({ code: 'unexpected-answer', field: `license.${field}` })
    }
  })

  it.each(['ONCE', 'REPEATING', 'FOREVER'] as const)(
    'accepts unknown words and dates in a discount that is given %s, and keeps them',
    async (duration) => {
      const odd = { type: 'FIXED', amount: 12.5, starts_at: '1 March 2026', ends_at: '2026-12-31' }
      const products = [{ ...product, type: 'COURSE' }]
      const data = [{ ...discount, ...odd, duration, status: 'Paused', products }]
      expect(await listDiscounts(clientFor({ ...list, data }))).toEqual({ ...list, data })
    },
  )

  it('accepts an unknown status', async () => {
    const answer = { license: { ...license, status: 'ON_HOLD' }, key }
    expect(await validate(clientFor(answer))).toEqual(answer)
  })

  it('reads every field of a page, and an empty one without positions', async () => {
    const second = page(path, [customer(26)], 2, 3, 51)
    expect(await listCustomers(clientFor(second))).toEqual(second)
    const { meta: counts, ...empty } = page(path, [], 1, 1)
    const answer = { ...empty, meta: { ...counts, from: null, to: null } }
    expect(await listCustomers(clientFor(answer))).toEqual(answer)
  })
})
