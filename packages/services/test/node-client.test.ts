import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import path from 'node:path'
import { promisify } from 'node:util'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { type CommerceClient, createCommerceClient } from '@latchkey/commerce'
import { expect, onTestFinished, test, vi } from 'vitest'
import { key, licenseId } from '../../commerce/test/samples.ts'
import { errorOf, json, startService } from '../../commerce/test/service.ts'
import { createNodeClient } from '../src/node.ts'

/** A commerce client with connections of its own, which close after the test. */
function clientOf(baseUrl: string): CommerceClient {
  const { fetch, close } = createNodeClient()
  onTestFinished(close)
  return createCommerceClient({ baseUrl, fetch })
}

test.each([
  ['gzip', gzipSync],
  ['x-gzip', gzipSync],
  ['Deflate', deflateSync],
  ['br', brotliCompressSync],
] as const)('reads an answer that is compressed with %s', async (encoding, compress) => {
  const service = await startService((_request, response) => {
    response.writeHead(200, { 'content-encoding': encoding })
    response.end(compress(JSON.stringify({ data: [key] })))
  })
  expect(await clientOf(service.baseUrl).licenses.keys(licenseId)).toEqual([key])
})

test('shows every header of an answer', async () => {
  const service = await startService((_request, response) => {
    response.writeHead(200, { 'set-cookie': ['a=1', 'b=2'], 'x-trace': 'é' }).end('{"data":[]}')
  })
  let headers = new Headers()
  await clientOf(service.baseUrl).licenses.keys(licenseId, {
    onAnswer: (answer) => (headers = answer.headers),
  })
  expect(headers.getSetCookie()).toEqual(['a=1', 'b=2'])
  expect(headers.get('x-trace')).toBe('é')
})

/** Sets the environment's proxy, but not yet that Node uses it. */
function stubProxy(address: string): void {
  for (const name of ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'https_proxy']) vi.stubEnv(name, address)
  for (const name of ['NO_PROXY', 'no_proxy', 'NODE_USE_ENV_PROXY', 'NODE_OPTIONS']) vi.stubEnv(name, '')
}

test('sends requests through the proxy of the environment if Node is set to use it', async () => {
  const proxy = await startService(json({ data: [key] }))
  stubProxy(proxy.origin.replace('//', '//ada:pa55w0rd@'))
  const baseUrl = 'http://commerce.invalid/v1'
  const keys = () => clientOf(baseUrl).licenses.keys(licenseId)
  expect(await errorOf(keys())).toMatchObject({ code: 'unreachable' })
  expect(proxy.requests).toEqual([])
  vi.stubEnv('NODE_USE_ENV_PROXY', '1')
  expect(await keys()).toEqual([key])
  const password = `Basic ${btoa('ada:pa55w0rd')}`
  expect(proxy.requests[0]).toMatchObject({
    url: `${baseUrl}/licenses/${licenseId}/keys`,
    headers: { 'proxy-authorization': password },
  })
  vi.stubEnv('NODE_USE_ENV_PROXY', '0')
  vi.stubEnv('NODE_OPTIONS', '--use-env-proxy')
  expect(await keys()).toEqual([key])
})

test('names a proxy that refuses a request', async () => {
  const proxy = createServer()
  proxy.on('connect', (_request, socket) => socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n'))
  onTestFinished(() => void proxy.close())
  await once(proxy.listen(0, '127.0.0.1'), 'listening')
  const address = proxy.address()
  stubProxy(`http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`)
  vi.stubEnv('NODE_USE_ENV_PROXY', '1')
  const error = await errorOf(clientOf('https://commerce.invalid/v1').licenses.keys(licenseId))
  expect(error).toMatchObject({ code: 'unreachable', reason: 'network', cause: { code: 'ERR_PROXY_TUNNEL' } })
})

test('returns the status 407, which asks for a password', async () => {
  const service = await startService(json({}, 407))
  const error = await errorOf(clientOf(service.baseUrl).licenses.keys(licenseId))
  expect(error).toMatchObject({ code: 'unauthorized', status: 407 })
})

test('lets the process end although a connection is still open', async () => {
  const service = await startService(json({ data: [key] }))
  const program = path.join(import.meta.dirname, 'fixtures', 'one-request.ts')
  const { stdout } = await promisify(execFile)(process.execPath, [program, service.baseUrl])
  expect(JSON.parse(stdout)).toEqual([key])
})

test('sends any method, and returns an answer without a body', async () => {
  const service = await startService((_request, response) => response.writeHead(204).end())
  const { fetch, close } = createNodeClient()
  onTestFinished(close)
  const request = new Request(service.baseUrl, {
    method: 'PATCH',
    body: '{}',
    headers: { 'x-app': 'notes' },
  })
  const answer = await fetch(request)
  expect([answer.status, answer.body]).toEqual([204, null])
  expect(service.requests[0]).toMatchObject({ method: 'PATCH', body: '{}', headers: { 'x-app': 'notes' } })
})

test('fails running requests when it is closed', async () => {
  const { fetch, close } = createNodeClient()
  const service = await startService(close)
  const { licenses } = createCommerceClient({ baseUrl: service.baseUrl, fetch })
  expect(await errorOf(licenses.activate(licenseId, { name: 'x' }))).toMatchObject({ code: 'unreachable' })
})
