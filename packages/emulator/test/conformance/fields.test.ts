import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { keyIdOf } from '../raw-requests.ts'
import { openServiceUnderTest, type ServiceUnderTest } from './service-under-test.ts'

/** The field tables of the interface document, in its order. A question mark: or null. */
const tables = {
  LicenseKey: 'id uuid, name string, created_at timestamp, updated_at timestamp',
  License:
    'id uuid, activation_limit integer, expires_at timestamp, suspended_at timestamp?, status string, activation_usage integer, activation_usage_formatted string, created_at timestamp, updated_at timestamp',
  Discount:
    'id uuid, store_id uuid, name string, code string, published boolean, type PERCENTAGE|FIXED, amount number, starts_at string?, ends_at string?, max_redemptions number?, duration ONCE|REPEATING|FOREVER, duration_in_months number?, total_formatted string, status string, products objects, created_at string, updated_at string',
  Product:
    'id uuid, store_id uuid, name string, description string, slug string, published boolean, display_on_storefront boolean, type string, email_receipt_button_text string?, email_receipt_button_link string?, email_receipt_message string?, archived boolean, created_at timestamp, updated_at timestamp',
  Customer: 'id uuid, name string, email string',
  page: 'data objects, links object, meta object',
  'page.links': 'first string, last string, prev string?, next string?',
  'page.meta':
    'current_page integer, from integer, to integer, last_page integer, per_page integer, total integer, path string, links objects',
  'page.meta.links': 'url string?, label string, active boolean',
} as const

type Resource = keyof typeof tables

const patterns: Readonly<Record<string, RegExp>> = {
  uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i,
  timestamp: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/,
}

const rows = Object.entries(tables).flatMap(([resource, table]) =>
  table.split(', ').map((row) => {
    const [field = '', shown = ''] = row.split(' ')
    return {
      resource: resource as Resource,
      field,
      type: shown.replace('?', ''),
      nullable: shown.endsWith('?'),
    }
  }),
)

/** The same object as it was sent and as the client returned it. */
type Pair = [raw: unknown, client: unknown]

let service: ServiceUnderTest
const samples = new Map<Resource, Pair[]>()
const keyIds: string[] = []

beforeAll(async () => {
  service = await openServiceUnderTest()
  const { raw, commerce, licenseId, emulator } = service
  const keyId = keyIdOf(await raw.activate('Conformance'))
  const activated = await commerce.licenses.activate(licenseId, { name: 'Conformance, by the client' })
  keyIds.push(keyId, activated.key.id)

  const validation = await raw.validate(keyId)
  const validated = await commerce.licenses.validate(licenseId, { key: keyId })
  collect('License', valueAt(validation.body, 'license'), validated.license)
  collect('LicenseKey', valueAt(validation.body, 'key'), validated.key)
  const shown = await commerce.licenses.key(licenseId, keyId)
  collect('LicenseKey', valueAt((await raw.key(keyId)).body, 'data'), shown)
  collectAll('LicenseKey', valueAt((await raw.keys()).body, 'data'), await commerce.licenses.keys(licenseId))
  if (emulator) {
    const { id } = emulator.control.createLicense({ suspended_at: '2026-01-01', keys: ['Suspended'] })
    const key = emulator.control.keys(id)[0]?.id ?? ''
    const suspended = await commerce.licenses.validate(id, { key })
    collect('License', valueAt((await raw.validate(key, id)).body, 'license'), suspended.license)
  }

  for (const page of [1, 2, 3]) {
    const customers = await raw.send('GET', `/customers?page=${page}`)
    collectPage('Customer', customers.body, await commerce.customers.list({ page }))
    const discounts = await raw.send('GET', `/discounts?page=${page}`)
    collectPage('Discount', discounts.body, await commerce.discounts.list({ page }))
  }
  for (const [discount, parsed] of [...(samples.get('Discount') ?? [])]) {
    collectAll('Product', valueAt(discount, 'products'), valueAt(parsed, 'products'))
  }
})

afterAll(async () => {
  for (const keyId of keyIds) await service.raw.deactivate(keyId)
  await service.close()
})

it.each(rows)(
  '$resource.$field is $type, as the client returns it',
  ({ resource, field, type, nullable }) => {
    const pairs = samples.get(resource) ?? []
    const found = pairs.map(([raw]) => valueAt(raw, field))
    expect(found).not.toEqual([])
    for (const value of found) {
      if (value === null) expect(nullable, `${field} is null`).toBe(true)
      else expect(isOfType(type, value), `${field} is ${JSON.stringify(value)}`).toBe(true)
    }
    // A row about null, or about all possible values, proves something only if each case occurred.
    if (nullable && service.emulator) expect(new Set(found.map((value) => value === null)).size).toBe(2)
    if (type.includes('|') && service.emulator) expect(new Set(found)).toEqual(new Set(type.split('|')))
    for (const [raw, client] of pairs) {
      if (client === undefined) continue
      const [sent, given] = [valueAt(raw, field), valueAt(client, field)]
      // A service may send fields at any depth that no table has. The client drops them.
      if (typeof given === 'object' && given !== null) expect(sent).toMatchObject(given)
      else expect(given).toEqual(sent)
    }
  },
)

describe.each(Object.keys(tables) as Resource[])('%s', (resource) => {
  it('has the fields of its table, and from the emulator only those, in the same order', () => {
    const shown = rows.filter((row) => row.resource === resource).map(({ field }) => field)
    for (const [raw, client] of samples.get(resource) ?? []) {
      const fields = Object.keys(Object(raw))
      if (service.emulator) expect(fields).toEqual(shown)
      expect(fields).toEqual(expect.arrayContaining(shown))
      if (client !== undefined) expect(Object.keys(Object(client)).sort()).toEqual([...shown].sort())
    }
  })
})

function isOfType(type: string, value: unknown): boolean {
  if (type.includes('|')) return type.split('|').some((allowed) => allowed === value)
  const pattern = patterns[type]
  if (pattern) return typeof value === 'string' && pattern.test(value)
  if (type === 'integer') return Number.isSafeInteger(value)
  if (type === 'objects') return Array.isArray(value) && value.every((item) => isOfType('object', item))
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value)
  return typeof value === type
}

function collect(resource: Resource, raw: unknown, client: unknown): void {
  samples.set(resource, [...(samples.get(resource) ?? []), [raw, client]])
}

function collectAll(resource: Resource, raw: unknown, client: unknown): void {
  const [rawItems, clientItems] = [listOf(raw), listOf(client)]
  expect(clientItems).toHaveLength(rawItems.length)
  rawItems.forEach((item, index) => {
    collect(resource, item, clientItems[index])
  })
}

function collectPage(resource: Resource, raw: unknown, client: unknown): void {
  collectAll(resource, valueAt(raw, 'data'), valueAt(client, 'data'))
  collect('page', raw, client)
  collect('page.links', valueAt(raw, 'links'), valueAt(client, 'links'))
  const [rawMeta, clientMeta] = [valueAt(raw, 'meta'), valueAt(client, 'meta')]
  collect('page.meta', rawMeta, clientMeta)
  collectAll('page.meta.links', valueAt(rawMeta, 'links'), valueAt(clientMeta, 'links'))
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

function valueAt(holder: unknown, field: string): unknown {
  return new Map(Object.entries(Object(holder))).get(field)
}
