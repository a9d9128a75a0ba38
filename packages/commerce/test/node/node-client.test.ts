import { execFile } from 'node:child_process'
import { getEventListeners, once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import path from 'node:path'
import { promisify } from 'node:util'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createCommerceClient, isCommerceError } from '../../src/index.ts'
import { createNodeClient, type NodeClient, type NodeClientOptions } from '../../src/node/index.ts'
import { key, licenseId } from '../samples.ts'
import { json, startService, text } from '../service.ts'

function nodeClient(options?: NodeClientOptions): NodeClient {
  const client = createNodeClient(options)
  onTestFinished(client.close)
  return client
}

test.each([
  ['gzip', gzipSync],
  ['x-gzip', gzipSync],
  ['Deflate', deflateSync],
  ['br', brotliCompressSync],
] as const)('reads an answer that a proxy compressed with %s anyway', async (encoding, compress) => {
  const service = await startService((_request, response) => {
    response.writeHead(200, { 'content-encoding': encoding })
    response.end(compress(JSON.stringify({ data: [key] })))
  })
  const { exchange } = nodeClient()
  const { licenses } = createCommerceClient({ baseUrl: service.baseUrl, exchange })
  expect(await licenses.keys(licenseId)).toEqual([key])
  expect(service.requests[0]?.headers['accept-encoding']).toBe('identity')
})

/** More than a connection and a decompressor buffer. */
const junk = Buffer.alloc(1_000_000, 'x')

