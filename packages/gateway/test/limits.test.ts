import { createServer } from 'node:net'
import type { Emulator } from '@latchkey/emulator'
import { RateLimiterMemory, RateLimiterRedis } from 'rate-limiter-flexible'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import {
  createFlexibleRateLimiter,
  createInProcessRateLimiter,
  createWorkersRateLimiter,
  type RateLimiter,
} from '../src/index.ts'
import { type GatewayServerOptions, startGatewayServer } from '../src/node/index.ts'
import { accessToken, gatewayOf, startGateway, startService } from './gateway-fixture.ts'
import { startGatewayHere } from './gateway-process.ts'

/** A limiter that allows everything and records its keys. */
function notingLimiter(): RateLimiter & { keys: string[] } {
  const keys: string[] = []
  return {
    keys,
    take: async (key) => {
      keys.push(key)
      return { allowed: true }
    },
  }
}

describe('a license over its limit', () => {
  test('gets a Retry-After, and is served again after that time', async () => {
    let now = 0
    const clock = () => now
    const emulator = await startService()
    const limits = { perLicense: createInProcessRateLimiter({ max: 3, windowMs: 10_000, clock }) }
    const { call, licenseId, lines } = gatewayOf(emulator, { limits })
    const other = emulator.control.createLicense().id
    const statuses = async (id: string, count: number) => {
      const answers: number[] = []
      for (let index = 0; index < count; index += 1)
        answers.push((await call('GET', `/licenses/${id}/keys`)).status)
      return answers
    }
    now = 4_000
    expect(await statuses(licenseId, 4)).toEqual([200, 200, 200, 429])
    expect(await statuses(other, 1)).toEqual([200])
    const refusal = await call('GET', `/licenses/${licenseId}/keys`)
    expect(Number(refusal.headers.get('retry-after'))).toBeGreaterThanOrEqual(6)
    expect(await refusal.json()).toEqual({ error: 'too-many-requests' })
    expect(lines.at(-1)).toMatchObject({ level: 'warn', code: 'too-many-requests' })
    expect(emulator.control.requests()).toHaveLength(4)
    // Two thirds of the previous, full window still count, so one more request fits.
    now = 13_400
    expect(await statuses(licenseId, 2)).toEqual([200, 429])
    now = 40_000
    expect(await statuses(licenseId, 4)).toEqual([200, 200, 200, 429])
  })

  test('cannot avoid the limit with another spelling of its id', async () => {
    const { call, licenseId } = await startGateway({
      limits: { perLicense: createInProcessRateLimiter({ max: 1, windowMs: 60_000 }) },
    })
    expect((await call('GET', `/licenses/${licenseId}/keys`)).status).toBe(200)
    expect((await call('GET', `/licenses/${licenseId.toUpperCase()}/keys`)).status).toBe(429)
  })

  test('isn’t counted for the request that every app sends before its first activation', async () => {
    const { call, licenseId } = await startGateway({
      limits: { perLicense: createInProcessRateLimiter({ max: 2, windowMs: 60_000 }) },
    })
    const path = `/licenses/${licenseId}/keys`
    for (let index = 0; index < 5; index += 1) {
      expect((await call('GET', `${path}/00000000-0000-0000-0000-000000000000`)).status).toBe(404)
    }
    expect((await call('GET', path)).status).toBe(200)
  })

  test('is limited by default', async () => {
    const { call, licenseId } = await startGateway()
    const answers = await Promise.all(
      Array.from({ length: 130 }, () => call('GET', `/licenses/${licenseId}/keys`)),
    )
    const served = answers.filter(({ status }) => status === 200)
    expect(served).toHaveLength(120)
  })
})

