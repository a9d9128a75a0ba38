import { describe, expect, it } from 'vitest'
import {
  type CommerceClient,
  createCommerceClient,
  type License,
  readFeatures,
  readPlan,
} from '../src/index.ts'
import {
  type Call,
  calls,
  customer,
  discount,
  key,
  keyId,
  license,
  licenseId,
  page,
  product,
} from './samples.ts'
import { errorOf } from './service.ts'

type Fields = Readonly<Record<string, unknown>>

/** A client whose service gives every request the same answer. */
const clientFor = (answer: unknown): CommerceClient =>
  createCommerceClient({ baseUrl: 'https://commerce.example/v1', fetch: async () => Response.json(answer) })

const {
  'licenses.key': showKey,
  'licenses.keys': listKeys,
  'licenses.activate': activate,
  'licenses.validate': validate,
  'licenses.deactivate': deactivate,
  'discounts.list': listDiscounts,
  'customers.list': listCustomers,
} = calls

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

type Wrap = (it: Fields) => unknown
const inData: Wrap = (data) => ({ data })
const inKey: Wrap = (it) => ({ license, key: it })
const inLicense: Wrap = (it) => ({ license: it, key })
const inList: Wrap = (it) => ({ ...list, data: [it] })
const inDiscount: Wrap = (it) => inList({ ...discount, products: [it] })
const inLinks: Wrap = (it) => ({ ...list, links: it })
const inMeta: Wrap = (it) => ({ ...list, meta: it })
const inMetaLinks: Wrap = (it) => inMeta({ ...meta, links: [it] })
const asWhole: Wrap = (it) => it

describe.each<[what: string, at: string, sample: Fields, wrap: Wrap, call: Call, required?: string[]]>([
  ['LicenseKey in show key', 'data.', { ...key }, inData, showKey, keyRequires],
  ['LicenseKey in activate', 'key.', { ...key }, inKey, activate, keyRequires],
  ['License in activate', 'license.', { ...license }, inLicense, activate, licenseRequires],
  ['License in validate', 'license.', { ...license }, inLicense, validate, licenseRequires],
  ['the answer to validate', '', { license, key }, asWhole, validate],
  ['the answer to deactivate', '', { message: 'done' }, asWhole, deactivate],
  ['Discount', 'data[0].', { ...discount }, inList, listDiscounts],
  ['Product in a discount', 'data[0].products[0].', { ...product }, inDiscount, listDiscounts],
  ['Customer', 'data[0].', { ...customer(1) }, inList, listCustomers],
  ['the envelope', '', { ...list }, asWhole, listCustomers],
  ['links', 'links.', { ...links }, inLinks, listCustomers],
  ['meta', 'meta.', { ...meta }, inMeta, listCustomers],
  ['an entry of meta.links', 'meta.links[0].', { ...meta.links[0] }, inMetaLinks, listCustomers],
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

  it.each<Partial<License>>([
    { status: 'ON_HOLD' },
    { expires_at: '2031-01-02' },
    { expires_at: '2031-01-02 03:04:05' },
    { expires_at: '2031-01-02T03:04:05.123456789Z' },
    { expires_at: '2031-01-02T03:04+02:00' },
  ])('accepts a license with %j and returns it unchanged', async (fields) => {
    const answer = { license: { ...license, ...fields }, key }
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

  it('reads every field of a page, and an empty one without positions', async () => {
    const second = page(path, [customer(26)], 2, 3, 51)
    expect(await listCustomers(clientFor(second))).toEqual(second)
    const { meta: counts, ...empty } = page(path, [], 1, 1)
    const answer = { ...empty, meta: { ...counts, from: null, to: null } }
    expect(await listCustomers(clientFor(answer))).toEqual(answer)
  })
})

describe('what only a gateway adds to a license', () => {
  const licenseWith = async (fields: object) => {
    const { license: read } = await clientFor({ license: { ...license, ...fields }, key }).licenses.validate(
      licenseId,
      { key: keyId },
    )
    return read
  }

  it.each([
    ['Pro', 'Pro'],
    ['x'.repeat(100), 'x'.repeat(100)],
    [null, null],
    ['x'.repeat(101), undefined],
    ['', undefined],
    [3, undefined],
    [undefined, undefined],
  ])('reads the plan %j as %j', async (given, read) => {
    expect(readPlan(given)).toBe(read)
    expect((await licenseWith({ plan: given })).plan).toBe(read)
  })

  const thousand = Array.from({ length: 1_000 }, (_, index) => `feature-${index}`)
  it.each([
    ['texts', ['export', 'sync'], ['export', 'sync']],
    ['texts beside other values', ['export', 3, null, {}, ['sync'], ''], ['export']],
    ['a text that is too long', ['x'.repeat(101), 'x'.repeat(100)], ['x'.repeat(100)]],
    ['the same text twice', ['export', 'export'], ['export']],
    ['a thousand texts, of which the first hundred count', thousand, thousand.slice(0, 100)],
    ['nothing', [], []],
    ['a text', 'export', undefined],
    ['an object', { export: true }, undefined],
    ['null', null, undefined],
    ['no list', undefined, undefined],
  ])('reads the features of %s', async (_what, given, read) => {
    expect(readFeatures(given)).toEqual(read)
    expect((await licenseWith({ features: given })).features).toEqual(read)
  })

  it('is missing without one', async () => {
    const names = Object.keys(await licenseWith({}))
    expect(names.filter((name) => name === 'plan' || name === 'features')).toEqual([])
  })
})
