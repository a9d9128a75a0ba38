import { onTestEnd } from '@latchkey/scripts/test/side-by-side'
import { describe, expect, test } from 'vitest'
import { createGateway, type Gateway, type GatewayLogLine } from '../src/index.ts'
import { startGatewayServer } from '../src/node/index.ts'
import { freePort } from './free-port.ts'
import { accessToken, gatewayOf, keyName, startService } from './gateway-fixture.ts'

const licenseId = '4f9f1c1e-8c1f-4b39-9c53-0d5a4d4f7a11'
const keyId = '7a1c7b9e-2f6a-4f51-8b0e-b3f2f3f0f0aa'
const publicUrl = 'https://licenses.vendor.example/v1'
const leadsBack = 'LATCHKEY_UPSTREAM, or upstream.baseUrl in code, leads back to this gateway'

const routes = [
  ['GET', 'keys'],
  ['GET', `keys/${keyId}`],
  ['POST', 'activate', { name: keyName }],
  ['POST', 'validate', { key: keyId }],
  ['DELETE', 'deactivate', { key: keyId }],
] as const

function requestTo(baseUrl: string, [method, path, json]: (typeof routes)[number]): Request {
  return new Request(`${baseUrl}/licenses/${licenseId}/${path}`, {
    method,
    headers: json === undefined ? {} : { 'content-type': 'application/json' },
    ...(json !== undefined && { body: JSON.stringify(json) }),
  })
}

describe('a gateway whose upstream is its own public address', () => {
  test.each(routes)('answers its own request at once, and says what to correct: %s %s', async (...route) => {
    const lines: GatewayLogLine[] = []
    const gateway: Gateway = createGateway({
      upstream: { baseUrl: publicUrl, accessToken, fetch: (own) => gateway(own) },
      log: (line) => lines.push(line),
    })
    const answer = await gateway(requestTo(publicUrl, route as (typeof routes)[number]))
    expect([answer.status, await answer.json()]).toEqual([508, { error: 'upstream-loop' }])
    expect(lines).toMatchObject([
      { level: 'error', status: 508, code: 'upstream-loop', detail: expect.stringContaining(leadsBack) },
      { level: 'error', status: 508, code: 'upstream-loop', upstreamStatus: 508 },
    ])
    expect(JSON.stringify(lines)).not.toContain(accessToken)
  })

  test('also if another instance gets the request', async () => {
    const lines: GatewayLogLine[] = []
    const instance = () =>
      createGateway({
        upstream: { baseUrl: publicUrl, accessToken, fetch: (own) => nextInstance()(own) },
        log: (line) => lines.push(line),
      })
    const instances: readonly Gateway[] = [instance(), instance()]
    let turn = 0
    const nextInstance = (): Gateway => {
      const next = instances[turn++ % 2]
      if (next === undefined) throw new Error('There is no instance.')
      return next
    }
    expect((await nextInstance()(requestTo(publicUrl, routes[0]))).status).toBe(508)
    expect(lines).toHaveLength(2)
  })

  test('on Node, whose upstream is its own address', async () => {
    const port = await freePort()
    const lines: GatewayLogLine[] = []
    const baseUrl = `http://127.0.0.1:${port}/v1`
    await startServer(baseUrl, lines, port)
    const answer = await fetch(requestTo(baseUrl, routes[0]))
    expect([answer.status, await answer.json()]).toEqual([508, { error: 'upstream-loop' }])
    expect(lines).toHaveLength(2)
  })
})

describe('a gateway in front of another gateway', () => {
  test('works, and the service gets the header of the one in front of it', async () => {
    const emulator = await startService()
    const inner = await startServer(emulator.baseUrl, [])
    const outer = await startServer(`http://127.0.0.1:${inner.port}/v1`, [])
    const path = `http://127.0.0.1:${outer.port}/v1/licenses/${emulator.demoLicense.id}`
    const json = { 'content-type': 'application/json' }
    const activation = await fetch(`${path}/activate`, {
      method: 'POST',
      headers: json,
      body: JSON.stringify({ name: keyName }),
    })
    expect(activation.status).toBe(200)
    const { key } = await activation.json()
    expect((await (await fetch(`${path}/keys`)).json()).data).toMatchObject([{ id: key.id }])
    const requests = emulator.control.requests()
    expect(requests).toHaveLength(2)
    for (const { headers } of requests) expect(headers['latchkey-via']).toBe(emulator.baseUrl)
  })

  test('gets no header of a stranger passed on', async () => {
    const emulator = await startService()
    const { port } = await startServer(emulator.baseUrl, [])
    const path = `http://127.0.0.1:${port}/v1/licenses/${emulator.demoLicense.id}/keys`
    for (const via of ['hello', publicUrl]) {
      expect((await fetch(path, { headers: { 'latchkey-via': via } })).status).toBe(200)
    }
    for (const { headers } of emulator.control.requests())
      expect(headers['latchkey-via']).toBe(emulator.baseUrl)
  })

  test('passes on that the other one reaches itself', async () => {
    const inner: Gateway = createGateway({
      upstream: { baseUrl: publicUrl, accessToken, fetch: (own) => inner(own) },
    })
    const { call, lines } = gatewayOf(await startService(), { upstream: { fetch: (own) => inner(own) } })
    expect((await call('GET', `/licenses/${licenseId}/keys`)).status).toBe(508)
    expect(lines).toMatchObject([
      { level: 'error', detail: expect.stringContaining('leads to a gateway whose own requests come back') },
    ])
  })
})

async function startServer(baseUrl: string, lines: GatewayLogLine[], port = 0) {
  const server = await startGatewayServer({
    upstream: { baseUrl, accessToken },
    port,
    host: '127.0.0.1',
    log: (line) => lines.push(line),
    warn: () => {},
  })
  onTestEnd(() => server.close())
  return server
}