describe('a rollout to many computers', () => {
  test('activates all of them within a minute behind one address, because the limits follow the seats of the license', async () => {
    const { emulator, call } = await startGateway({ clock: () => 0, clientAddress: () => '203.0.113.9' })
    const { id } = emulator.control.createLicense({ activation_limit: 220 })
    const activate = async (index: number): Promise<number> => {
      const path = `/licenses/${id}`
      await call('GET', `${path}/keys/00000000-0000-0000-0000-000000000000`)
      await call('GET', `${path}/keys`)
      const name = `Computer [${String(index).padStart(16, '0')}]`
      return (await call('POST', `${path}/activate`, { json: { name } })).status
    }
    const first = await activate(0)
    const others = await Promise.all(Array.from({ length: 219 }, (_, index) => activate(index + 1)))
    expect([first, ...others]).toEqual(Array(220).fill(200))
  })

  test.each<
    [string, (emulator: Emulator) => Promise<(path: string, init?: RequestInit) => Promise<Response>>]
  >([
    [
      'createGateway',
      async (emulator) => {
        const { gateway } = gatewayOf(emulator)
        return (path, init) => gateway(new Request(`https://licenses.vendor.example/v1${path}`, init))
      },
    ],
    [
      'latchkey-gateway',
      async ({ baseUrl }) => {
        const env = { LATCHKEY_UPSTREAM: baseUrl, LATCHKEY_ACCESS_TOKEN: accessToken }
        const { baseUrl: gatewayUrl } = await startGatewayHere(env)
        return (path, init) => fetch(`${gatewayUrl}${path}`, init)
      },
    ],
  ])(
    'may ask four times a minute for each seat, and what it asked before its seats were known counts: %s',
    async (_name, start) => {
      vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-11-28T12:00:00Z') })
      onTestFinished(() => void vi.useRealTimers())
      const emulator = await startService()
      const send = await start(emulator)
      const path = `/licenses/${emulator.control.createLicense({ activation_limit: 60 }).id}`
      const ask = async (count: number): Promise<number> => {
        const sent = Array.from({ length: count }, () => send(`${path}/keys`))
        return (await Promise.all(sent)).filter(({ status }) => status === 200).length
      }
      expect(await ask(100)).toBe(100)
      const activated = await send(`${path}/activate`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ name: 'Computer [0000000000000001]' }),
      })
      expect(activated.status).toBe(200)
      expect(await ask(300)).toBe(4 * 60 - 101)
    },
  )

  test('spreads the time at which refused computers try again', async () => {
    const { call, licenseId } = await startGateway({
      clock: () => 0,
      limits: { perLicense: createInProcessRateLimiter({ max: 0, windowMs: 60_000, clock: () => 0 }) },
    })
    const waits = await Promise.all(
      Array.from({ length: 20 }, async () =>
        Number((await call('GET', `/licenses/${licenseId}/keys`)).headers.get('retry-after')),
      ),
    )
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(60)
    expect(new Set(waits).size).toBeGreaterThan(1)
  })
})

describe('an address over its limit', () => {
  const clientAddress = (request: Request) => request.headers.get('x-test-address') ?? undefined

  test('is limited to 600 requests a minute by default', async () => {
    const { call, licenseId } = await startGateway({ clientAddress, limits: { perLicense: false } })
    const path = `/licenses/${licenseId}/keys/00000000-0000-0000-0000-000000000000`
    const headers = { 'x-test-address': '203.0.113.9' }
    const answers = await Promise.all(Array.from({ length: 610 }, () => call('GET', path, { headers })))
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(10)
  })

  test('is refused, and others aren’t', async () => {
    const perAddress = createInProcessRateLimiter({ max: 2, windowMs: 60_000 })
    const { call, licenseId } = await startGateway({ clientAddress, limits: { perAddress } })
    const from = async (address: string) =>
      (await call('GET', `/licenses/${licenseId}/keys`, { headers: { 'x-test-address': address } })).status
    expect([await from('203.0.113.9'), await from('203.0.113.9'), await from('203.0.113.9')]).toEqual([
      200, 200, 429,
    ])
    expect(await from('203.0.113.10')).toBe(200)
  })

  test.each([
    ['203.0.113.9', '203.0.113.9'],
    ['::ffff:203.0.113.9', '203.0.113.9'],
    ['::ffff:cb00:7109', '203.0.113.9'],
    ['0:0:0:0:0:FFFF:CB00:7109', '203.0.113.9'],
    ['2001:db8:1:2:3:ffff:cb00:7109', '2001:db8:1:2::/64'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::1', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8::/64'],
    ['203.0.113.9:50612', '203.0.113.9'],
    ['[2001:db8:1:2::9]:50612', '2001:db8:1:2::/64'],
    ['::1', '::/64'],
    ['fe80::1%eth0', 'fe80::/64'],
    ['not:an:address', 'not:an:address'],
  ])('%s counts as %s', async (address, expected) => {
    const perAddress = notingLimiter()
    const { call, licenseId } = await startGateway({ clientAddress, limits: { perAddress } })
    await call('GET', `/licenses/${licenseId}/keys`, { headers: { 'x-test-address': address } })
    expect(perAddress.keys).toEqual([expected])
  })
})

