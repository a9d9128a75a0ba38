import { createCommerceClient } from '@latchkey/commerce'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Emulator, startEmulator } from '../src/index.ts'
import {
  at,
  keyIdOf,
  type RawAnswer,
  type RawRequests,
  rawRequests,
  type ServiceAddress,
} from './raw-requests.ts'

// Every statement of the interface document about the service, tried with the emulator, or with the service that these
// variables name: LATCHKEY_CONFORMANCE_URL (ending in /v1), LATCHKEY_CONFORMANCE_TOKEN and LATCHKEY_CONFORMANCE_LICENSE (a
// license with two free seats, which are free again afterwards). What needs the emulator's control is skipped then.

const {
  LATCHKEY_CONFORMANCE_URL: url,
  LATCHKEY_CONFORMANCE_TOKEN = '',
  LATCHKEY_CONFORMANCE_LICENSE = '',
} = process.env
const withControl = it.skipIf(url !== undefined)

let service: ServiceAddress
let emulator: Emulator | null = null
let requests: RawRequests
let keyIds: string[] = []

beforeAll(async () => {
  if (url === undefined) {
    emulator = await startEmulator({ accessToken: 'demo', customers: 60, discounts: 120 })
  }
  service = emulator ?? {
    baseUrl: url ?? '',
    accessToken: LATCHKEY_CONFORMANCE_TOKEN,
    demoLicense: { id: LATCHKEY_CONFORMANCE_LICENSE },
  }
  requests = rawRequests(service)
})
afterAll(() => emulator?.close())
afterEach(async () => {
  for (const keyId of keyIds) await requests.deactivate(keyId)
  keyIds = []
  emulator?.control.reset()
})

/** The control of the emulator. */
function control(): Emulator['control'] {
  if (emulator === null) throw new Error('Only the emulator can be controlled.')
  return emulator.control
}

/** Activates a device. Its seat is freed after the test. */
async function activate(name = 'Conformance'): Promise<RawAnswer> {
  const answer = await requests.activate(name)
  keyIds.push(keyIdOf(answer))
  return answer
}

const get = (path: string): Promise<RawAnswer> => requests.send('GET', path)
const itemsAt = (answer: RawAnswer, path: string): unknown[] => {
  const items = at(answer, path)
  return Array.isArray(items) ? items : []
}
const ids = (answer: RawAnswer): unknown[] => itemsAt(answer, 'data').map((item) => at({ body: item }, 'id'))
const numberAt = (answer: RawAnswer, path: string): number => Number(at(answer, path))
const isRefusal = ({ status }: RawAnswer): boolean => status >= 400 && status < 500

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

/** Collects samples of each table's object. */
async function collect(): Promise<Readonly<Record<keyof typeof tables, unknown[]>>> {
  const keyId = keyIdOf(await activate())
  const validated = await requests.validate(keyId)
  const licenses = [at(validated, 'license')]
  if (emulator !== null) {
    const { id } = control().createLicense({ suspended_at: '2026-01-01', keys: ['Suspended'] })
    const [key] = control().keys(id)
    licenses.push(at(await requests.validate(key?.id ?? '', id), 'license'))
  }
  const pagesOf = (list: string) => Promise.all([1, 2, 3].map((page) => get(`/${list}?page=${page}`)))
  const [discounts, customers] = [await pagesOf('discounts'), await pagesOf('customers')]
  const pages = [...discounts, ...customers]
  return {
    LicenseKey: [
      at(validated, 'key'),
      at(await requests.key(keyId), 'data'),
      ...itemsAt(await requests.keys(), 'data'),
    ],
    License: licenses,
    Discount: discounts.flatMap((page) => itemsAt(page, 'data')),
    Product: discounts.flatMap((page) =>
      itemsAt(page, 'data').flatMap((discount) => Object(at({ body: discount }, 'products'))),
    ),
    Customer: customers.flatMap((page) => itemsAt(page, 'data')),
    page: pages.map(({ body }) => body),
    'page.links': pages.map((page) => at(page, 'links')),
    'page.meta': pages.map((page) => at(page, 'meta')),
    'page.meta.links': pages.flatMap((page) => itemsAt(page, 'meta.links')),
  }
}

const patterns: Readonly<Record<string, RegExp>> = {
  uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i,
  timestamp: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/,
}

