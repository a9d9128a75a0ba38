import { connect } from 'node:net'
import { Validator } from '@seriousme/openapi-schema-validator'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type DialectChanges, type Emulator, startEmulator } from '../src/index.ts'
import { at, keyIdOf, type RawAnswer, type RawRequests, rawRequests } from './raw-requests.ts'

// What the interface says is in `conformance`. This is how the emulator fills in the rest.

const stranger = '00000000-0000-4000-8000-000000000000'
const json = { 'content-type': 'application/json', accept: 'application/json' }
const withToken = { ...json, authorization: 'Bearer demo' }

let emulator: Emulator
let requests: RawRequests
beforeEach(async () => {
  emulator = await startEmulator({ accessToken: 'demo' })
  requests = rawRequests(emulator)
})
afterEach(() => emulator.close())

const get = (path: string, headers: Record<string, string> = withToken): Promise<RawAnswer> =>
  requests.send('GET', path, { headers })
const post = (body?: unknown): Promise<RawAnswer> =>
  requests.send('POST', `/licenses/${emulator.demoLicense.id}/activate`, body === undefined ? {} : { body })
/** Activates a new license with these fields. */
const activateAt = (fields: object): Promise<RawAnswer> =>
  requests.activate('Laptop', emulator.control.createLicense(fields).id)
const activated = async (): Promise<string> => keyIdOf(await requests.activate('Laptop'))

async function removedKey(): Promise<string> {
  const keyId = await activated()
  emulator.control.removeKey(emulator.demoLicense.id, keyId)
  return keyId
}

async function validateAfter(verb: 'suspend' | 'expire'): Promise<RawAnswer> {
  const keyId = await activated()
  emulator.control[verb](emulator.demoLicense.id)
  return requests.validate(keyId)
}

const past = '2020-01-01'

/** Requests, and the status of the answer by default. */
const statuses: [what: string, send: () => Promise<RawAnswer>, status: number][] = [
  ['no token', () => get('/customers', json), 401],
  ['a wrong token', () => get('/customers', { ...json, authorization: 'Bearer guess' }), 401],
  ['another scheme', () => get('/customers', { ...json, authorization: 'Basic demo' }), 401],
  ['no Content-Type', () => get('/customers', { ...withToken, 'content-type': '' }), 415],
  ['no Accept on a list', () => get('/customers', { ...withToken, accept: '*/*' }), 200],
  ['an unknown license', () => requests.keys(stranger), 404],
  ['text instead of a license id', () => requests.keys('abc'), 404],
  ['an unknown key, shown', () => requests.key(stranger), 404],
  ['an unknown key, validated', () => requests.validate(stranger), 404],
  ['an unknown key, deactivated', () => requests.deactivate(stranger), 404],
  ['a removed key, validated', async () => requests.validate(await removedKey()), 404],
  ['no seat left', () => activateAt({ activation_limit: 0 }), 422],
  ['activation of a suspended license', () => activateAt({ suspended_at: past }), 422],
  ['activation of an expired license', () => activateAt({ expires_at: past }), 422],
  ['activation of a disabled license', () => activateAt({ status: 'DISABLED' }), 422],
  ['validation on a suspended license', () => validateAfter('suspend'), 200],
  ['validation on an expired license', () => validateAfter('expire'), 200],
  ['a body that is not JSON', () => post('{"name":'), 400],
  ['a body that is a list', () => post([]), 400],
  ['no body', () => post(), 422],
  ['a name of the wrong type', () => post({ name: 7 }), 422],
  ['a body of 2 MB', () => requests.activate('x'.repeat(2_000_000)), 413],
  ['a path that is not there', () => get('/orders'), 404],
  ['a method that is not there', () => requests.send('PUT', '/customers', { body: {} }), 405],
  ['page 0', () => get('/customers?page=0'), 422],
  ['page 1.5', () => get('/customers?page=1.5'), 422],
  ['page abc', () => get('/customers?page=abc'), 422],
  ['a page beyond the last', () => get('/customers?page=99'), 200],
]

it.each(statuses)('answers %s', async (_what, send, status) => {
  expect((await send()).status).toBe(status)
})

// The other choices are tested through the client, in `conformance/not-shown`.
it.each<[DialectChanges, () => Promise<RawAnswer>, number]>([
  [{ requiresAccept: true }, () => get('/customers', { ...withToken, accept: '*/*' }), 406],
  [{ requiresContentType: false }, () => get('/customers', { ...withToken, 'content-type': '' }), 200],
  [{ refusalStatus: { 'removed-key': 410 } }, async () => requests.key(await removedKey()), 410],
  [{ refusalStatus: { method: 404 } }, () => requests.send('PUT', '/customers', { body: {} }), 404],
  [{ activation: { acceptedStatuses: null } }, () => activateAt({ status: 'DISABLED' }), 200],
  [{ paging: { invalidPage: 'nearest' } }, () => get('/customers?page=abc'), 200],
])('answers differently in the dialect %j', async (dialect, send, status) => {
  emulator.control.useDialect(dialect)
  expect((await send()).status).toBe(status)
})