describe('the counters', () => {
  test('are asked about the license and the address at once', async () => {
    const asked: string[] = []
    let answer = (): void => {}
    const both = new Promise<void>((resolve) => {
      answer = resolve
    })
    // Neither answers before the other was asked.
    const limiterOf = (name: string): RateLimiter => ({
      async take() {
        asked.push(name)
        if (asked.length === 2) answer()
        await both
        return { allowed: true }
      },
    })
    const { call, licenseId } = await startGateway({
      clientAddress: () => '203.0.113.9',
      limits: { perLicense: limiterOf('license'), perAddress: limiterOf('address') },
    })
    expect((await call('GET', `/licenses/${licenseId}/keys`)).status).toBe(200)
    expect(asked.toSorted()).toEqual(['address', 'license'])
  })

  test('use limited memory during a flood of made-up keys', async () => {
    const limiter = createInProcessRateLimiter({ max: 1, windowMs: 60_000, maxKeys: 10, clock: () => 0 })
    for (let index = 0; index < 10; index += 1) await limiter.take(`known ${index}`)
    expect(await limiter.take('flood')).toEqual({ allowed: true })
    expect(await limiter.take('flood')).toEqual({ allowed: true })
    expect(await limiter.take('known 3')).toMatchObject({ allowed: false })
  })

  test('tell license keys apart that differ only at their end', async () => {
    const limiter = createInProcessRateLimiter({ max: 1, windowMs: 60_000, clock: () => 0 })
    const start = 'x'.repeat(100)
    expect(await limiter.take(`${start}1`)).toEqual({ allowed: true })
    expect(await limiter.take(`${start}2`)).toEqual({ allowed: true })
    expect(await limiter.take(`${start}1`)).toMatchObject({ allowed: false })
  })

  test('can use any store of rate-limiter-flexible, which gets no ids', async () => {
    const library = new RateLimiterMemory({ points: 2, duration: 60 })
    const { call, licenseId } = await startGateway({
      limits: { perLicense: createFlexibleRateLimiter(library) },
    })
    const answers = []
    for (let index = 0; index < 3; index += 1) answers.push(await call('GET', `/licenses/${licenseId}/keys`))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429])
    expect(Number(answers[2]?.headers.get('retry-after'))).toBeGreaterThan(50)
    expect(await library.get(licenseId)).toBe(null)
  })

  test('allow a request and log it if their store is down', async () => {
    const down = {
      constructor: { name: 'Redis' },
      status: 'reconnecting',
      defineCommand: () => {},
    }
    const library = new RateLimiterRedis({
      storeClient: down,
      rejectIfRedisNotReady: true,
      points: 1,
      duration: 60,
    })
    const { call, licenseId, lines } = await startGateway({
      limits: { perLicense: createFlexibleRateLimiter(library) },
    })
    expect((await call('GET', `/licenses/${licenseId}/keys`)).status).toBe(200)
    expect((await call('GET', `/licenses/${licenseId}/keys`)).status).toBe(200)
    expect(lines).toMatchObject([{ isUncounted: true, level: 'warn' }, { isUncounted: true }])
  })

  test('can use a Workers binding, which gets no ids', async () => {
    const keys: string[] = []
    const binding = {
      limit: async ({ key }: { key: string }) => {
        keys.push(key)
        return { success: keys.length < 2 }
      },
    }
    const perLicense = createWorkersRateLimiter(binding, { periodMs: 10_000 })
    const { call, licenseId } = await startGateway({ limits: { perLicense } })
    await call('GET', `/licenses/${licenseId}/keys`)
    const refusal = await call('GET', `/licenses/${licenseId}/keys`)
    expect(refusal.status).toBe(429)
    expect(Number(refusal.headers.get('retry-after'))).toBeGreaterThanOrEqual(10)
    expect(keys.join()).not.toContain(licenseId)
  })
})

