import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { createCommerceClient } from '@latchkey/commerce'
import { supportedNodes } from '@latchkey/scripts/packages/node-runtime'
import { describe, expect, onTestFinished, test } from 'vitest'
import { makeCertificate } from './certificate.ts'
import { accessToken } from './gateway-fixture.ts'
import { startGatewayHere, startGatewayProcess } from './gateway-process.ts'
import {
  bytesAnswer,
  jsonAnswer,
  type RawRequest,
  type RawUpstream,
  startRawUpstream,
} from './raw-upstream.ts'
import { keyId, licenseId, sampleKey, sampleLicense } from './wire-samples.ts'

/** Returns a complete, valid response to each of the five requests. */
function wholeAnswer({ head }: RawRequest): Buffer {
  if (head.startsWith('DELETE')) return jsonAnswer({ message: 'License key deactivated successfully.' })
  if (head.startsWith('POST')) return jsonAnswer({ license: sampleLicense, key: sampleKey })
  return jsonAnswer({ data: head.includes(`/keys/${keyId}`) ? sampleKey : [sampleKey] })
}

const service = (baseUrl: string) => ({ LATCHKEY_UPSTREAM: baseUrl, LATCHKEY_ACCESS_TOKEN: accessToken })

/** Parses the request line and the headers, by lowercase name. */
function parsed({ head }: RawRequest) {
  const [line = '', ...fields] = head.trimEnd().split('\r\n')
  const headers = fields.map((field) => {
    const [name = '', ...value] = field.split(':')
    return [name.toLowerCase(), value.join(':').trim()] as const
  })
  return { line, headers: Object.fromEntries(headers), count: headers.length }
}

const keyName = 'Ada’s laptop [0123456789abcdef]'

/** Sends the five requests of an app, and one more, because a stray body would be parsed as its start. */
async function walkAllRoutes(baseUrl: string): Promise<void> {
  const app = createCommerceClient({ baseUrl })
  expect(await app.licenses.keys(licenseId)).toEqual([sampleKey])
  expect(await app.licenses.key(licenseId, keyId)).toEqual(sampleKey)
  const { license, key } = await app.licenses.activate(licenseId, { name: keyName })
  expect([license, key]).toEqual([sampleLicense, sampleKey])
  expect((await app.licenses.validate(licenseId, { key: keyId })).license).toEqual(sampleLicense)
  await app.licenses.deactivate(licenseId, { key: keyId })
  expect(await app.licenses.keys(licenseId)).toEqual([sampleKey])
}

/** Expects all requests of {@link walkAllRoutes} to arrive unchanged, on few connections. */
function expectAllRoutes({ requests, stray, baseUrl }: RawUpstream): void {
  expect(stray()).toBe('')
  expect(requests.map((request) => [parsed(request).line, request.body])).toEqual([
    [`GET /v1/licenses/${licenseId}/keys HTTP/1.1`, ''],
    [`GET /v1/licenses/${licenseId}/keys/${keyId} HTTP/1.1`, ''],
    [
      `POST /v1/licenses/${licenseId}/activate HTTP/1.1`,
      Buffer.from(JSON.stringify({ name: keyName })).toString('latin1'),
    ],
    [`POST /v1/licenses/${licenseId}/validate HTTP/1.1`, JSON.stringify({ key: keyId })],
    [`DELETE /v1/licenses/${licenseId}/deactivate HTTP/1.1`, JSON.stringify({ key: keyId })],
    [`GET /v1/licenses/${licenseId}/keys HTTP/1.1`, ''],
  ])
  for (const request of requests) {
    const { headers, count } = parsed(request)
    expect(headers).toEqual({
      accept: 'application/json',
      'accept-encoding': expect.stringContaining('gzip'),
      'accept-language': '*',
      authorization: `Bearer ${accessToken}`,
      connection: 'keep-alive',
      'content-type': 'application/json',
      host: new URL(baseUrl).host,
      'latchkey-via': baseUrl,
      'sec-fetch-mode': 'cors',
      'user-agent': 'undici',
      ...(request.body === '' ? {} : { 'content-length': String(request.body.length) }),
    })
    // No header occurs twice.
    expect(count).toBe(Object.keys(headers).length)
  }
  // undici doesn't use a connection again after a DELETE with a body.
  expect(new Set(requests.map(({ connection }) => connection)).size).toBeLessThanOrEqual(3)
}