it('formats a refusal as the dialect does', async () => {
  const bodies: [string | null, string][] = []
  for (const refusalBody of ['message', 'error', 'problem', 'text', 'empty'] as const) {
    emulator.control.useDialect({ refusalBody })
    const { headers, text } = await requests.keys(stranger)
    bodies.push([headers.get('content-type'), text])
  }
  expect(bodies).toEqual([
    ['application/json', '{"message":"There is no such license."}'],
    ['application/json', '{"error":{"code":"unknown-license","message":"There is no such license."}}'],
    [
      'application/problem+json',
      '{"type":"urn:problem:unknown-license","title":"There is no such license.","status":404}',
    ],
    ['text/plain; charset=utf-8', 'There is no such license.'],
    ['text/plain; charset=utf-8', ''],
  ])
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
    expect(emulator.demoLicense).toMatchObject({
      id: '4b11e191-a34e-424c-b391-d18776ed66b8',
      activation_limit: 3,
      status: 'ACTIVE',
      suspended_at: null,
    })
    const days = (Date.parse(emulator.demoLicense.expires_at ?? '') - Date.now()) / 86_400_000
    expect(Math.round(days)).toBe(365)
  })

  it('are taken by every activation, even with the same name, and listed oldest first', async () => {
    const usage: unknown[] = []
    for (const name of ['Phone', 'Laptop', 'Laptop', 'Tablet']) {
      usage.push(at(await requests.activate(name), 'license.activation_usage_formatted'))
    }
    expect(usage).toEqual(['1/3', '2/3', '3/3', undefined])
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

  it('are free after a deactivation, and the key is gone', async () => {
    const keyId = await activated()
    const { body } = await requests.deactivate(keyId)
    expect(body).toEqual({ message: 'The license key was deactivated successfully.' })
    expect((await requests.keys()).body).toEqual({ data: [] })
    for (const ask of [requests.key, requests.validate, requests.deactivate]) {
      expect((await ask(keyId)).status).toBe(404)
    }
  })

  it('belong to one license only', async () => {
    const other = emulator.control.createLicense({ keys: ['Elsewhere'] })
    const keyId = emulator.control.keys(other.id)[0]?.id ?? ''
    expect((await requests.validate(keyId)).status).toBe(404)
    expect((await requests.deactivate(keyId)).status).toBe(404)
    expect(emulator.control.keys(other.id)).toHaveLength(1)
  })

  it('are found by ids in upper and lower case', async () => {
    const answer = await requests.activate('Laptop', emulator.demoLicense.id.toUpperCase())
    expect((await requests.validate(keyIdOf(answer).toUpperCase())).status).toBe(200)
  })

  it('stay taken when the limit is lowered below the number in use', async () => {
    const keyId = await activated()
    await requests.activate('Phone')
    emulator.control.updateLicense(emulator.demoLicense.id, { activation_limit: 1 })
    expect(at(await requests.validate(keyId), 'license.activation_usage_formatted')).toBe('2/1')
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

  it('are the nearest ones, or refused, as the dialect does', async () => {
    emulator.control.useDialect({ paging: { invalidPage: 'nearest', beyondLast: 'nearest' } })
    expect(at(await get('/customers?page=4'), 'meta.current_page')).toBe(3)
    expect(at(await get('/customers?page=2.5'), 'meta.current_page')).toBe(2)
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

  it('of a long list link only the nearest ones', async () => {
    emulator.control.setTotals({ customers: 1_000_000 })
    const links = at(await get('/customers?page=20000'), 'meta.links')
    expect(Array.isArray(links) && links.map(({ label }: { label: string }) => label)).toEqual([
      'Previous',
      ...[1, 2, 19997, 19998, 19999, 20000, 20001, 20002, 20003, 39999, 40000].map(String),
      'Next',
    ])
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
  expect(components.schemas.Activation.properties).toEqual({
    license: { $ref: '#/components/schemas/License' },
    key: { $ref: '#/components/schemas/LicenseKey' },
  })
  expect(components.schemas.LicenseKey).toEqual({
    type: 'object',
    properties: {
      id: expect.objectContaining({ type: 'string', format: 'uuid' }),
      name: { type: 'string' },
      created_at: { type: 'string', pattern: expect.stringContaining('\\.\\d{6}Z') },
      updated_at: { type: 'string', pattern: expect.stringContaining('\\.\\d{6}Z') },
    },
    required: ['id', 'name', 'created_at', 'updated_at'],
  })
  const answers = { License: 'license', LicenseKey: 'key' }
  const activation = await requests.activate('Laptop')
  for (const [name, field] of Object.entries(answers)) {
    expect(Object.keys(Object(at(activation, field)))).toEqual(components.schemas[name].required)
  }
  for (const [name, path] of Object.entries({ Customer: '/customers', Discount: '/discounts' })) {
    expect(Object.keys(Object(at(await get(path), 'data.0')))).toEqual(components.schemas[name].required)
  }
})
