import { type Emulator, startEmulator } from '@latchkey/emulator'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { accessToken } from './gateway-fixture.ts'
import { type StartedGateway, startGatewayHere } from './gateway-process.ts'
import { rawExchange, statusesIn } from './raw-connection.ts'

const id = '11111111-2222-4333-8444-555555555555'
const key = '99999999-2222-4333-8444-555555555555'
const body = `{"key":"${key}"}`
/** The request that an attacker wants to hide from a proxy in front of the gateway. */
const smuggled = `DELETE /v1/licenses/${id}/deactivate HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`

function post(headers: string[], content: string): string {
  const head = [
    `POST /v1/licenses/${id}/validate HTTP/1.1`,
    'Host: x',
    'Content-Type: application/json',
    ...headers,
  ]
  return `${head.join('\r\n')}\r\n\r\n${content}`
}

let emulator: Emulator
let gateway: StartedGateway
beforeAll(async () => {
  emulator = await startEmulator({ accessToken, customers: 0, discounts: 0 })
  gateway = await startGatewayHere(
    {
      LATCHKEY_UPSTREAM: emulator.baseUrl,
      LATCHKEY_ACCESS_TOKEN: accessToken,
      LATCHKEY_DEVICES_PAGE: '1',
    },
    { endsWithTest: false },
  )
}, 60_000)
afterAll(async () => {
  await gateway.stop()
  await emulator.close()
})

/** Watches the log of the installed gateway from now on. Lines arrive with a delay, because the log is a pipe. */
function watch() {
  emulator.control.clearRequests()
  gateway.clearLines()
  const logged = async (count: number) => {
    await vi.waitFor(() => expect(gateway.requestLines().length).toBeGreaterThanOrEqual(count), {
      timeout: 60_000,
    })
    return gateway.requestLines()
  }
  return { origin: gateway.origin, logged }
}

describe('bytes that a proxy and the gateway could parse as different requests', () => {
  test.each([
    [
      'both lengths',
      post([`Content-Length: ${body.length}`, 'Transfer-Encoding: chunked'], `0\r\n\r\n${smuggled}`),
    ],
    [
      'both lengths, chunked first',
      post(['Transfer-Encoding: chunked', 'Content-Length: 4'], `0\r\n\r\n${smuggled}`),
    ],
    ['two different lengths', post(['Content-Length: 0', `Content-Length: ${smuggled.length}`], smuggled)],
    ['a length that is no number', post(['Content-Length: 0x10'], smuggled)],
    ['a length with a sign', post(['Content-Length: +16'], smuggled)],
    ['a list of lengths', post(['Content-Length: 0, 16'], smuggled)],
    ['an encoding spelt strangely', post(['Transfer-Encoding: xchunked'], `0\r\n\r\n${smuggled}`)],
    ['an encoding before chunked', post(['Transfer-Encoding: chunked, identity'], `0\r\n\r\n${smuggled}`)],
    [
      'two encodings',
      post(['Transfer-Encoding: chunked', 'Transfer-Encoding: identity'], `0\r\n\r\n${smuggled}`),
    ],
    [
      'a space before the colon',
      post(['Transfer-Encoding : chunked', `Content-Length: ${body.length}`], `0\r\n\r\n${smuggled}`),
    ],
    [
      'a folded header',
      post(['Transfer-Encoding:\r\n chunked', `Content-Length: ${body.length}`], `0\r\n\r\n${smuggled}`),
    ],
    [
      'a vertical tab',
      post(['Transfer-Encoding:\u000bchunked', `Content-Length: ${body.length}`], `0\r\n\r\n${smuggled}`),
    ],
    [
      'a bare line feed',
      `POST /v1/licenses/${id}/validate HTTP/1.1\nHost: x\nContent-Length: 0\n\n${smuggled}`,
    ],
    ['a bare carriage return', post(['X-A: b\rContent-Length: 0'], smuggled)],
    ['a NUL in a header', post(['X-A: b\u0000c', 'Content-Length: 0'], smuggled)],
    ['a chunk size that overflows', post(['Transfer-Encoding: chunked'], `fffffffffffffffff\r\n${smuggled}`)],
    ['a chunk size with junk', post(['Transfer-Encoding: chunked'], `0x10\r\n${smuggled}`)],
    ['a chunk longer than it says', post(['Transfer-Encoding: chunked'], `1\r\nAA\r\n0\r\n\r\n${smuggled}`)],
    ['no host', `GET /v1/licenses/${id}/keys HTTP/1.1\r\n\r\n${smuggled}`],
    ['two hosts', post(['Host: y', 'Content-Length: 0', 'X: \u0001'], smuggled)],
    ['HTTP/0.9', `GET /v1/licenses/${id}/keys\r\n\r\n`],
    ['HTTP/2 without asking', `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n`],
    ['no HTTP at all', `\u0016\u0003\u0001\u0002\u0000\u0001`],
    ['100 kB of header', post([`X-A: ${'a'.repeat(100_000)}`, 'Content-Length: 0'], smuggled)],
  ])(
    '%s: refused and logged once, the connection is closed, nothing is sent to the service',
    async (_what, bytes) => {
      const { origin, logged } = watch()
      const said = await rawExchange(origin, bytes)
      expect(statusesIn(said)).toEqual([expect.toSatisfy((status: number) => status >= 400 && status < 500)])
      expect(said.toLowerCase()).toContain('connection: close')
      expect(emulator.control.requests()).toEqual([])
      const lines = await logged(1)
      expect(lines).toHaveLength(1)
      expect(lines[0]).toMatchObject({
        level: 'warn',
        code: expect.stringMatching(/malformed-request|invalid-body/),
      })
    },
  )
})

