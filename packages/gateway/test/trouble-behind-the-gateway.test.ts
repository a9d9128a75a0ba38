import { type Emulator, type FaultRule, startEmulator } from '@latchkey/emulator'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { dialects } from '../../emulator/test/dialects.ts'
import { accessToken, keyName, startService } from './gateway-fixture.ts'
import { type StartedGateway, startGatewayHere } from './gateway-process.ts'

/** Faults that only end with a timeout. */
const endless = new Set(['timeout', 'slow-drip'])

/** Headers that Node's server adds for the connection. */
const framing = new Set(['connection', 'keep-alive', 'content-length', 'transfer-encoding'])

/** The settings of a test's gateway. */
interface Wish {
  timeoutMs?: number
  token?: string
  dialect?: keyof typeof dialects
}

/** A gateway in front of a freshly reset service. */
interface Started {
  emulator: Emulator
  licenseId: string
  call(method: string, path: string, options?: { json?: unknown }): Promise<Response>
  lines(): Promise<readonly object[]>
}

const emulators = new Map<string, Promise<{ emulator: Emulator; gateway: StartedGateway }>>()
afterAll(async () => {
  for (const { emulator, gateway } of await Promise.all(emulators.values())) {
    await gateway.stop()
    await emulator.close()
  }
})

/** Starts a gateway. Tests with equal settings share one, whose service is reset. */
async function start(wish: Wish): Promise<Started> {
  const wanted = JSON.stringify(wish)
  const { emulator, gateway } = await (emulators.get(wanted) ?? startPair(wish, wanted))
  emulator.control.reset()
  gateway.clearLines()
  return {
    emulator,
    licenseId: emulator.demoLicense.id,
    call: (method, path, { json } = {}) =>
      fetch(`${gateway.baseUrl}${path}`, {
        method,
        ...(json === undefined
          ? {}
          : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(json) }),
      }),
    lines: async () => {
      await vi.waitFor(() => expect(gateway.requestLines()).not.toEqual([]), { timeout: 60_000 })
      return gateway.requestLines()
    },
  }
}

function startPair({ timeoutMs = 20_000, token = accessToken, dialect = 'default' }: Wish, wanted: string) {
  const open = async () => {
    const emulator = await startEmulator({
      accessToken,
      customers: 0,
      discounts: 0,
      dialect: dialects[dialect],
    })
    const gateway = await startGatewayHere(
      {
        LATCHKEY_UPSTREAM: emulator.baseUrl,
        LATCHKEY_ACCESS_TOKEN: token,
        LATCHKEY_UPSTREAM_TIMEOUT_MS: String(timeoutMs),
        LATCHKEY_LIMIT_PER_LICENSE: '0',
      },
      { endsWithTest: false },
    )
    return { emulator, gateway }
  }
  const pair = open()
  emulators.set(wanted, pair)
  return pair
}

