import { expect, test } from 'vitest'
import { runCli } from '../run-cli.ts'
import { gatewayForTest, routeOf } from './gateway-for-test.ts'

test.each([
  ['https', 'https://licensing.example.com:8443', 'https://licensing.example.com:8443/v1'],
  ['a path of that name', 'https://example.com/licenses', 'https://example.com/licenses/v1'],
  ['another host', 'https://user:secret@other.example.com/base', 'https://other.example.com/base/v1'],
])('shows where an address redirects to, without the license key: %s', async (_where, target, shown) => {
  const { emulator, url, doctor } = await gatewayForTest((request) => ({
    status: 301,
    headers: { location: `${target}${request.url}?key=${emulator.demoLicense.id}` },
  }))
  const { exitCode, out } = await doctor()
  expect(out).toMatch(/^BAD {3}base URL +this address redirects to /mu)
  expect(out).toContain(`${shown} (status 301): use that one. Apps follow no redirects`)
  expect(out).not.toMatch(/secret|key=/u)
  expect(out).not.toContain(emulator.demoLicense.id)
  expect([exitCode, out.match(/^BAD/gmu), out.match(/base URL/gu)]).toEqual([1, ['BAD'], ['base URL']])
  const own = await runCli(emulator, ['doctor'], { env: { LATCHKEY_BASE_URL: url } })
  expect(own.out).toContain(`this address redirects to ${shown} (status 301)`)
})

test.each([
  ['https://login.example.com/start?next=/v1', 'https://login.example.com/start (status 302)'],
  ['/login/1f0a2b3c-4d5e-4f60-8a7b-9c0d1e2f3a4b', /redirects to http:\/\/127\.0\.0\.1:\d+ \(status 302\)$/mu],
])('names a login page that redirects: %s', async (location, expected) => {
  const { doctor } = await gatewayForTest(() => ({ status: 302, headers: { location } }))
  const { exitCode, out } = await doctor()
  expect(out).toMatch(/^BAD {3}base URL +a proxy or a login page on the network redirects to /mu)
  expect(out).toMatch(expected)
  expect(exitCode).toBe(1)
})

test.each([
  [400, 'base URL', 'the address begins with http://, so check whether this port needs https://'],
  [401, 'proxy', 'a reverse proxy in front of the gateway may have refused the request'],
  [403, 'proxy', 'a reverse proxy in front of the gateway may have refused the request'],
  [502, 'proxy', 'a reverse proxy answers in place of the gateway'],
])('an HTML page with status %i is a proxy’s', async (status, check, text) => {
  const { doctor } = await gatewayForTest(() => ({ status }))
  const { exitCode, out } = await doctor()
  expect(out).toMatch(new RegExp(`^BAD {3}${check} .*${text}`, 'mu'))
  expect(out).toContain(`(status ${status}, `)
  expect([exitCode, out.match(/^BAD/gmu)]).toEqual([1, ['BAD']])
  expect(out).not.toContain('commerce service')
})

test('names a proxy that forbids DELETE, and the seat that is left', async () => {
  const { emulator, doctor } = await gatewayForTest(({ method }) =>
    method === 'DELETE' ? { status: 403 } : null,
  )
  const { exitCode, out } = await doctor()
  const [{ name } = { name: '' }] = emulator.control.keys(emulator.demoLicense.id)
  expect(out).toContain(`the seat of "${name}" could not be freed: a reverse proxy in front of the gateway`)
  expect(out).toContain(
    'without a password. Free it with latchkey keys release directly at the service, or once the proxy lets DELETE through.',
  )
  expect([exitCode, out.match(/^BAD/gmu)]).toEqual([1, ['BAD']])
})

test('names a website that answers in place of the gateway with status 200', async () => {
  const { doctor } = await gatewayForTest(() => ({ status: 200 }))
  const { exitCode, out } = await doctor()
  expect(out).toMatch(/^BAD {3}proxy +a website or a proxy answers in place of the gateway \(status 200, /mu)
  expect([exitCode, out.match(/^BAD/gmu)]).toEqual([1, ['BAD']])
  expect(out).not.toContain('commerce service')
})

test.each([
  [400, 'invalid-body'],
  [415, 'json-only'],
])('names a proxy that drops the body or its type: %i %s', async (status, error) => {
  const { doctor } = await gatewayForTest((request) =>
    request.method === 'POST' ? { status, body: { error } } : null,
  )
  const { exitCode, out } = await doctor()
  expect(out).toMatch(
    new RegExp(`^BAD {3}activate +the gateway receives the request without its body.* \\(${error}\\)$`, 'mu'),
  )
  expect(out).toMatch(/^note {2}deactivate +not tried: no seat was taken$/mu)
  expect(exitCode).toBe(1)
})

test.each([401, 403])(
  'keys list blames a proxy’s page with status %i, not only the token',
  async (status) => {
    const { emulator, url } = await gatewayForTest(() => ({ status }))
    const env = { LATCHKEY_BASE_URL: url }
    const { exitCode, err } = await runCli(emulator, ['keys', 'list', emulator.demoLicense.id], { env })
    expect(err).toContain(
      `A reverse proxy in front of the service may have refused the request (status ${status}, no JSON): `,
    )
    expect(err).not.toContain('The commerce service refused the access token')
    expect(exitCode).toBe(4)
  },
)

test.each([404, 200])(
  'names a proxy that replaces error answers with a page, with status %d',
  async (status) => {
    const { doctor } = await gatewayForTest((request) =>
      request.url?.includes('/00000000-') ? { status } : null,
    )
    const { exitCode, out } = await doctor()
    expect(out).toMatch(/^BAD {3}leases .* as in nginx with proxy_intercept_errors off$/mu)
    expect(exitCode).toBe(1)
  },
)

test('without a lease, asks for none with a validation, and names both causes', async () => {
  const nonces: unknown[] = []
  const { doctor } = await gatewayForTest((request) => {
    if (routeOf(request) === 'validate') nonces.push(request.headers['latchkey-nonce'])
    return null
  })
  const { exitCode, out } = await doctor()
  expect(out).toMatch(
    /^note {2}leases +no answer is signed: the gateway has no LATCHKEY_SIGNING_KEY, or a proxy removes /mu,
  )
  expect([exitCode, nonces]).toEqual([0, [undefined]])
})

test.each([
  [{ status: 200 }, /^ok {4}offline page {2}on: http:\S+\/offline$/mu],
  [
    { status: 404, body: 'Offline activation is not set up on this server.' },
    /^note {2}offline page {2}off\. LATCHKEY_OFFLINE_DAYS .* turns it on$/mu,
  ],
  [{ status: 403 }, /^note {2}offline page {2}off, or a proxy doesn’t forward .* \(status 403\)$/mu],
])('says whether the page for computers without internet is on: %j', async (answer, line) => {
  const { doctor } = await gatewayForTest((request) => (routeOf(request) === 'offline' ? answer : null))
  const { exitCode, out } = await doctor()
  expect([exitCode, out]).toEqual([0, expect.stringMatching(line)])
})

test('a server that answers every request with the same is no gateway, and nothing more is tried', async () => {
  const { doctor } = await gatewayForTest(() => ({ status: 200, body: { ok: true } }))
  const { exitCode, out } = await doctor()
  expect(out).toMatch(/^BAD {3}schema /mu)
  expect(out).not.toMatch(/offline page|leases/u)
  expect(exitCode).toBe(1)
})