describe('a request target that URL parsing would turn into a route', () => {
  test.each([
    `/v1/x/../licenses/${id}/keys`,
    `/v1/./licenses/${id}/keys`,
    `/v1/licenses/${id}/keys/.`,
    `/v1/licenses/${id}/x/%2e%2e/keys`,
    `/v1/licenses/${id}/x/.%2E/keys`,
    `/v1\\licenses\\${id}\\keys`,
    `/v1/licenses/${id}/\\../keys`,
    `//evil.example/v1/licenses/${id}/keys`,
    `http://evil.example/v1/licenses/${id}/keys`,
    `https://127.0.0.1/v1/licenses/${id}/keys`,
    '*',
    '/v1/customers',
    '/v1/../v1/customers',
    `/v1/licenses/${'a'.repeat(6_000)}/keys`,
  ])('%s: not served, logged once, nothing is sent to the service', async (target) => {
    const { origin, logged } = watch()
    const said = await rawExchange(origin, `GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
    expect(statusesIn(said)).toEqual([404])
    expect(emulator.control.requests()).toEqual([])
    expect(await logged(1)).toMatchObject([{ code: 'no-such-route', level: 'warn' }])
  })

  test('the correct path is served with any Host header', async () => {
    const hosts = [
      'licenses.vendor.example',
      'evil.example:99',
      '/v1/customers?',
      'a@b',
      '1.2.3',
      '9.9.9.999',
      '',
    ]
    const { origin, logged } = watch()
    const licenseId = emulator.demoLicense.id
    for (const host of hosts) {
      const said = await rawExchange(
        origin,
        `GET /v1/licenses/${licenseId}/keys HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
      )
      expect(statusesIn(said)).toEqual([200])
    }
    expect(emulator.control.requests().map(({ headers }) => headers['host'])).toEqual(
      hosts.map(() => new URL(emulator.origin).host),
    )
    expect(await logged(hosts.length)).toHaveLength(hosts.length)
  })

  test.each([
    ['licenses.vendor.example', 'https://licenses.vendor.example', 200],
    ['licenses.vendor.example:8443', 'https://licenses.vendor.example:8443', 200],
    ['licenses.vendor.example', 'https://evil.example', 403],
    ['evil.example@licenses.vendor.example', 'https://licenses.vendor.example', 403],
  ])('a form from an older browser, sent to %s by %s: %i', async (host, from, status) => {
    const form = `licenseKey=${emulator.demoLicense.id}`
    const said = await rawExchange(
      gateway.origin,
      `POST /v1/devices HTTP/1.1\r\nHost: ${host}\r\nOrigin: ${from}\r\nConnection: close\r\n` +
        `Content-Type: application/x-www-form-urlencoded\r\nContent-Length: ${form.length}\r\n\r\n${form}`,
    )
    expect(statusesIn(said)).toEqual([status])
  })

  test('an HTTP/1.0 health check is answered, and nothing after it on the connection', async () => {
    const { origin, logged } = watch()
    expect(statusesIn(await rawExchange(origin, 'GET /healthz HTTP/1.0\r\n\r\n'))).toEqual([200])
    expect(statusesIn(await rawExchange(origin, `GET /healthz HTTP/1.0\r\n\r\n${smuggled}`))).toEqual([400])
    expect(await logged(1)).toMatchObject([{ code: 'malformed-request' }])
    expect(emulator.control.requests()).toEqual([])
  })

  test('an unknown method is not served', async () => {
    const { origin, logged } = watch()
    for (const method of ['HEAD', 'OPTIONS', 'TRACE', 'PUT', 'PROPFIND']) {
      const said = await rawExchange(
        origin,
        `${method} /v1/licenses/${id}/keys HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
      )
      expect(statusesIn(said)).toEqual([404])
    }
    await rawExchange(origin, `CONNECT evil.example:443 HTTP/1.1\r\nHost: x\r\n\r\n`)
    expect(emulator.control.requests()).toEqual([])
    expect((await logged(5)).map(({ code }) => code)).toEqual(Array(5).fill('no-such-route'))
  })
})
