import { polar } from '@latchkey/services/polar'
import { describe, expect, test } from 'vitest'
import {
  createGateway,
  createInProcessRateLimiter,
  GatewayConfigError,
  type GatewayOptions,
  generateSigningKey,
  type InProcessRateLimiterOptions,
} from '../src/index.ts'
import { readGatewayEnvironment, settingsTable } from '../src/node/environment.ts'
import { startGatewayServer } from '../src/node/index.ts'
import { accessToken } from './gateway-fixture.ts'

const baseUrl = 'https://commerce.example/v1'
const upstream = { baseUrl, accessToken }

describe('options that cannot be used', () => {
  const key = '{"kty":"OKP","crv":"Ed25519","x":"x","d":"secret-half"}'
  const adapter = polar({ organizationId: 'fda84e25-7b55-4d67-916d-60ead04ff72f', accessToken })
  const upstreamRule = 'must be { baseUrl, accessToken }, or an adapter such as polar('

  test.each<[string, unknown, string[]]>([
    ['nothing', undefined, ['upstream is missing']],
    ['a text', 'secret-half', ['must be an object']],
    ['a list', [upstream], ['must be an object']],
    [
      'a base URL that is none',
      { upstream: { ...upstream, baseUrl: 'x' } },
      ['upstream.baseUrl is not a URL'],
    ],
    [
      'a token sent in the clear',
      { upstream: { ...upstream, baseUrl: 'http://commerce.example/v1' } },
      ['https'],
    ],
    ['an empty token', { upstream: { baseUrl, accessToken: '' } }, ['upstream.accessToken is empty']],
    [
      'a token with a line break',
      { upstream: { baseUrl, accessToken: 'secret-half\n' } },
      ['upstream.accessToken contains a line break'],
    ],
    ['no token', { upstream: { baseUrl } }, ['upstream.accessToken is missing']],
    ['no base URL in a list', { upstream: [adapter, { accessToken }] }, ['upstream[1].baseUrl is missing']],
    ['no service', { upstream: [] }, ['upstream must name at least one service']],
    ['an adapter that was not created', { upstream: [polar] }, [`upstream[0] ${upstreamRule}`]],
    ['a service by its name', { upstream: 'secret-half' }, [`upstream ${upstreamRule}`]],
    [
      'an adapter without the secret that lists devices',
      { upstream: polar({ organizationId: 'fda84e25-7b55-4d67-916d-60ead04ff72f' }) },
      ['your secret of polar'],
    ],
    ...['/v1?x', '/../v1', 'v1'].map((basePath): [string, unknown, string[]] => [
      'a base path of another form',
      { upstream, basePath },
      ['basePath must look like /v1'],
    ]),
    ...[0, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31, '1000'].map(
      (timeoutMs): [string, unknown, string[]] => [
        'a timeout that no timer has',
        { upstream, timeoutMs },
        ['timeoutMs must be'],
      ],
    ),
    ...['{"keys":[]}', key, [key], [JSON.parse(key)], [], {}, null].map(
      (keys): [string, unknown, string[]] => [
        'keys of another form',
        { upstream, signing: { keys }, offline: { days: 3 } },
        ['signing.keys must be a list of signing keys: pass the result of parseSigningKeys'],
      ],
    ),
    [
      'days out of range',
      { upstream, signing: { keys: [], leaseDays: 0, renewalGraceDays: -1 }, offline: { days: 0 } },
      ['signing.leaseDays must be', 'signing.renewalGraceDays must be', 'offline.days must be'],
    ],
    [
      'pages of another form',
      {
        upstream,
        devicesPage: '1',
        thanksPage: { scheme: 'javascript' },
        site: {
          name: 'x'.repeat(101),
          logo: 'logo.png',
          accent: 'red',
          support: 'help@vendor.example',
          color: '',
        },
      },
      [
        'devicesPage must be',
        'thanksPage.scheme must be',
        'site.logo must be',
        'site.accent must be',
        'site.support must be',
        'site.color is not',
      ],
    ],
    [
      'an answer for offline that nobody can check',
      { upstream, offline: { days: 3 } },
      ['offline needs signing'],
    ],
    [
      'rules that are none',
      { upstream, features: ['sync'], plan: 'Team', allow: true, log: console },
      ['allow must be a function', 'plan must be', 'features must be', 'log must be'],
    ],
    [
      'a number as limit',
      { upstream, limits: { perLicense: 120 } },
      ['limits.perLicense must be false, or a rate limiter such as createInProcessRateLimiter'],
    ],
    [
      'typos',
      { upstream, singing: {}, basepath: '/' },
      ['did you mean "signing"?', 'did you mean "basePath"?'],
    ],
    ['options of another level', { upstream, leaseDays: 14 }, ['it belongs in signing: { leaseDays }']],
  ])('%s is refused by name, without its value', async (_what, options, problems) => {
    const error = caught(() => createGateway(options as GatewayOptions))
    expect(error).toBeInstanceOf(GatewayConfigError)
    for (const problem of problems) expect(String(error)).toContain(problem)
    expect(String(error)).not.toMatch(/secret-half|token-that-must-not-leak/u)
    const starting = startGatewayServer({ ...Object(options), port: 0 })
    await expect(starting).rejects.toBeInstanceOf(GatewayConfigError)
  })

  test('and those of a server are refused in createGateway with the function that has them', () => {
    expect(() => createGateway(Object({ upstream, port: 8787 }))).toThrow(
      'port is not an option of createGateway, but of startGatewayServer from @latchkey/gateway/node.',
    )
  })

  test('also those of a server', async () => {
    const starting = startGatewayServer(Object({ upstream, prot: 8787, trustedProxies: '1' }))
    await expect(starting).rejects.toThrow(/prot .*did you mean "port".*\n.*trustedProxies must be a number/)
  })

  test.each<[unknown, string[]]>([
    [undefined, ['max is missing', 'windowMs is missing']],
    [{ max: 2, windowSeconds: 60 }, ['windowSeconds is not an option', 'windowMs is missing']],
    [{ max: '2', windowMs: 60_000 }, ['max must be a number']],
    [{ max: Number.NaN, windowMs: Number.POSITIVE_INFINITY }, ['max must be', 'windowMs must be']],
    [
      { max: -1, windowMs: 0, maxKeys: 0 },
      ['max must be at least 0', 'windowMs must be more than 0 milliseconds', 'maxKeys must be at least 1'],
    ],
  ])('also those of a limiter: %j', (options, problems) => {
    const error = caught(() => createInProcessRateLimiter(options as InProcessRateLimiterOptions))
    expect(error).toBeInstanceOf(GatewayConfigError)
    for (const problem of problems) expect(String(error)).toContain(problem)
  })

  test('but not what the types allow', async () => {
    const options: GatewayOptions = {
      upstream: [{ ...upstream, baseUrl: new URL(baseUrl), timeoutMs: 1 }, adapter],
      fetch,
      timeoutMs: 1,
      basePath: '/',
      signing: { keys: [await generateSigningKey()], leaseDays: 1, renewalGraceDays: 0 },
      offline: { days: 1 },
      plan: () => null,
      features: async () => [],
      limits: { perLicense: false, perAddress: createInProcessRateLimiter({ max: 1, windowMs: 1 }) },
      clientAddress: () => undefined,
      log: () => {},
      metrics: new (class {
        observe(): void {}
      })(),
      isHealthy: () => true,
      clock: Date.now,
    }
    expect(() => createGateway(options)).not.toThrow()
    const unset = Object.fromEntries(Object.keys(options).map((name) => [name, undefined]))
    expect(() => createGateway({ ...unset, upstream: adapter })).not.toThrow()
  })

  function caught(action: () => unknown): unknown {
    try {
      action()
    } catch (error) {
      return error
    }
    return null
  }
})