function isOfType(type: string, value: unknown): boolean {
  if (type.includes('|')) return type.split('|').some((allowed) => allowed === value)
  const pattern = patterns[type]
  if (pattern) return typeof value === 'string' && pattern.test(value)
  if (type === 'integer') return Number.isSafeInteger(value)
  if (type === 'objects') return Array.isArray(value) && value.every((item) => isOfType('object', item))
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value)
  return typeof value === type
}

it('every object has the fields of its table, and from the emulator only those, in the same order', async () => {
  const samples = await collect()
  for (const [resource, table] of Object.entries(tables)) {
    const rows = table.split(', ').map((row) => row.split(' '))
    const objects = new Map(Object.entries(samples)).get(resource) ?? []
    expect(objects, resource).not.toEqual([])
    for (const object of objects) {
      const [fields, shown] = [Object.keys(Object(object)), rows.map(([field]) => field)]
      expect(fields, resource).toEqual(emulator ? shown : expect.arrayContaining(shown))
    }
    for (const [field = '', given = ''] of rows) {
      const type = given.replace('?', '')
      const values = objects.map((body) => at({ body }, field))
      const wrong = values.filter((value) => !(value === null ? given.endsWith('?') : isOfType(type, value)))
      expect(wrong, `${resource}.${field} is ${given}`).toEqual([])
      if (emulator === null) continue
      // A row about null, or about all possible values, proves something only if each case occurred.
      if (given.endsWith('?')) expect(new Set(values.map((value) => value === null)).size, field).toBe(2)
      if (type.includes('|')) expect(new Set(values), field).toEqual(new Set(type.split('|')))
    }
  }
})

describe('a license', () => {
  it('is activated, listed, shown, validated and deactivated through the client', async () => {
    const { baseUrl, demoLicense } = service
    const accessToken = service.accessToken ?? ''
    const { licenses } = createCommerceClient({ baseUrl, accessToken, timeout: 60_000 })
    const name = 'Ada’s Laptop [9f2c1a77b0e4d311] 💻'
    const { key, license } = await licenses.activate(demoLicense.id, { name })
    keyIds.push(key.id)
    expect([license.id, key.name]).toEqual([demoLicense.id, name])
    expect((await licenses.keys(demoLicense.id)).map(({ id }) => id)).toContain(key.id)
    expect((await licenses.key(demoLicense.id, key.id)).name).toBe(name)
    const validated = await licenses.validate(demoLicense.id, { key: key.id })
    expect([validated.license.id, validated.key.id]).toEqual([demoLicense.id, key.id])
    const { message } = await licenses.deactivate(demoLicense.id, { key: key.id })
    expect(message).toMatch(/deactivated/i)
    expect((await licenses.keys(demoLicense.id)).map(({ id }) => id)).not.toContain(key.id)
  })

  it('counts the activations in use, at most its limit', async () => {
    const [first, second] = [await activate(), await activate()]
    const usage = numberAt(first, 'license.activation_usage')
    expect(usage).toBeLessThanOrEqual(numberAt(first, 'license.activation_limit'))
    expect(at(second, 'license.activation_usage')).toBe(usage + 1)
    await requests.deactivate(keyIdOf(second))
    const answer = await requests.validate(keyIdOf(first))
    expect(at(answer, 'license.activation_usage')).toBe(usage)
    const formatted = `${usage}/${at(answer, 'license.activation_limit')}`
    expect(at(answer, 'license.activation_usage_formatted')).toBe(formatted)
  })

  it('has an uppercase status, of which ACTIVE is a known value', async () => {
    expect(at(await activate(), 'license.status')).toBe('ACTIVE')
  })

  withControl('has suspended_at null when it isn’t suspended', async () => {
    const answer = await activate()
    expect(at(answer, 'license.suspended_at')).toBeNull()
    control().suspend(service.demoLicense.id)
    expect(at(await requests.validate(keyIdOf(answer)), 'license.suspended_at')).not.toBeNull()
  })

  withControl('is set to ACTIVE by an activation, which checks its limit', async () => {
    const { id } = control().createLicense({ status: 'INACTIVE', activation_limit: 1 })
    expect(at(await requests.activate('Conformance', id), 'license.status')).toBe('ACTIVE')
    expect(await requests.activate('Conformance', id)).toSatisfy(isRefusal)
    expect(ids(await requests.keys(id))).toHaveLength(1)
  })

  it('can’t be activated without a name, nor validated or deactivated without a valid key', async () => {
    const path = `/licenses/${service.demoLicense.id}`
    for (const [method, verb] of [
      ['POST', 'activate'],
      ['POST', 'validate'],
      ['DELETE', 'deactivate'],
    ] as const) {
      expect(await requests.send(method, `${path}/${verb}`, { body: {} }), verb).toSatisfy(isRefusal)
    }
    const keyId = keyIdOf(await activate())
    await requests.deactivate(keyId)
    expect(await requests.validate(keyId)).toSatisfy(isRefusal)
  })
})

