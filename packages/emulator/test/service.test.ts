import { connect } from 'node:net'
import { emulatorForTest } from '@latchkey/scripts/test/side-by-side'
import { Validator } from '@seriousme/openapi-schema-validator'
import { beforeEach, describe, expect, it } from 'vitest'
import type { DialectChanges, Emulator, LicensePatch } from '../src/index.ts'
import { at, keyIdOf, type RawAnswer, type RawRequests, rawRequests } from './raw-requests.ts'

// What the interface says is in `conformance`. This is how the emulator fills in the rest.

const stranger = '00000000-0000-4000-8000-000000000000'
const json = { 'content-type': 'application/json', accept: 'application/json' }
const withToken = { ...json, authorization: 'Bearer demo' }

let emulator: Emulator
let requests: RawRequests
beforeEach(async () => {
  emulator = await emulatorForTest()
  requests = rawRequests(emulator)
})

const get = (path: string, headers: Record<string, string> = withToken): Promise<RawAnswer> =>
  requests.send('GET', path, { headers })
const post = (body?: unknown): Promise<RawAnswer> =>
  requests.send('POST', `/licenses/${emulator.demoLicense.id}/activate`, { body })
const put = (): Promise<RawAnswer> => requests.send('PUT', '/customers', { body: {} })
/** Activates a new license with these fields. */
const activateAt = (fields: object): Promise<RawAnswer> =>
  requests.activate('Laptop', emulator.control.createLicense(fields).id)
const activated = async (): Promise<string> => keyIdOf(await requests.activate('Laptop'))
/** Validates a key of a license with these fields. */
async function validateAt(fields: LicensePatch): Promise<RawAnswer> {
  const keyId = await activated()
  emulator.control.updateLicense(emulator.demoLicense.id, fields)
  return requests.validate(keyId)
}
async function removedKey(): Promise<string> {
  const keyId = await activated()
  emulator.control.removeKey(emulator.demoLicense.id, keyId)
  return keyId
}

const past = '2020-01-01'
const noType = { ...withToken, 'content-type': '' }
const anyAnswer = { ...withToken, accept: '*/*' }

type Send = () => Promise<RawAnswer>

it.each<[what: string, send: Send, status: number]>([
  ['no token', () => get('/customers', json), 401],
  ['a wrong token', () => get('/customers', { ...json, authorization: 'Bearer guess' }), 401],
  ['another scheme', () => get('/customers', { ...json, authorization: 'Basic demo' }), 401],
  ['no Content-Type', () => get('/customers', noType), 415],
  ['no Accept on a list', () => get('/customers', anyAnswer), 200],
  ['an unknown license', () => requests.keys(stranger), 404],
  ['text instead of a license id', () => requests.keys('abc'), 404],
  ['an unknown key, shown', () => requests.key(stranger), 404],
  ['an unknown key, validated', () => requests.validate(stranger), 404],
  ['an unknown key, deactivated', () => requests.deactivate(stranger), 404],
  ['a removed key, validated', async () => requests.validate(await removedKey()), 404],
  ['a removed key, deactivated', async () => requests.deactivate(await removedKey()), 404],
  ['no seat left', () => activateAt({ activation_limit: 0 }), 422],
  ['activation of a suspended license', () => activateAt({ suspended_at: past }), 422],
  ['activation of an expired license', () => activateAt({ expires_at: past }), 422],
  ['activation of a disabled license', () => activateAt({ status: 'DISABLED' }), 422],
  ['validation on a suspended license', () => validateAt({ suspended_at: past }), 200],
  ['validation on an expired license', () => validateAt({ expires_at: past }), 200],
  ['a body that is not JSON', () => post('{"name":'), 400],
  ['a body that is a list', () => post([]), 400],
  ['no body', () => post(), 422],
  ['a name of the wrong type', () => post({ name: 7 }), 422],
  ['a body of 2 MB', () => requests.activate('x'.repeat(2_000_000)), 413],
  ['a path that is not there', () => get('/orders'), 404],
  ['a method that is not there', put, 405],
  ['page 0', () => get('/customers?page=0'), 422],
  ['page 1.5', () => get('/customers?page=1.5'), 422],
  ['page abc', () => get('/customers?page=abc'), 422],
  ['a page beyond the last', () => get('/customers?page=99'), 200],
])('answers %s', async (_what, send, status) => {
  expect((await send()).status).toBe(status)
})