describe('an environment', () => {
  const needed = { LATCHKEY_UPSTREAM: baseUrl, LATCHKEY_ACCESS_TOKEN: accessToken }

  test.each([
    ['PORT', 'http'],
    ['PORT', '65536'],
    ['LATCHKEY_LEASE_DAYS', '0'],
    ['LATCHKEY_RENEWAL_GRACE_DAYS', '-1'],
    ['LATCHKEY_TRUSTED_PROXIES', '1.5'],
    ['LATCHKEY_LIMIT_PER_LICENSE', '-1'],
    ['LATCHKEY_REDIS_URL', 'user:secret-half@localhost'],
    ['LATCHKEY_REDIS_URL', 'redis://:secret-half@localhost:port'],
    ['LATCHKEY_SIGNING_KEY', '{"d":"secret-half"}'],
    ['LATCHKEY_UPSTREAM_TIMEOUT_MS', '0'],
    ['LATCHKEY_ACCESS_TOKEN', ' '],
  ])('with %s set to «%s» is refused by the name of the variable, without its value', (name, value) => {
    const read = () => readGatewayEnvironment({ ...needed, [name]: value })
    expect(read).toThrow(GatewayConfigError)
    expect(read).toThrow(new RegExp(`^${name}`))
    expect(read).not.toThrow(/secret-half/)
  })

  test.each<[string, Record<string, string>]>([
    ['LATCHKEY_ACCESS_TOKEN', { LATCHKEY_ACCESS_TOKEN: "'secret-half'" }],
    ['LATCHKEY_ACCESS_TOKEN', { LATCHKEY_ACCESS_TOKEN: '“secret-half”\n' }],
    ['LATCHKEY_UPSTREAM', { LATCHKEY_UPSTREAM: `"${baseUrl}"` }],
    ['LATCHKEY_LEASE_DAYS', { LATCHKEY_LEASE_DAYS: '"2' }],
    ['LATCHKEY_DODO_API_KEY', { LATCHKEY_DODO_API_KEY: '"secret-half"' }],
  ])('with %s in quotation marks is refused: %j', (name, variables) => {
    const read = () => readGatewayEnvironment({ ...needed, ...variables })
    expect(read).toThrow(
      new GatewayConfigError([`${name} is in quotation marks, which became part of its value. Remove them.`]),
    )
  })

  test('with a timeout that is meant in seconds is refused, and the error has the unit', () => {
    const read = () => readGatewayEnvironment({ ...needed, LATCHKEY_UPSTREAM_TIMEOUT_MS: '10' })
    expect(read).toThrow(
      'LATCHKEY_UPSTREAM_TIMEOUT_MS must be a whole number of milliseconds from 100 to 120000.',
    )
  })

  test('uses defaults for unset and empty variables', () => {
    const defaults = {
      options: {
        ...{ port: 8787, host: '0.0.0.0', basePath: '/v1', trustedProxies: 0, timeoutMs: 10_000 },
        ...{ signing: undefined, offline: undefined, metricsPort: undefined, metricsHost: '127.0.0.1' },
      },
      limits: { perLicense: undefined, perAddress: undefined, perUpstream: undefined },
      redisUrl: undefined,
      unknownVariables: [],
    }
    expect(readGatewayEnvironment(needed)).toMatchObject(defaults)
    const empty = Object.fromEntries(settingsTable.map(({ name }) => [name, ' ']))
    expect(readGatewayEnvironment({ ...empty, ...needed })).toMatchObject(defaults)
  })
})