test('while Redis accepts connections and answers nothing, the gateway counts by itself', async () => {
  const emulator = await startService()
  let closed = 0
  const redis = createServer((socket) => {
    socket.on('error', () => {}).resume()
    socket.on('close', () => {
      closed += 1
    })
  })
  await new Promise<void>((resolve) => redis.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void redis.close())
  const address = redis.address()
  const port = typeof address === 'object' ? address?.port : null
  const { baseUrl } = await startGatewayHere({
    LATCHKEY_UPSTREAM: emulator.baseUrl,
    LATCHKEY_ACCESS_TOKEN: accessToken,
    LATCHKEY_LIMIT_PER_LICENSE: '3',
    LATCHKEY_REDIS_URL: `redis://127.0.0.1:${port}`,
  })
  const statuses = []
  for (let index = 0; index < 4; index += 1) {
    statuses.push((await fetch(`${baseUrl}/licenses/${emulator.demoLicense.id}/keys`)).status)
  }
  expect(statuses).toEqual([200, 200, 200, 429])
  // A connection that stays open would keep every command that was not answered.
  await expect.poll(() => closed, { timeout: 60_000 }).toBeGreaterThan(0)
})

/** Returns the warnings of a server after requests with these headers. */
async function warningsAfter(
  options: Pick<GatewayServerOptions, 'trustedProxies' | 'limits'>,
  headers: readonly (string | null)[],
  path?: string,
  name = 'x-forwarded-for',
): Promise<readonly string[]> {
  const emulator = await startService()
  const warnings: string[] = []
  const server = await startGatewayServer({
    upstream: { baseUrl: emulator.baseUrl, accessToken },
    host: '127.0.0.1',
    port: 0,
    warn: (sentence) => warnings.push(sentence),
    ...options,
  })
  onTestFinished(() => server.close())
  const url = `http://127.0.0.1:${server.port}${path ?? `/v1/licenses/${emulator.demoLicense.id}/keys`}`
  for (const header of headers) {
    const answer = await fetch(url, { headers: header === null ? {} : { [name]: header } })
    expect(answer.status).toBe(200)
  }
  return warnings
}

test('warns once if the trusted proxy appends no address, so that all clients share a limit', async () => {
  expect(await warningsAfter({ trustedProxies: 1 }, [null, null, ''])).toEqual([
    expect.stringMatching(
      /has no address, although LATCHKEY_TRUSTED_PROXIES .* is 1\. .* \$proxy_add_x_forwarded_for/u,
    ),
  ])
})

test('warns if there are fewer proxies than trusted, because clients can avoid the limit', async () => {
  expect(await warningsAfter({ trustedProxies: 3 }, ['203.0.113.9, 10.0.0.1'])).toEqual([
    expect.stringMatching(/has 2 of 3 addresses.* clients can avoid the limit: set their number/u),
  ])
})

test('warns if a proxy only sends X-Real-IP, and none is trusted', async () => {
  const warnings = await warningsAfter({ trustedProxies: 0 }, ['203.0.113.9'], undefined, 'x-real-ip')
  expect(warnings).toEqual([expect.stringContaining('set LATCHKEY_TRUSTED_PROXIES')])
})

test('does not warn if each proxy appends an address, about a health check, or without a limit', async () => {
  const headers = ['203.0.113.9, 10.0.0.1', 'made-up, 203.0.113.9, 10.0.0.1']
  expect(await warningsAfter({ trustedProxies: 2 }, headers)).toEqual([])
  expect(await warningsAfter({ trustedProxies: 1 }, [null], '/healthz')).toEqual([])
  expect(await warningsAfter({ trustedProxies: 1, limits: { perAddress: false } }, [null])).toEqual([])
  expect(await warningsAfter({ trustedProxies: 0 }, [null])).toEqual([])
})
