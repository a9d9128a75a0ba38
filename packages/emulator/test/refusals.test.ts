import { connect } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { type DialectName, dialects, type Emulator, startEmulator } from '../src/index.ts'
import { at, keyIdOf, type RawRequests, rawRequests } from './raw-requests.ts'

const stranger = '00000000-0000-4000-8000-000000000000'
const json = { 'content-type': 'application/json', accept: 'application/json' }
const withToken = { ...json, authorization: 'Bearer demo' }

let emulator: Emulator
let requests: RawRequests
afterEach(() => emulator.close())

async function start(dialect: DialectName): Promise<void> {
  emulator = await startEmulator({ dialect })
  requests = rawRequests(emulator)
}

/** A request, and the status of each dialect's answer, in the order of their names. */
const cases: Record<string, { send: () => Promise<{ status: number }>; statuses: [number, number, number] }> =
  {
    'no token': {
      send: () => requests.send('GET', '/customers', { headers: json }),
      statuses: [401, 403, 401],
    },
    'a wrong token': {
      send: () => requests.send('GET', '/customers', { headers: { ...json, authorization: 'Bearer guess' } }),
      statuses: [401, 403, 401],
    },
    'a token of another scheme': {
      send: () => requests.send('GET', '/customers', { headers: { ...json, authorization: 'Basic demo' } }),
      statuses: [401, 403, 401],
    },
    'no Content-Type': {
      send: () => requests.send('GET', '/customers', { headers: { ...withToken, 'content-type': '' } }),
      statuses: [415, 200, 415],
    },
    'no Accept on a list': {
      send: () => requests.send('GET', '/customers', { headers: { ...withToken, accept: '*/*' } }),
      statuses: [200, 200, 406],
    },
    'an unknown license': { send: () => requests.keys(stranger), statuses: [404, 400, 404] },
    'text instead of a license id': { send: () => requests.keys('abc'), statuses: [404, 400, 404] },
    'an unknown key, shown': { send: () => requests.key(stranger), statuses: [404, 400, 404] },
    'an unknown key, validated': { send: () => requests.validate(stranger), statuses: [404, 400, 422] },
    'an unknown key, deactivated': { send: () => requests.deactivate(stranger), statuses: [404, 400, 404] },
    'a removed key, shown': {
      send: async () => requests.key(await removedKey()),
      statuses: [404, 400, 410],
    },
    'a removed key, validated': {
      send: async () => requests.validate(await removedKey()),
      statuses: [404, 400, 422],
    },
    'a removed key, deactivated': {
      send: async () => requests.deactivate(await removedKey()),
      statuses: [404, 200, 410],
    },
    'no seat left': {
      send: () => requests.activate('Laptop', emulator.control.createLicense({ activation_limit: 0 }).id),
      statuses: [422, 400, 409],
    },
    'activation of a suspended license': {
      send: () => requests.activate('Laptop', emulator.control.suspend(emulator.demoLicense.id).id),
      statuses: [422, 400, 403],
    },
    'activation of an expired license': {
      send: () => requests.activate('Laptop', emulator.control.expire(emulator.demoLicense.id).id),
      statuses: [422, 400, 403],
    },
    'activation of a disabled license': {
      send: () => requests.activate('Laptop', emulator.control.createLicense({ status: 'DISABLED' }).id),
      statuses: [422, 200, 403],
    },
    'validation on a suspended license': {
      send: async () => {
        const keyId = keyIdOf(await requests.activate('Laptop'))
        emulator.control.suspend(emulator.demoLicense.id)
        return requests.validate(keyId)
      },
      statuses: [200, 400, 403],
    },
    'validation on an expired license': {
      send: async () => {
        const keyId = keyIdOf(await requests.activate('Laptop'))
        emulator.control.expire(emulator.demoLicense.id)
        return requests.validate(keyId)
      },
      statuses: [200, 400, 403],
    },
    'a body that is not JSON': {
      send: () =>
        requests.send('POST', `/licenses/${emulator.demoLicense.id}/activate`, { body: '{"name":' }),
      statuses: [400, 400, 400],
    },
    'a body that is a list': {
      send: () => requests.send('POST', `/licenses/${emulator.demoLicense.id}/activate`, { body: [] }),
      statuses: [400, 400, 400],
    },
    'no body': {
      send: () => requests.send('POST', `/licenses/${emulator.demoLicense.id}/activate`),
      statuses: [422, 400, 422],
    },
    'a name of the wrong type': {
      send: () =>
        requests.send('POST', `/licenses/${emulator.demoLicense.id}/activate`, { body: { name: 7 } }),
      statuses: [422, 400, 422],
    },
    'a body of 2 MB': {
      send: () => requests.activate('x'.repeat(2_000_000)),
      statuses: [413, 400, 413],
    },
    'a path that is not there': { send: () => requests.send('GET', '/orders'), statuses: [404, 404, 404] },
    'a method that is not there': {
      send: () => requests.send('PUT', '/customers', { body: {} }),
      statuses: [405, 404, 405],
    },
    'page 0': { send: () => requests.send('GET', '/customers?page=0'), statuses: [422, 200, 422] },
    'page -1': { send: () => requests.send('GET', '/customers?page=-1'), statuses: [422, 200, 422] },
    'page 1.5': { send: () => requests.send('GET', '/customers?page=1.5'), statuses: [422, 200, 422] },
    'page abc': { send: () => requests.send('GET', '/customers?page=abc'), statuses: [422, 200, 422] },
    'a page beyond the last': {
      send: () => requests.send('GET', '/customers?page=99'),
      statuses: [200, 200, 422],
    },
  }