const shown = (fields: LicensePatch) => async () => {
  const status = at(await validateAt(fields), 'license.status')
  expect(status).toBe('SHOWN')
  return requests.keys()
}
const currentPage = (path: string, page: number) => async () => {
  const answer = await get(path)
  expect(at(answer, 'meta.current_page')).toBe(page)
  return answer
}

it.each<[DialectChanges, Send, status: number]>([
  [{ successStatus: { activate: 201 } }, () => requests.activate('Laptop'), 201],
  [{ requiresAccept: true }, () => get('/customers', anyAnswer), 406],
  [{ requiresContentType: false }, () => get('/customers', noType), 200],
  [{ refusalStatus: { 'removed-key': 410 } }, async () => requests.key(await removedKey()), 410],
  [{ refusalStatus: { method: 404 } }, put, 404],
  [{ activation: { acceptedStatuses: null } }, () => activateAt({ status: 'DISABLED' }), 200],
  [{ validation: { invalidKeyStatus: 400 } }, () => requests.validate(stranger), 400],
  [{ validation: { unusableLicense: 'refuse' } }, () => validateAt({ expires_at: past }), 422],
  [{ deactivation: { removedKey: 'answer' } }, async () => requests.deactivate(await removedKey()), 200],
  [{ shownStatus: { suspended: 'SHOWN' } }, shown({ suspended_at: past }), 200],
  [{ shownStatus: { expired: 'SHOWN' } }, shown({ expires_at: past }), 200],
  [{ paging: { invalidPage: 'nearest' } }, currentPage('/customers?page=abc', 1), 200],
  [{ paging: { invalidPage: 'nearest' } }, currentPage('/customers?page=2.5', 2), 200],
  [{ paging: { beyondLast: 'nearest' } }, currentPage('/customers?page=4', 3), 200],
  [{ paging: { beyondLast: 'refuse' } }, () => get('/customers?page=4'), 422],
])('answers differently in the dialect %j', async (dialect, send, status) => {
  emulator.control.useDialect(dialect)
  expect((await send()).status).toBe(status)
})

it.each([
  ['message', 'application/json {"message":"There is no such license."}'],
  ['error', 'application/json {"error":{"code":"unknown-license","message":"There is no such license."}}'],
  [
    'problem',
    'application/problem+json {"type":"urn:problem:unknown-license","title":"There is no such license.","status":404}',
  ],
  ['text', 'text/plain; charset=utf-8 There is no such license.'],
  ['empty', 'text/plain; charset=utf-8 '],
] as const)('formats a refusal as %s', async (refusalBody, expected) => {
  emulator.control.useDialect({ refusalBody })
  const { headers, text } = await requests.keys(stranger)
  expect(`${headers.get('content-type')} ${text}`).toBe(expected)
})

it('keeps running if a client disconnects during its request', async () => {
  const { hostname, port } = new URL(emulator.baseUrl)
  const socket = connect(Number(port), hostname)
  const path = `/v1/licenses/${emulator.demoLicense.id}/activate`
  await new Promise((sent) =>
    socket.write(`POST ${path} HTTP/1.1\r\nHost: ${hostname}\r\nContent-Length: 99\r\n\r\n{`, sent),
  )
  await new Promise((closed) => socket.once('close', closed).destroy())
  expect((await requests.activate('Laptop')).status).toBe(200)
  expect(emulator.control.requests()).toHaveLength(1)
})