test.each([
  ['isn’t compressed as its header says', [junk]],
  ['goes on after its compressed part', [gzipSync('{"data":[]}'), junk]],
])('keeps no connection open for a body that %s', async (_what, parts) => {
  const open = new Set<Socket>()
  const body = Buffer.concat(parts)
  const head = `HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${body.byteLength}\r\n\r\n`
  const server = createServer((socket) => {
    open.add(socket.on('error', () => {}).on('close', () => open.delete(socket)))
    socket.once('data', () => socket.write(Buffer.concat([Buffer.from(head), body])))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => {
    for (const socket of open) socket.destroy()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const { licenses } = createCommerceClient({
    baseUrl: `http://127.0.0.1:${port}/v1`,
    exchange: nodeClient().exchange,
  })
  await licenses.keys(licenseId).catch(() => null)
  await expect.poll(() => open.size).toBe(0)
})

test('names itself as Node’s fetch does, unless the client has a name', async () => {
  const service = await startService(json({ data: [] }))
  const { exchange } = nodeClient()
  for (const userAgent of [undefined, 'Notebook/1.2']) {
    await createCommerceClient({ baseUrl: service.baseUrl, exchange, userAgent }).licenses.keys(licenseId)
  }
  await fetch(service.baseUrl)
  expect(service.requests.map(({ headers }) => headers['user-agent'])).toEqual([
    'node',
    'Notebook/1.2',
    'node',
  ])
})

test('shows every header of an answer except those of its transport', async () => {
  const service = await startService((_request, response) => {
    response.writeHead(200, { 'set-cookie': ['a=1', 'b=2'], 'content-encoding': 'gzip', 'x-trace': 'é' })
    response.end(gzipSync('{"data":[]}'))
  })
  const { exchange } = nodeClient()
  const { licenses } = createCommerceClient({ baseUrl: service.baseUrl, exchange })
  let headers = new Headers()
  await licenses.keys(licenseId, { onAnswer: (answer) => (headers = answer.headers) })
  expect(headers.getSetCookie()).toEqual(['a=1', 'b=2'])
  expect(headers.get('x-trace')).toBe('é')
  expect(headers.has('content-encoding')).toBe(false)
})

test('sends requests through the proxy of the environment if Node is set to use it', async () => {
  const proxy = await startService(json({ data: [key] }))
  vi.stubEnv('HTTP_PROXY', proxy.origin)
  vi.stubEnv('http_proxy', proxy.origin)
  vi.stubEnv('NO_PROXY', '')
  vi.stubEnv('no_proxy', '')
  vi.stubEnv('NODE_USE_ENV_PROXY', '1')
  const baseUrl = 'http://commerce.invalid/v1'
  const keys = () =>
    createCommerceClient({ baseUrl, exchange: nodeClient().exchange }).licenses.keys(licenseId)
  expect(await keys()).toEqual([key])
  expect(proxy.requests[0]?.url).toBe(`${baseUrl}/licenses/${licenseId}/keys`)
  vi.stubEnv('NODE_USE_ENV_PROXY', '0')
  vi.stubEnv('NODE_OPTIONS', '--use-env-proxy')
  expect(await keys()).toEqual([key])
  vi.stubEnv('NODE_OPTIONS', '')
  const error: unknown = await keys().catch((thrown: unknown) => thrown)
  expect(isCommerceError(error) && error.code).toBe('unreachable')
  expect(proxy.requests).toHaveLength(2)
})

test('lets the process end although a connection is still open', async () => {
  const service = await startService(json({ data: [key] }))
  const program = path.join(import.meta.dirname, 'fixtures', 'one-request.ts')
  const { stdout } = await promisify(execFile)(process.execPath, [program, service.baseUrl])
  expect(JSON.parse(stdout)).toEqual([key])
})

test('its fetch sends any method, and returns too large a body as too large', async () => {
  const service = await startService((request, response) =>
    (request.method === 'PATCH' ? text('x'.repeat(200_000)) : json({ data: [] }, 204))(request, response),
  )
  const client = nodeClient({ maxFetchBytes: 1000 })
  const patch = new Request(service.baseUrl, { method: 'PATCH', body: '{}', headers: { 'x-app': 'notes' } })
  const answer = await client.fetch(patch)
  expect(answer.status).toBe(200)
  const { length } = await answer.text()
  expect(length).toBeGreaterThan(1000)
  expect(length).toBeLessThan(200_000)
  expect(service.requests[0]).toMatchObject({ method: 'PATCH', body: '{}', headers: { 'x-app': 'notes' } })
  const empty = await client.fetch(new Request(service.baseUrl))
  expect([empty.status, empty.body]).toEqual([204, null])
})

test('a signal stops a request before its answer and in the middle of it, and keeps no listener', async () => {
  const closed: Promise<unknown>[] = []
  const service = await startService((request, response) => {
    closed.push(once(response, 'close'))
    if (request.url.endsWith('/half')) response.writeHead(200).write('half')
    if (request.url.endsWith('/whole')) response.end('whole')
  })
  const { exchange } = nodeClient()
  const get = (place: string, { signal }: AbortController) =>
    exchange({ method: 'GET', url: `${service.origin}/${place}`, headers: {}, body: null }, signal)

  const kept = new AbortController()
  expect(await (await get('whole', kept)).text(100)).toBe('whole')
  await expect.poll(() => getEventListeners(kept.signal, 'abort')).toEqual([])

  const unanswered = new AbortController()
  const answer = get('none', unanswered)
  await expect.poll(() => service.requests.length).toBe(2)
  unanswered.abort()
  await expect(answer).rejects.toBe(unanswered.signal.reason)

  const midway = new AbortController()
  const body = (await get('half', midway)).text(100)
  midway.abort()
  await expect(body).rejects.toThrow()
  await Promise.all(closed)

  await expect(get('none', midway)).rejects.toBe(midway.signal.reason)
  expect(service.requests).toHaveLength(3)
})

test('fails running requests when it is closed', async () => {
  const client = createNodeClient()
  const service = await startService(() => client.close())
  const { licenses } = createCommerceClient({ baseUrl: service.baseUrl, exchange: client.exchange })
  const error: unknown = await licenses.keys(licenseId).catch((thrown: unknown) => thrown)
  expect(isCommerceError(error) && error.code).toBe('unreachable')
})