describe.each([...supportedNodes])('the installed gateway on Node %s', (node) => {
  test('sends each of the five routes completely, on a connection that stays usable', async () => {
    const upstream = await startRawUpstream({ answer: wholeAnswer })
    const { baseUrl } = await startGatewayProcess(service(upstream.baseUrl), { node })
    await walkAllRoutes(baseUrl)
    expectAllRoutes(upstream)
  })
})

test('sends requests over https, and rejects untrusted certificates', async () => {
  const tls = makeCertificate()
  const folder = await mkdtemp(path.join(tmpdir(), 'latchkey-ca-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const file = path.join(folder, 'ca.pem')
  await writeFile(file, tls.cert)
  const upstream = await startRawUpstream({ answer: wholeAnswer, tls })
  const settings = service(upstream.baseUrl)

  const distrustful = await startGatewayProcess(settings)
  const answer = await fetch(`${distrustful.baseUrl}/licenses/${licenseId}/keys`)
  expect([answer.status, await answer.json()]).toEqual([502, { error: 'upstream-unreachable' }])
  expect(upstream.requests).toEqual([])

  const { baseUrl } = await startGatewayProcess({ ...settings, NODE_EXTRA_CA_CERTS: file })
  await walkAllRoutes(baseUrl)
  expectAllRoutes(upstream)
})

describe('a service that compresses anyway', () => {
  test.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
  ] as const)('with %s is decompressed', async (encoding, compress) => {
    const upstream = await startRawUpstream({
      answer: () =>
        bytesAnswer(compress(Buffer.from(JSON.stringify({ data: [sampleKey] }))), '200 OK', [
          'Content-Type: application/json',
          `Content-Encoding: ${encoding}`,
        ]),
    })
    const { baseUrl } = await startGatewayHere(service(upstream.baseUrl))
    const app = createCommerceClient({ baseUrl })
    expect(await app.licenses.keys(licenseId)).toEqual([sampleKey])
  })

  test.each([
    ['half a stream', gzipSync(JSON.stringify({ data: [sampleKey] })).subarray(0, 40), 'gzip', 502],
    ['an encoding nobody knows', Buffer.from('{"data":[]}').reverse(), 'zip', 502],
  ])('but sends %s is treated as a failure', async (_what, content, encoding, status) => {
    const upstream = await startRawUpstream({
      answer: () => bytesAnswer(content, '200 OK', [`Content-Encoding: ${encoding}`]),
    })
    const { baseUrl } = await startGatewayHere(service(upstream.baseUrl))
    expect((await fetch(`${baseUrl}/licenses/${licenseId}/keys`)).status).toBe(status)
  })

  test('but sends a decompression bomb is cut off, with little memory used', async () => {
    // 256 MiB of zeros in 256 KiB.
    const bomb = gzipSync(Buffer.alloc(256 * 1024 ** 2))
    const upstream = await startRawUpstream({
      answer: () => bytesAnswer(bomb, '200 OK', ['Content-Encoding: gzip']),
    })
    const gateway = await startGatewayProcess({
      ...service(upstream.baseUrl),
      LATCHKEY_METRICS_PORT: '0',
    })
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => fetch(`${gateway.baseUrl}/licenses/${licenseId}/keys`)),
    )
    for (const answer of answers) {
      expect(answer.status).toBe(502)
      expect(await answer.json()).toEqual({ error: 'upstream-unexpected-answer' })
    }
    const metrics = await (await fetch(`http://127.0.0.1:${gateway.metricsPort}/metrics`)).text()
    const bytes = Number(/^process_resident_memory_bytes (\S+)$/m.exec(metrics)?.[1])
    expect(bytes).toBeGreaterThan(10_000_000)
    expect(bytes).toBeLessThan(400_000_000)
  })
})
