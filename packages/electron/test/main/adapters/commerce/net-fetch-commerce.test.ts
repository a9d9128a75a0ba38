import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import { isCommerceError } from '@latchkey/commerce'
import { afterAll, describe, expect, test } from 'vitest'
import type { CommercePort } from '../../../../src/core/ports/commerce-port.ts'
import { createNetFetchCommerce, type NetFetchCommerceOptions } from '../../../doubles/net-fetch-commerce.ts'

const licenseId = '11111111-2222-4333-8444-555555555555'
const keyId = '66666666-7777-4888-8999-aaaaaaaaaaaa'
const moment = '2026-11-01T12:00:00.123456Z'
const key = { id: keyId, name: 'Laptop', created_at: moment, updated_at: moment }
const license = {
  id: licenseId,
  activation_limit: 3,
  expires_at: moment,
  suspended_at: null,
  status: 'ACTIVE',
  activation_usage: 1,
  activation_usage_formatted: '1/3',
  created_at: moment,
  updated_at: moment,
}
const serverDate = 'Sun, 01 Nov 2026 12:00:00 GMT'

const servers: Server[] = []
afterAll(() => {
  for (const server of servers) {
    server.closeAllConnections()
    server.close()
  }
})

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The test server has no port')
  return `http://127.0.0.1:${address.port}/v1`
}

function commerceAt(baseUrl: string, options: Partial<NetFetchCommerceOptions> = {}): CommercePort {
  return createNetFetchCommerce({
    fetch: (input, init) => fetch(input, init),
    baseUrl,
    timeoutMs: 2000,
    ...options,
  })
}

interface Seen {
  readonly line: string
  readonly body: string
  readonly headers: IncomingMessage['headers']
}

/** Answers every route as the service does, and keeps what it was asked. */
async function service(): Promise<{ baseUrl: string; seen: Seen[] }> {
  const seen: Seen[] = []
  const baseUrl = await serve(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    seen.push({ line: `${request.method} ${request.url}`, body, headers: request.headers })
    const last = request.url?.split('/').at(-1)
    const answer =
      last === 'keys'
        ? { data: [key] }
        : last === keyId
          ? { data: key }
          : last === 'deactivate'
            ? { message: 'License key deactivated successfully.' }
            : { license, key }
    response.writeHead(200, { 'content-type': 'application/json', date: serverDate })
    response.end(JSON.stringify(answer))
  })
  return { baseUrl, seen }
}

const calls: Readonly<Record<keyof CommercePort, (commerce: CommercePort) => Promise<unknown>>> = {
  keys: (commerce) => commerce.keys(licenseId),
  key: (commerce) => commerce.key(licenseId, keyId),
  activate: (commerce) => commerce.activate(licenseId, 'Laptop [0123456789abcdef]'),
  validate: (commerce) => commerce.validate(licenseId, keyId),
  deactivate: (commerce) => commerce.deactivate(licenseId, keyId),
}

describe('the license routes over the platform’s fetch', () => {
  test('each is sent to the right address, and its answer contains the server’s time', async () => {
    const { baseUrl, seen } = await service()
    const commerce = commerceAt(baseUrl)
    const serverDateMs = Date.parse(serverDate)
    expect(await calls.keys(commerce)).toEqual({ value: [key], serverDateMs, isWhole: true })
    expect(await calls.key(commerce)).toEqual({ value: key, serverDateMs })
    expect(await calls.activate(commerce)).toEqual({ value: { license, key }, serverDateMs })
    expect(await calls.validate(commerce)).toEqual({ value: { license, key }, serverDateMs })
    expect(await calls.deactivate(commerce)).toMatchObject({ serverDateMs })
    expect(seen.map(({ line, body }) => `${line} ${body}`.trim())).toEqual([
      `GET /v1/licenses/${licenseId}/keys`,
      `GET /v1/licenses/${licenseId}/keys/${keyId}`,
      `POST /v1/licenses/${licenseId}/activate {"name":"Laptop [0123456789abcdef]"}`,
      `POST /v1/licenses/${licenseId}/validate {"key":"${keyId}"}`,
      `DELETE /v1/licenses/${licenseId}/deactivate {"key":"${keyId}"}`,
    ])
  })

  test('an answer without a date has no server time', async () => {
    const baseUrl = await serve((_request, response) => {
      response.sendDate = false
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ data: [] }))
    })
    expect(await commerceAt(baseUrl).keys(licenseId)).toEqual({
      value: [],
      serverDateMs: null,
      isWhole: true,
    })
  })

  test('configured headers and the token go with every request; neither without being asked', async () => {
    const { baseUrl, seen } = await service()
    await calls.validate(commerceAt(baseUrl, { accessToken: 'token-1', headers: { 'x-app': 'notes' } }))
    await calls.validate(commerceAt(baseUrl))
    expect(seen[0]?.headers).toMatchObject({ authorization: 'Bearer token-1', 'x-app': 'notes' })
    expect(seen[1]?.headers['authorization']).toBeUndefined()
  })
})