describe('seats', () => {
  it('begin with an active demo license with 3 of them that ends in a year', () => {
    const { id, activation_limit, status, expires_at } = emulator.demoLicense
    expect([id, activation_limit, status]).toEqual(['4b11e191-a34e-424c-b391-d18776ed66b8', 3, 'ACTIVE'])
    expect(Math.round((Date.parse(expires_at ?? '') - Date.now()) / 86_400_000)).toBe(365)
  })

  it('are taken by every activation, even with the same name, and listed oldest first', async () => {
    for (const name of ['Phone', 'Laptop', 'Laptop']) await requests.activate(name)
    const keys = await requests.keys()
    expect(keys.body).toMatchObject({ data: [{ name: 'Phone' }, { name: 'Laptop' }, { name: 'Laptop' }] })
    const created = [0, 1, 2].map((index) => at(keys, `data.${index}.created_at`))
    expect(created).toEqual([...new Set(created)].sort())
  })

  it('are never more than the limit, when 100 devices activate at once', async () => {
    const names = Array.from({ length: 100 }, (_, index) => `Device ${index}`)
    const answers = await Promise.all(names.map((name) => requests.activate(name)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(3)
    expect(emulator.control.keys(emulator.demoLicense.id)).toHaveLength(3)
  })

  it('belong to one license only, and are found by ids in upper and lower case', async () => {
    const other = emulator.control.createLicense({ keys: ['Elsewhere'] })
    const keyId = emulator.control.keys(other.id)[0]?.id ?? ''
    expect((await requests.validate(keyId)).status).toBe(404)
    expect((await requests.deactivate(keyId)).status).toBe(404)
    const upper = [keyId, other.id].map((id) => id.toUpperCase()) as [string, string]
    expect((await requests.validate(...upper)).status).toBe(200)
    expect((await requests.deactivate(...upper)).status).toBe(200)
    expect(emulator.control.keys(other.id)).toEqual([])
  })

  it('stay taken when the limit is lowered below the number in use', async () => {
    await requests.activate('Phone')
    const lowered = await validateAt({ activation_limit: 1 })
    expect(at(lowered, 'license.activation_usage_formatted')).toBe('2/1')
    expect((await requests.activate('Tablet')).status).toBe(422)
  })
})

describe('pages', () => {
  it('of an empty list are one empty page', async () => {
    emulator.control.setTotals({ discounts: 0 })
    expect((await get('/discounts')).body).toMatchObject({
      data: [],
      links: { prev: null, next: null },
      meta: { current_page: 1, from: 0, to: 0, last_page: 1, total: 0 },
    })
  })

  it('of keys have the size that the dialect says', async () => {
    emulator.control.useDialect({ keysPaging: { perPage: 2 } })
    for (const name of ['a', 'b', 'c']) await requests.activate(name)
    const first = await requests.keys()
    expect(first.body).toMatchObject({ meta: { total: 3, per_page: 2, last_page: 2 } })
    const second = await get(String(at(first, 'links.next')).replace(emulator.baseUrl, ''))
    expect(second.body).toMatchObject({ data: [{ name: 'c' }], links: { next: null } })
  })

  it('link to the host that was requested', async () => {
    const base = emulator.baseUrl.replace('127.0.0.1', 'localhost')
    const answer = await fetch(`${base}/customers`, { headers: withToken })
    expect(await answer.json()).toMatchObject({ links: { next: `${base}/customers?page=2` } })
  })

  it('of a billion customers are served, and link only the nearest ones', async () => {
    emulator.control.setTotals({ customers: 1_000_000_000 })
    const last = await get('/customers?page=40000000')
    expect(last.body).toMatchObject({ meta: { to: 1_000_000_000, last_page: 40_000_000 } })
    const links = at(await get('/customers?page=20000'), 'meta.links')
    expect(Array.isArray(links) && links.map(({ label }: { label: string }) => label)).toEqual([
      'Previous',
      ...[1, 2, 19997, 19998, 19999, 20000, 20001, 20002, 20003, 39999999, 40000000].map(String),
      'Next',
    ])
  })
})

describe('the data', () => {
  const textOf = async (of: Emulator, path: string): Promise<string> =>
    (await rawRequests(of).send('GET', path)).text.replaceAll(of.origin, '')

  it('are the same from the same seed, and others from another seed', async () => {
    const [same, other] = [await emulatorForTest({ seed: 1 }), await emulatorForTest({ seed: 8 })]
    expect(same.demoLicense.id).toBe(emulator.demoLicense.id)
    expect(other.demoLicense.id).not.toBe(emulator.demoLicense.id)
    for (const path of ['/customers?page=2', '/discounts?page=2']) {
      const text = await textOf(emulator, path)
      expect(await textOf(same, path)).toBe(text)
      expect(await textOf(other, path)).not.toBe(text)
    }
    // An item depends only on its position.
    const items = at(await get('/customers'), 'data')
    emulator.control.setTotals({ customers: 5_000 })
    expect(at(await get('/customers'), 'data')).toEqual(items)
  })

  it('have discounts by percentage and by amount, which share products', async () => {
    const page: {
      data: { type: string; amount: number; total_formatted: string; products: { id: string }[] }[]
    } = JSON.parse(await textOf(emulator, '/discounts'))
    for (const { type, amount, total_formatted } of page.data) {
      expect(total_formatted).toBe(type === 'PERCENTAGE' ? `${amount}%` : `$${(amount / 100).toFixed(2)}`)
    }
    expect(new Set(page.data.map(({ type }) => type)).size).toBe(2)
    const products = page.data.flatMap((discount) => discount.products.map(({ id }) => id))
    expect(products.length).toBeGreaterThan(new Set(products).size)
  })

  it('can be the items themselves', async () => {
    const customers = [{ id: '1f8b7a52-2b0d-4d0a-9d3a-0c3f6a1e2b4c', name: 'Ada', email: 'ada@example.com' }]
    const given = await emulatorForTest({ seed: { version: 1, licenses: [], customers, discounts: [] } })
    expect((await rawRequests(given).send('GET', '/customers')).body).toMatchObject({ data: customers })
    expect(given.demoLicense.activation_limit).toBe(3)
    expect(() => given.control.setTotals({ customers: 3 })).toThrow('come from a data file')
  })
})

it('serves a valid OpenAPI 3.1 document with the fields of each object', async () => {
  const document = await (await fetch(`${emulator.origin}/openapi.json`)).json()
  const validator = new Validator()
  expect(await validator.validate(structuredClone(document))).toEqual({ valid: true })
  expect(validator.version).toBe('3.1')
  const { servers, paths, components } = document
  expect(servers).toMatchObject([{ url: emulator.baseUrl }])
  expect(Object.keys(paths)).toHaveLength(7)
  const success = paths['/licenses/{id}/activate'].post.responses['2XX'].content['application/json'].schema
  expect(success).toEqual({ $ref: '#/components/schemas/Activation' })
  const activation = await requests.activate('Laptop')
  for (const [name, object] of [
    ['Activation', activation.body],
    ['License', at(activation, 'license')],
    ['LicenseKey', at(activation, 'key')],
    ['Customer', at(await get('/customers'), 'data.0')],
    ['Discount', at(await get('/discounts'), 'data.0')],
  ] as const) {
    const { required, properties } = components.schemas[name]
    expect([required, Object.keys(properties)], name).toEqual([
      Object.keys(Object(object)),
      Object.keys(Object(object)),
    ])
  }
  expect(components.schemas.LicenseKey.properties).toEqual({
    id: expect.objectContaining({ type: 'string', format: 'uuid' }),
    name: { type: 'string' },
    created_at: { type: 'string', pattern: expect.stringContaining('\\.\\d{6}Z') },
    updated_at: { type: 'string', pattern: expect.stringContaining('\\.\\d{6}Z') },
  })
})
