import { describe, expect, it } from 'vitest'
import { type CommerceClient, createCommerceClient } from '../../src/index.ts'
import { errorOf } from '../error-of.ts'
import { customer, discount, key, keyId, license, licenseId, page, product } from '../samples.ts'
import { json, startService } from '../service.ts'

type Fields = Record<string, unknown>
/** A field, its value in the answer and, for a key, the value that is read. */
type LicenseRow = readonly [field: string, value: unknown]
type KeyRow = readonly [field: string, value: unknown, read: string | null]

/** Fields that have a value in the samples but may be null. */
const nullable = new Set(['max_redemptions', 'duration_in_months', 'from', 'to'])

/** Values of the wrong type for a field whose value is `value`. */
function wrongValues(value: unknown, name: string): unknown[] {
  if (name.endsWith('id')) return [7, null, 'no-uuid']
  if (nullable.has(name)) return ['7', {}]
  if (typeof value === 'number') return ['7', null, {}]
  if (typeof value === 'boolean') return ['true', 1, null]
  if (Array.isArray(value)) return [{}, null, 'x']
  if (typeof value === 'object' && value !== null) return [[], null, 'x']
  return [7, [], {}]
}

/** Fields of a license that may be absent, but not unreadable: whether the license may be used depends on them. */
const mayBeAbsent = new Set(['suspended_at', 'expires_at'])

/** Every way to make one field of an object invalid, with a description. */
function spoiled(
  sample: Fields,
  names: readonly string[] = Object.keys(sample),
): { name: string; how: string; object: Fields }[] {
  return names.flatMap((name) => {
    const { [name]: value, ...rest } = sample
    return [
      ...(mayBeAbsent.has(name) ? [] : [{ name, how: 'missing', object: rest }]),
      ...wrongValues(value, name).map((wrong) => ({
        name,
        how: JSON.stringify(wrong),
        object: { ...sample, [name]: wrong },
      })),
    ]
  })
}

const path = 'https://commerce.example/v1/customers'
const list = page(path, [customer(1)], 1, 1)
const { data: _data, links, meta } = list
const [metaLink] = meta.links

const places: {
  object: string
  sample: Fields
  field: string
  answer: (o: Fields) => unknown
  call: Call
  /** The fields that have to be readable; all of them when left out. */
  required?: readonly string[]
}[] = [
  {
    object: 'LicenseKey in show key',
    sample: { ...key },
    field: 'data.',
    answer: (o) => ({ data: o }),
    required: ['id'],
    call: (c) => c.licenses.key(licenseId, keyId),
  },
  {
    object: 'License in activate',
    sample: { ...license },
    field: 'license.',
    answer: (o) => ({ license: o, key }),
    required: ['id', 'status', 'suspended_at', 'expires_at'],
    call: (c) => c.licenses.activate(licenseId, { name: 'x' }),
  },
  {
    object: 'LicenseKey in activate',
    sample: { ...key },
    field: 'key.',
    answer: (o) => ({ license, key: o }),
    required: ['id'],
    call: (c) => c.licenses.activate(licenseId, { name: 'x' }),
  },
  {
    object: 'License in validate',
    sample: { ...license },
    field: 'license.',
    answer: (o) => ({ license: o, key }),
    required: ['id', 'status', 'suspended_at', 'expires_at'],
    call: (c) => c.licenses.validate(licenseId, { key: keyId }),
  },
  {
    object: 'the answer to validate',
    sample: { license, key },
    field: '',
    answer: (o) => o,
    call: (c) => c.licenses.validate(licenseId, { key: keyId }),
  },
  {
    object: 'the answer to deactivate',
    sample: { message: 'done' },
    field: '',
    answer: (o) => o,
    call: (c) => c.licenses.deactivate(licenseId, { key: keyId }),
  },
  {
    object: 'Discount',
    sample: { ...discount },
    field: 'data[0].',
    answer: (o) => ({ ...list, data: [o] }),
    call: (c) => c.discounts.list(),
  },
  {
    object: 'Product in a discount',
    sample: { ...product },
    field: 'data[0].products[0].',
    answer: (o) => ({ ...list, data: [{ ...discount, products: [o] }] }),
    call: (c) => c.discounts.list(),
  },
  {
    object: 'Customer',
    sample: { ...customer(1) },
    field: 'data[0].',
    answer: (o) => ({ ...list, data: [o] }),
    call: (c) => c.customers.list(),
  },
  {
    object: 'the envelope',
    sample: { ...list },
    field: '',
    answer: (o) => o,
    call: (c) => c.customers.list(),
  },
  {
    object: 'links',
    sample: { ...links },
    field: 'links.',
    answer: (o) => ({ ...list, links: o }),
    call: (c) => c.customers.list(),
  },
  {
    object: 'meta',
    sample: { ...meta },
    field: 'meta.',
    answer: (o) => ({ ...list, meta: o }),
    call: (c) => c.customers.list(),
  },
  {
    object: 'an entry of meta.links',
    sample: { ...metaLink },
    field: 'meta.links[0].',
    answer: (o) => ({ ...list, meta: { ...meta, links: [o] } }),
    call: (c) => c.customers.list(),
  },
]
type Call = (commerce: CommerceClient) => Promise<unknown>