async function removedKey(): Promise<string> {
  const keyId = keyIdOf(await requests.activate('Laptop'))
  emulator.control.removeKey(emulator.demoLicense.id, keyId)
  return keyId
}

describe.each([
  ['default', 0],
  ['plain', 1],
  ['strict', 2],
] as const)('the dialect "%s"', (dialect, column) => {
  it.each(Object.entries(cases))('answers %s', async (_name, { send, statuses }) => {
    await start(dialect)
    expect((await send()).status).toBe(statuses[column])
  })
})

it('formats a refusal as the dialect does', async () => {
  await start('default')
  const bodies: [string | null, string][] = []
  for (const refusalBody of ['message', 'error', 'problem', 'text', 'empty'] as const) {
    emulator.control.useDialect({ ...dialects.default, refusalBody })
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
  await start('default')
  const { hostname, port } = new URL(emulator.baseUrl)
  const socket = connect(Number(port), hostname)
  socket.write(
    `POST /v1/licenses/${emulator.demoLicense.id}/activate HTTP/1.1\r\nHost: ${hostname}\r\nContent-Length: 99\r\n\r\n{`,
  )
  await new Promise((resolve) => setTimeout(resolve, 50))
  socket.destroy()
  expect((await requests.activate('Laptop')).status).toBe(200)
  expect(emulator.control.requests()).toHaveLength(1)
})

it('requires no token if configured', async () => {
  emulator = await startEmulator({ accessToken: null })
  requests = rawRequests(emulator)
  expect((await requests.send('GET', '/customers', { headers: json })).status).toBe(200)
})

it('answers with a success about an unusable license in dialects that do', async () => {
  await start('default')
  const keyId = keyIdOf(await requests.activate('Laptop'))
  emulator.control.suspend(emulator.demoLicense.id)
  expect((await requests.validate(keyId)).body).toMatchObject({
    license: { status: 'ACTIVE', suspended_at: expect.stringMatching(/\.\d{6}Z$/) },
  })
  emulator.control.useDialect({
    ...dialects.default,
    shownStatus: { suspended: 'SUSPENDED', expired: 'EXPIRED' },
  })
  expect(at(await requests.validate(keyId), 'license.status')).toBe('SUSPENDED')
  emulator.control.reinstate(emulator.demoLicense.id)
  emulator.control.expire(emulator.demoLicense.id)
  expect(at(await requests.validate(keyId), 'license.status')).toBe('EXPIRED')
})

it('pages keys in dialects that do', async () => {
  await start('strict')
  emulator.control.useDialect({ ...dialects.strict, keysPaging: { perPage: 2 } })
  for (const name of ['a', 'b', 'c']) await requests.activate(name)
  const first = await requests.keys()
  expect(first.body).toMatchObject({
    data: [{ name: 'a' }, { name: 'b' }],
    meta: { total: 3, per_page: 2, last_page: 2 },
  })
  const second = await fetch(String(at(first, 'links.next')), { headers: withToken })
  expect(await second.json()).toMatchObject({ data: [{ name: 'c' }], links: { next: null } })
})