withControl(
  'a discount has a total by its type, months if it repeats, and a capitalized status',
  async () => {
    const caps = new Set<string>()
    const { baseUrl, accessToken } = service
    const commerce = createCommerceClient({ baseUrl, accessToken: accessToken ?? '' })
    for await (const discount of commerce.discounts.all()) {
      const { type, amount, total_formatted, duration, duration_in_months, status } = discount
      if (type === 'PERCENTAGE') expect(total_formatted).toBe(`${amount}%`)
      expect(duration_in_months === null).toBe(duration !== 'REPEATING')
      expect(status).toMatch(/^[A-Z][a-z]/)
      caps.add(typeof discount.max_redemptions)
    }
    if (emulator !== null) expect(caps).toEqual(new Set(['number', 'object']))
  },
)

describe('the pages of a list', () => {
  const path = '/customers'

  it('have 25 items by default, and tell where they are', async () => {
    const [first, second] = [await get(path), await get(`${path}?page=2`)]
    const [lastPage, total] = [numberAt(second, 'meta.last_page'), numberAt(second, 'meta.total')]
    expect(at(second, 'meta')).toMatchObject({
      per_page: 25,
      current_page: 2,
      from: 26,
      to: 25 + ids(second).length,
      last_page: Math.ceil(total / 25),
      path: `${service.baseUrl}${path}`,
    })
    expect(ids(first)).toHaveLength(Math.min(25, total))
    expect(at(first, 'links.prev')).toBeNull()
    expect(at(await get(`${path}?page=${lastPage}`), 'links.next')).toBeNull()
  })

  it('link to each other', async () => {
    const page = await get(`${path}?page=2`)
    const follow = async (link: string): Promise<unknown> => {
      const linked = String(at(page, `links.${link}`)).slice(service.baseUrl.length)
      return at(await get(linked), 'meta.current_page')
    }
    const linked = await Promise.all(['first', 'last', 'prev', 'next'].map(follow))
    expect(linked).toEqual([1, at(page, 'meta.last_page'), 1, 3])
  })

  it('have numbered links between Previous and Next, of which the present page is active', async () => {
    const linksOf = async (page: unknown) =>
      itemsAt(await get(`${path}?page=${page}`), 'meta.links') as {
        label: string
        active: boolean
        url: string | null
      }[]
    const links = await linksOf(2)
    const labels = links.map(({ label }) => label)
    expect([labels.at(0), labels.at(-1)]).toEqual(['Previous', 'Next'])
    for (const label of labels.slice(1, -1)) expect(label).toMatch(/^\d+$/)
    expect(links.filter(({ active }) => active).map(({ label }) => label)).toEqual(['2'])
    expect((await linksOf(1)).at(0)?.url).toBeNull()
    expect((await linksOf(at(await get(path), 'meta.last_page'))).at(-1)?.url).toBeNull()
  })

  withControl('have every item on one of them', async () => {
    const pages = await Promise.all([1, 2, 3].map((page) => get(`${path}?page=${page}`)))
    expect(new Set(pages.flatMap(ids)).size).toBe(numberAt(await get(path), 'meta.total'))
  })
})

it('answers with JSON, and not without the token', async () => {
  const answer = await get('/customers')
  expect(answer.headers.get('content-type')).toMatch(/^application\/json/)
  expect(answer.body).toBeDefined()
  const headers = { 'content-type': 'application/json', accept: 'application/json' }
  expect(await requests.send('GET', '/customers', { headers })).toSatisfy(isRefusal)
})

it('has the version in the address', async () => {
  expect(new URL(service.baseUrl).pathname).toMatch(/\/v1$/)
  if (emulator === null) return
  const response = await fetch(new URL('/customers', service.baseUrl), {
    headers: { authorization: 'Bearer demo', 'content-type': 'application/json' },
  })
  expect(response.status).toBe(404)
})