describe('a failure behind the gateway', () => {
  test.each<[string, FaultRule, number, string]>([
    ['a captive portal’s page', { fault: 'html' }, 502, 'upstream-unexpected-answer'],
    ['nothing at all', { fault: 'empty' }, 502, 'upstream-unexpected-answer'],
    ['204', { fault: 'no-content' }, 502, 'upstream-unexpected-answer'],
    ['half an answer', { fault: 'truncated' }, 502, 'upstream-unexpected-answer'],
    [
      'a field of another type',
      { fault: 'wrong-types', fields: ['license.status'] },
      502,
      'upstream-unexpected-answer',
    ],
    ['a redirect', { fault: 'redirect', to: 'http://127.0.0.1:1' }, 502, 'upstream-unexpected-answer'],
    ['100 MB', { fault: 'huge-body', bytes: 100_000_000 }, 502, 'upstream-unexpected-answer'],
    ['a gzip bomb', { fault: 'gzip-bomb', bytes: 100_000_000 }, 502, 'upstream-unexpected-answer'],
    [
      'another license',
      { fault: 'set-fields', fields: { 'license.id': '11111111-2222-4333-8444-555555555555' } },
      502,
      'upstream-unexpected-answer',
    ],
    [
      'another key',
      { fault: 'set-fields', fields: { 'key.id': '11111111-2222-4333-8444-555555555555' } },
      502,
      'upstream-unexpected-answer',
    ],
    ['a broken connection', { fault: 'reset' }, 502, 'upstream-unreachable'],
    ['an answer cut off', { fault: 'cut' }, 502, 'upstream-unreachable'],
    ['silence', { fault: 'timeout' }, 504, 'upstream-timeout'],
    ['a drip', { fault: 'slow-drip' }, 504, 'upstream-timeout'],
    ['500', { fault: 'status', status: 500 }, 503, 'upstream-busy'],
    ['503', { fault: 'status', status: 503, body: 'html' }, 503, 'upstream-busy'],
    ['429', { fault: 'status', status: 429 }, 503, 'upstream-busy'],
    ['408', { fault: 'status', status: 408 }, 503, 'upstream-busy'],
    ['401', { fault: 'status', status: 401 }, 502, 'upstream-unauthorized'],
    ['403', { fault: 'status', status: 403, body: 'html' }, 502, 'upstream-unauthorized'],
    ['400', { fault: 'status', status: 400 }, 400, 'rejected'],
    ['409', { fault: 'status', status: 409 }, 409, 'rejected'],
    [
      '407, which fetch treats as a network error',
      { fault: 'status', status: 407 },
      502,
      'upstream-unauthorized',
    ],
    ['422', { fault: 'status', status: 422, body: 'text' }, 422, 'rejected'],
    ['402', { fault: 'status', status: 402 }, 422, 'rejected'],
    ['404', { fault: 'status', status: 404 }, 404, 'not-found'],
    ['410', { fault: 'status', status: 410 }, 410, 'gone'],
  ])('%s reaches the app only as a status and a code', async (_what, fault, status, code) => {
    const { emulator, call, lines, licenseId } = await start(
      endless.has(fault.fault) ? { timeoutMs: 1000 } : {},
    )
    const key = emulator.control.addKey(licenseId, keyName).id
    emulator.control.faults.inject(fault)
    const answer = await call('POST', `/licenses/${licenseId}/validate`, { json: { key } })
    expect(answer.status).toBe(status)
    expect(await answer.json()).toEqual({ error: code })
    const names = [...answer.headers.keys()].filter((name) => !framing.has(name))
    expect(names.sort()).toEqual([
      'cache-control',
      'content-type',
      'date',
      'x-content-type-options',
      'x-request-id',
    ])
    const logged = await lines()
    expect(logged).toHaveLength(1)
    expect(logged[0]).toMatchObject({
      status,
      code,
      level: code === 'upstream-unauthorized' ? 'error' : expect.any(String),
    })
    // A busy machine may give up before the request has left; nothing is ever asked twice.
    expect(emulator.control.requests().length).toBeLessThanOrEqual(1)
  })

  test.each<[string, FaultRule, string | null]>([
    ['a captive portal’s page', { fault: 'html' }, 'not JSON of the service'],
    ['nothing at all', { fault: 'empty' }, 'an empty body'],
    ['half an answer', { fault: 'truncated' }, 'incomplete JSON'],
    [
      'a missing field',
      { fault: 'missing-fields', fields: ['license.status'] },
      'the field license.status is missing or wrong',
    ],
    [
      'another key',
      { fault: 'set-fields', fields: { 'key.id': '11111111-2222-4333-8444-555555555555' } },
      'or about another license',
    ],
    [
      'a redirect',
      { fault: 'redirect', to: 'http://127.0.0.1:1/secret-half' },
      'the service redirects: if every request gets this answer, check LATCHKEY_UPSTREAM',
    ],
    ['100 MB', { fault: 'huge-body', bytes: 100_000_000 }, 'too large'],
    [
      'a refusal that is a page',
      { fault: 'status', status: 400, body: 'html' },
      'a port that needs https://',
    ],
    ['a refusal in JSON', { fault: 'status', status: 400 }, null],
  ])('the log says what is wrong with %s', async (_what, fault, detail) => {
    const { emulator, call, lines, licenseId } = await start({})
    const key = emulator.control.addKey(licenseId, keyName).id
    emulator.control.faults.inject(fault)
    await call('POST', `/licenses/${licenseId}/validate`, { json: { key } })
    const logged = await lines()
    expect(logged).toMatchObject([{ detail: detail === null ? null : expect.stringContaining(detail) }])
    expect(JSON.stringify(logged)).not.toContain('secret-half')
  })

  test('a list whose next page is on another host is not followed with the token', async () => {
    const { emulator, call, licenseId } = await start({ dialect: 'strict' })
    for (let index = 0; index < 30; index += 1) emulator.control.addKey(licenseId, `Device ${index}`)
    const elsewhere = await startService()
    const next = `${elsewhere.baseUrl}/licenses/${licenseId}/keys?page=2`
    emulator.control.faults.inject({ fault: 'set-fields', fields: { 'links.next': next }, times: 1 })
    const answer = await call('GET', `/licenses/${licenseId}/keys`)
    expect((await answer.json()).data).toHaveLength(30)
    expect(elsewhere.control.requests()).toEqual([])
  })

  test('a list of exactly 25 devices is known to be whole, so that a released one counts as gone', async () => {
    const { emulator, call, licenseId } = await start({ dialect: 'strict' })
    for (let index = 0; index < 25; index += 1) emulator.control.addKey(licenseId, `Device ${index}`)
    const answer = await call('GET', `/licenses/${licenseId}/keys`)
    expect(await answer.json()).toMatchObject({ data: { length: 25 }, links: { next: null } })
  })

  test.each<[string, FaultRule, string]>([
    ['seconds', { fault: 'status', status: 503, retryAfterSeconds: 30 }, '30'],
    ['a year', { fault: 'status', status: 429, retryAfterSeconds: 31_536_000 }, '3600'],
    ['at once', { fault: 'status', status: 503, retryAfterSeconds: 0 }, '1'],
  ])('the service’s Retry-After of %s is passed on within limits', async (_what, fault, expected) => {
    const { emulator, call, licenseId } = await start({})
    emulator.control.faults.inject(fault)
    const answer = await call('GET', `/licenses/${licenseId}/keys`)
    expect(answer.headers.get('retry-after')).toBe(expected)
  })

  test('a wrong token is an error in the log and a 502 for the app', async () => {
    const { call, lines, licenseId } = await start({ token: 'an-old-token' })
    expect((await call('GET', `/licenses/${licenseId}/keys`)).status).toBe(502)
    const logged = await lines()
    expect(logged).toMatchObject([{ level: 'error', code: 'upstream-unauthorized', upstreamStatus: 401 }])
    expect(JSON.stringify(logged)).not.toContain('an-old-token')
  })
})