describe.each(places)('$object', ({ sample, field, answer, call, required }) => {
  it.each(spoiled(sample, required))(
    '$name: $how is an unexpected answer that names the field',
    async ({ name, object }) => {
      const service = await startService(json(answer(object)))
      const promise = call(createCommerceClient({ baseUrl: service.baseUrl }))
      const error = await errorOf(promise)
      expect(error).toMatchObject({
        code: 'unexpected-answer',
        status: 200,
        isRetryable: true,
        bodyIsJson: true,
      })
      expect(error.field).toBe(field + name)
      expect(error.message).toContain(`field ${field + name}`)
    },
  )

  it('passes on undocumented fields', async () => {
    const service = await startService(json(answer({ ...sample, novelty: { deep: [1] } })))
    await call(createCommerceClient({ baseUrl: service.baseUrl }))
  })
})

describe('documented fields', () => {
  it.each(['ONCE', 'REPEATING', 'FOREVER'])('accepts a discount’s duration %s', async (duration) => {
    const path = '/v1/discounts'
    const service = await startService(json(page(path, [{ ...discount, duration }], 1, 1)))
    const { data } = await createCommerceClient({ baseUrl: service.baseUrl }).discounts.list()
    expect(data[0]?.duration).toBe(duration)
  })
})

describe('undocumented cases', () => {
  // The largest 64-bit integer. JSON can contain it, but JavaScript numbers lose digits.
  const huge = Number('9223372036854775807')
  const unknownNumbers = [undefined, null, huge, -1, 2.5, '3', {}]
  const noTexts = [undefined, null, 7, []]

  const unknownInLicense: readonly LicenseRow[] = [
    ...unknownNumbers.map((value): LicenseRow => ['activation_limit', value]),
    ...unknownNumbers.map((value): LicenseRow => ['activation_usage', value]),
    ...noTexts.map((value): LicenseRow => ['activation_usage_formatted', value]),
    ...noTexts.map((value): LicenseRow => ['created_at', value]),
    ...noTexts.map((value): LicenseRow => ['updated_at', value]),
    ['expires_at', undefined],
    ['suspended_at', undefined],
  ]
  it.each(unknownInLicense)('accepts a license whose %s is %j, as unknown', async (field, value) => {
    const service = await startService(json({ license: { ...license, [field]: value }, key }))
    const { licenses } = createCommerceClient({ baseUrl: service.baseUrl })
    for (const call of [
      licenses.validate(licenseId, { key: keyId }),
      licenses.activate(licenseId, { name: 'x' }),
    ]) {
      expect((await call).license).toEqual({ ...license, [field]: null })
    }
  })

  const unknownInKey: readonly KeyRow[] = [
    ...noTexts.map((value): KeyRow => ['name', value, '']),
    ...noTexts.map((value): KeyRow => ['created_at', value, null]),
    ...noTexts.map((value): KeyRow => ['updated_at', value, null]),
    ['created_at', 'last week', 'last week'],
  ]
  it.each(unknownInKey)('accepts a key whose %s is %j', async (field, value, read) => {
    const service = await startService((request, response) =>
      json(
        request.method === 'POST'
          ? { license, key: { ...key, [field]: value } }
          : { data: request.url.endsWith(keyId) ? { ...key, [field]: value } : [{ ...key, [field]: value }] },
      )(request, response),
    )
    const { licenses } = createCommerceClient({ baseUrl: service.baseUrl })
    const expected = { ...key, [field]: read }
    expect((await licenses.validate(licenseId, { key: keyId })).key).toEqual(expected)
    expect((await licenses.activate(licenseId, { name: 'x' })).key).toEqual(expected)
    expect(await licenses.key(licenseId, keyId)).toEqual(expected)
    expect(await licenses.keys(licenseId)).toEqual([expected])
  })

  it.each([
    '2031-01-02',
    '2031-01-02 03:04:05',
    '2031-01-02T03:04:05',
    '2031-01-02T03:04:05.123456789Z',
    '2031-01-02T03:04+02:00',
  ])('accepts the end %s and returns it unchanged', async (expires_at) => {
    const service = await startService(json({ license: { ...license, expires_at }, key }))
    const { licenses } = createCommerceClient({ baseUrl: service.baseUrl })
    expect((await licenses.validate(licenseId, { key: keyId })).license.expires_at).toBe(expires_at)
  })

  it('accepts a license without an end', async () => {
    const service = await startService(json({ license: { ...license, expires_at: null }, key }))
    const answer = await createCommerceClient({ baseUrl: service.baseUrl }).licenses.validate(licenseId, {
      key: keyId,
    })
    expect(answer.license.expires_at).toBeNull()
  })

  it('accepts an unknown status, product type and discount status', async () => {
    const service = await startService((request, response) =>
      json(
        request.method === 'POST'
          ? { license: { ...license, status: 'ON_HOLD' }, key }
          : {
              ...list,
              data: [{ ...discount, status: 'Paused', products: [{ ...product, type: 'COURSE' }] }],
            },
      )(request, response),
    )
    const commerce = createCommerceClient({ baseUrl: service.baseUrl })
    expect((await commerce.licenses.validate(licenseId, { key: keyId })).license.status).toBe('ON_HOLD')
    const discounts = await commerce.discounts.list()
    expect(discounts.data[0]).toMatchObject({ status: 'Paused', products: [{ type: 'COURSE' }] })
  })

  it('accepts discount dates in any format and returns amounts unchanged', async () => {
    const odd = { ...discount, type: 'FIXED', amount: 12.5, starts_at: '1 March 2026', ends_at: '2026-12-31' }
    const service = await startService(json({ ...list, data: [odd] }))
    const { data } = await createCommerceClient({ baseUrl: service.baseUrl }).discounts.list()
    expect(data).toEqual([odd])
  })

  it('accepts an empty page without positions', async () => {
    const empty = page(path, [], 1, 1)
    const service = await startService(json({ ...empty, meta: { ...empty.meta, from: null, to: null } }))
    expect((await createCommerceClient({ baseUrl: service.baseUrl }).customers.list()).data).toEqual([])
  })

  it.each([
    '2026-01-02T03:04:05Z',
    '2026-01-02T03:04:05.678Z',
    '2026-01-02T03:04:05.678901234Z',
    '2026-01-02T03:04:05+00:00',
    '2026-01-02T03:04:05-0530',
    '2026-01-02 03:04:05.6',
    '2026-01-02t03:04:05z',
  ])('accepts the timestamp %s and returns it unchanged', async (created_at) => {
    const service = await startService(json({ data: { ...key, created_at } }))
    const answer = await createCommerceClient({ baseUrl: service.baseUrl }).licenses.key(licenseId, keyId)
    expect(answer.created_at).toBe(created_at)
  })

  const unreadableDates = [
    'soon',
    '',
    '0000-00-00',
    '0000-00-00 00:00:00',
    '2026-02-30T00:00:00.000000Z',
    '1767323045',
    'at 2026-01-02T03:04:05Z',
    '2026-01-02T03:04:05Z or so',
    '2026-01-02T03:04:05.Z',
    '2026-01-02T03:04:05.1234567890Z',
    '2026-01-02T03:04:05+0',
    '2026-01-02T03:04:05+000',
  ]

  it.each(unreadableDates)('never reads %j as "no end" or "not suspended"', async (date) => {
    for (const field of ['expires_at', 'suspended_at']) {
      const service = await startService(json({ license: { ...license, [field]: date }, key }))
      const { licenses } = createCommerceClient({ baseUrl: service.baseUrl })
      const error = await errorOf(licenses.validate(licenseId, { key: keyId }))
      expect(error).toMatchObject({ code: 'unexpected-answer', field: `license.${field}` })
    }
  })

  it('reads every field of a page', async () => {
    const service = await startService(json(page(path, [customer(26)], 2, 3, 51)))
    expect(await createCommerceClient({ baseUrl: service.baseUrl }).customers.list({ page: 2 })).toEqual({
      data: [customer(26)],
      links: {
        first: `${path}?page=1`,
        last: `${path}?page=3`,
        prev: `${path}?page=1`,
        next: `${path}?page=3`,
      },
      meta: {
        current_page: 2,
        from: 26,
        to: 26,
        last_page: 3,
        per_page: 25,
        total: 51,
        path,
        links: [
          { url: `${path}?page=1`, label: 'Previous', active: false },
          { url: `${path}?page=2`, label: '2', active: true },
          { url: `${path}?page=3`, label: 'Next', active: false },
        ],
      },
    })
  })
})