const faults: Readonly<Record<string, RequestListener>> = {
  'a connection that is reset': (request) => request.socket.destroy(),
  'a web page': (_request, response) => response.end('<!doctype html>'),
  nothing: (_request, response) => response.end(),
  'half an answer': (_request, response) => {
    response.writeHead(200, { 'content-length': 1000 })
    response.write('{"license":{')
    setImmediate(() => response.destroy())
  },
  'a redirect': (_request, response) => response.writeHead(302, { location: 'http://127.0.0.1:9/v1' }).end(),
  'a refusal': (_request, response) => response.writeHead(403).end(),
  'a failure': (_request, response) => response.writeHead(500).end('{"message":"boom"}'),
  silence: () => {},
}

describe.concurrent.each(Object.entries(faults))('when the service answers %s', (_what, listener) => {
  test.each(Object.entries(calls))(
    '%s rejects with a CommerceError that shows no secret',
    async (_name, call) => {
      const commerce = commerceAt(await serve(listener), { accessToken: 'token-1', timeoutMs: 300 })
      const error: unknown = await call(commerce).then(
        () => null,
        (thrown: unknown) => thrown,
      )
      expect(isCommerceError(error)).toBe(true)
      const told = [error, error instanceof Error ? error.cause : null].map(String).join()
      for (const secret of ['token-1', licenseId, keyId]) expect(told).not.toContain(secret)
    },
  )
})

test('a runtime whose fetch rejects with anything at all still ends in a CommerceError', async () => {
  for (const thrown of [new Error('net::ERR_INTERNET_DISCONNECTED'), 'text', undefined]) {
    const commerce = commerceAt('http://127.0.0.1:9/v1', { fetch: () => Promise.reject(thrown) })
    const error: unknown = await commerce.keys(licenseId).catch((reason: unknown) => reason)
    expect(isCommerceError(error) && error.code).toBe('unreachable')
  }
})

describe('a list of devices', () => {
  test.each([
    ['that does not end', 20],
    ['of which a page hangs', 60_000],
  ])(
    '%s in the time there is for it is as long as it got: it costs adoption, never the activation',
    async (_what, delayMs) => {
      const timers: NodeJS.Timeout[] = []
      const baseUrl = await serve((request, response) => {
        const page = Number(/page=(\d+)/.exec(request.url ?? '')?.[1] ?? 1)
        const id = `00000000-0000-4000-8000-${String(page).padStart(12, '0')}`
        const body = JSON.stringify({ data: [{ ...key, id }], links: { next: `?page=${page + 1}` } })
        timers.push(setTimeout(() => response.end(body), page === 1 ? 0 : delayMs))
      })
      const { value, isWhole } = await commerceAt(baseUrl, { listWithinMs: 200 }).keys(licenseId)
      for (const timer of timers) clearTimeout(timer)
      expect(value.length).toBeGreaterThan(0)
      expect(isWhole).toBe(false)
    },
  )
})