describe('an unknown variable', () => {
  const needed = { LATCHKEY_UPSTREAM: baseUrl, LATCHKEY_ACCESS_TOKEN: accessToken }

  test.each([
    ['LATCHKEY_LEASE_DAY', 'LATCHKEY_LEASE_DAYS'],
    ['LATCHKEY_LEASEDAYS', 'LATCHKEY_LEASE_DAYS'],
    ['LATCHKEY_SIGNING_KEYS', 'LATCHKEY_SIGNING_KEY'],
    ['LATCHKEY_LIMIT_PER_LICENCE', 'LATCHKEY_LIMIT_PER_LICENSE'],
    ['latchkey_metrics_port', 'LATCHKEY_METRICS_PORT'],
    ['LATCHKEY_RENEWAL_GRACE_DAYS_', 'LATCHKEY_RENEWAL_GRACE_DAYS'],
  ])('such as %s is refused, and the error suggests the name that was meant', (name, meant) => {
    const read = () => readGatewayEnvironment({ ...needed, [name]: 'secret-half' })
    expect(read).toThrow(GatewayConfigError)
    expect(read).toThrow(`${name} is not a setting of the gateway. Did you mean ${meant}?`)
    expect(read).not.toThrow(/secret-half/)
  })

  test('does not prevent the start if it may belong to another Latchkey program', () => {
    const others = {
      LATCHKEY_BASE_URL: 'x',
      LATCHKEY_PORT: 'tcp://10.0.0.1:8787',
      LATCHKEY_TOKEN: 'x',
      LATCHKEY_ACCESS_TOKEN_FILE: 'x',
      LATCHKEY_HEADLESS: '1',
      LATCHKEY_KEY: 'x',
      LATCHKEY_LICENSE_KEYS: 'any',
      LATCHKEY_OFFLINE_URL: 'x',
      LATCHKEY_SERVICE_URL: 'x',
      LATCHKEY_SERVICE_HOST: '10.0.0.1',
      LATCHKEY_SERVICE_PORT: '8787',
      LATCHKEY_POLAR_SERVICE_HOST: '10.0.0.1',
    }
    expect(readGatewayEnvironment({ ...needed, ...others, PATHS: 'x' }).unknownVariables).toEqual(
      Object.keys(others),
    )
  })

  test('is also reported if the start fails, perhaps because of it', () => {
    const read = () =>
      readGatewayEnvironment({ LATCHKEY_UPSTREAM: baseUrl, LATCHKEY_ACCESS_TOKEN_FILE: 'secret-half' })
    expect(read).toThrow('LATCHKEY_ACCESS_TOKEN_FILE is not a setting of latchkey-gateway and is ignored.')
    expect(read).not.toThrow(/secret-half/)
  })

  test('is accepted in any letter case on Windows', () => {
    const windows = { ...needed, Latchkey_Upstream: baseUrl }
    expect(readGatewayEnvironment(windows).unknownVariables).toEqual([])
  })
})
