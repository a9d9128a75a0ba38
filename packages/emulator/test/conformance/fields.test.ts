import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { keyIdOf } from '../raw-requests.ts'
import { fieldRows, isOfType, type Resource } from './field-rows.ts'
import { openServiceUnderTest, type ServiceUnderTest } from './service-under-test.ts'

/** The same object as it was sent and as the client returned it. */
type Pair = [raw: unknown, client: unknown]

let service: ServiceUnderTest
const samples = new Map<Resource, Pair[]>()
const keyIds: string[] = []

beforeAll(async () => {
  service = await openServiceUnderTest()
  const { raw, commerce, licenseId, emulator } = service
  const activation = await raw.activate('Conformance')
  const keyId = keyIdOf(activation)
  const activated = await commerce.licenses.activate(licenseId, { name: 'Conformance, by the client' })
  keyIds.push(keyId, activated.key.id)

  const validation = await raw.validate(keyId)
  const validated = await commerce.licenses.validate(licenseId, { key: keyId })
  collect('License', valueAt(validation.body, 'license'), validated.license)
  collect('LicenseKey', valueAt(validation.body, 'key'), validated.key)
  collect(
    'LicenseKey',
    valueAt((await raw.key(keyId)).body, 'data'),
    await commerce.licenses.key(licenseId, keyId),
  )
  collectAll('LicenseKey', valueAt((await raw.keys()).body, 'data'), await commerce.licenses.keys(licenseId))
  if (emulator) {
    const { id } = emulator.control.createLicense({ suspended_at: '2026-01-01', keys: ['Suspended'] })
    const [key] = emulator.control.keys(id)
    const answer = await raw.validate(key?.id ?? '', id)
    const suspended = await commerce.licenses.validate(id, { key: key?.id ?? '' })
    collect('License', valueAt(answer.body, 'license'), suspended.license)
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

describe.each(fieldRows)('$resource.$field', ({ resource, field, type, nullable, values }) => {
  const pairs = (): Pair[] => samples.get(resource) ?? []

  it(`is ${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type}${nullable ? ' or null' : ''}`, () => {
    const found = pairs().map(([raw]) => valueAt(raw, field))
    expect(found).not.toEqual([])
    for (const value of found) {
      if (value === null) expect(nullable, `${field} is null`).toBe(true)
      else expect(isOfType(type, value), `${field} is ${JSON.stringify(value)}`).toBe(true)
      if (values && value !== null) expect(values).toContain(value)
    }
    // A row about null proves something only if both cases occurred.
    if (nullable && service.emulator) expect(new Set(found.map((value) => value === null)).size).toBe(2)
    if (values && service.emulator) expect(new Set(found)).toEqual(new Set(values))
  })

  it('is returned by the client as it was sent', () => {
    for (const [raw, client] of pairs()) {
      if (client === undefined) continue
      const [sent, given] = [valueAt(raw, field), valueAt(client, field)]
      // A service may send fields at any depth that no table has. The client drops them.
      if (typeof given === 'object' && given !== null) expect(sent).toMatchObject(given)
      else expect(given).toEqual(sent)
    }
  })
})

describe.each([...new Set(fieldRows.map(({ resource }) => resource))])('%s', (resource) => {
  it('has the fields of its table, and from the emulator only those, in the same order', () => {
    const shown = fieldRows.filter((row) => row.resource === resource).map(({ field }) => field)
    for (const [raw, client] of samples.get(resource) ?? []) {
      const fields = Object.keys(Object(raw))
      if (service.emulator) expect(fields).toEqual(shown)
      expect(fields).toEqual(expect.arrayContaining(shown))
      if (client !== undefined) expect(Object.keys(Object(client)).sort()).toEqual([...shown].sort())
    }
  })
})

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
