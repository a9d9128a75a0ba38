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
import { readGatewayEnvironment } from '../src/node/environment/gateway-environment.ts'
import { startGatewayServer } from '../src/node/index.ts'
import { accessToken } from './gateway-fixture.ts'

const baseUrl = 'https://commerce.example/v1'
const upstream = { baseUrl, accessToken }

describe('a gateway with invalid options does not start, and the error says why without showing a secret', () => {
  test.each([
    ['a base URL that is none', { upstream: { ...upstream, baseUrl: 'commerce.example' } }, /baseUrl/],
    [
      'a token sent in the clear',
      { upstream: { ...upstream, baseUrl: 'http://commerce.example/v1' } },
      /https/,
    ],
    ['an empty token', { upstream: { baseUrl, accessToken: '' } }, /token/],
    ['a token with a line break', { upstream: { baseUrl, accessToken: `${accessToken}\n` } }, /line break/],
    ['a base path with a query', { upstream, basePath: '/v1?x' }, /base path/],
    ['a base path with dots', { upstream, basePath: '/../v1' }, /base path/],
    ['a base path that does not start with a slash', { upstream, basePath: 'v1' }, /base path/],
    ['a lease of no days', { upstream, signing: { keys: [], leaseDays: 0 } }, /lease/],
    [
      'a lease without end',
      { upstream, signing: { keys: [], leaseDays: Number.POSITIVE_INFINITY } },
      /lease/,
    ],
    ['a renewal grace below 0', { upstream, signing: { keys: [], renewalGraceDays: -1 } }, /renewal grace/],
    [
      'a renewal grace that is no number',
      { upstream, signing: { keys: [], renewalGraceDays: Number.NaN } },
      /renewal/,
    ],
    ['a timeout without end', { upstream, timeoutMs: Number.POSITIVE_INFINITY }, /timeoutMs/],
    ['a timeout that timers end at once', { upstream, timeoutMs: 2 ** 31 }, /timeoutMs/],
    ['a timeout of nothing', { upstream, timeoutMs: 0 }, /timeoutMs/],
    ['a timeout that is no number', { upstream, timeoutMs: Number.NaN }, /timeoutMs/],
    ['no signing key', { upstream, signing: { keys: [] } }, /signing key/],
  ])('%s', (_what, options, message) => {
    expect(() => createGateway(options)).toThrow(GatewayConfigError)
    expect(() => createGateway(options)).toThrow(message)
    expect(() => createGateway(options)).not.toThrow(accessToken)
  })

  test('one error names every problem', () => {
    const options = { upstream: { ...upstream, baseUrl: '' }, basePath: 'v1', signing: { keys: [] } }
    expect(() => createGateway(options)).toThrow(/baseUrl.*\n.*base path.*\n.*signing key/)
  })
})

describe('options that TypeScript would refuse are refused by name', () => {
  const key = '{"kty":"OKP","crv":"Ed25519","x":"x","d":"secret-half"}'
  const adapter = polar({ organizationId: 'fda84e25-7b55-4d67-916d-60ead04ff72f', accessToken })

  test.each<[string, unknown, string[]]>([
    ['nothing', undefined, ['The options must be an object.']],
    ['a text', 'secret-half', ['The options must be an object.']],
    ['a typo', { upstream, feature: () => [] }, ['feature is not an option. Did you mean features?']],
    ['swapped letters', { upstream, singing: {} }, ['singing is not an option. Did you mean signing?']],
    ['another case', { upstream, basepath: '/' }, ['basepath is not an option. Did you mean basePath?']],
    ['a longer name', { upstream, timeout: 1 }, ['timeout is not an option. Did you mean timeoutMs?']],
    [
      'a typo of a required name',
      { upsteam: upstream },
      [
        'upstream is missing. It must be { baseUrl, accessToken }, or an adapter such as polar({ organizationId, accessToken }).',
        'upsteam is not an option. Did you mean upstream?',
      ],
    ],
    [
      'another name',
      { upstream: { ...upstream, token: 'x' }, offline: { ttl: 3, days: 3 }, signing: { keys: [] } },
      [
        'upstream.token is not an option. Did you mean accessToken?',
        'offline.ttl is not an option. The options here are days.',
        'signing.keys contains no signing key',
      ],
    ],
    [
      'no token',
      { upstream: { baseUrl, accessToken: undefined } },
      ["upstream.accessToken is missing. It must be the service's access token, as a text."],
    ],
    [
      'no base URL in a list',
      { upstream: [adapter, { accessToken }] },
      ["upstream[1].baseUrl is missing. It must be the service's base URL, as a text or a URL."],
    ],
    [
      'an adapter that was not created',
      { upstream: [polar] },
      ['upstream[0] must be { baseUrl, accessToken }'],
    ],
    ['a service by its name', { upstream: 'secret-half' }, ['upstream must be { baseUrl, accessToken }']],
    ...['{"keys":[]}', key, [key], [JSON.parse(key)], {}, null].map((keys): [string, unknown, string[]] => [
      'keys of another form',
      { upstream, signing: { keys, leaseDays: 3 }, offline: { days: 3 } },
      ['signing.keys must be a list of signing keys: pass the result of parseSigningKeys.'],
    ]),
    [
      'rules that are none',
      { upstream, features: ['sync'], plan: 'Team', allow: true },
      ['allow must be a function.', 'plan must be a function.', 'features must be a function.'],
    ],
    [
      'a number as limit',
      { upstream, limits: { perLicense: 120 } },
      ['limits.perLicense must be false, or a rate limiter such as createInProcessRateLimiter'],
    ],
    ['a text as number', { upstream, timeoutMs: '10000' }, ['timeoutMs must be a number.']],
    ['a number of days', { upstream, offline: 30 }, ['offline must be an object with days.']],
    [
      'lists in place of objects',
      { upstream: [[upstream]], signing: [JSON.parse(key)], offline: [365], limits: [] },
      [
        'signing must be an object with keys, such as { keys: parseSigningKeys(text) }.',
        'offline must be an object with days.',
        'limits must be an object with perLicense or perAddress.',
        'upstream[0] must be { baseUrl, accessToken }',
      ],
    ],
    ['a list', [upstream], ['The options must be an object.']],
    ['a logger', { upstream, log: console }, ['log must be a function.']],
    [
      'options of other kinds of problems',
      { upstream: { baseUrl: '', accessToken: 3 }, basePath: 'v1', signing: { keys: [], leaseDay: 3 } },
      [
        "upstream.accessToken must be the service's access token, as a text.",
        'signing.leaseDay is not an option. Did you mean leaseDays?',
        'The base path must look like',
        'signing.keys contains no signing key',
      ],
    ],
    [
      'options of another level',
      {
        upstream: { ...upstream, leaseDays: 14, timeout: 1 },
        leaseDays: 14,
        days: 30,
        perLicense: false,
        accessToken: 'secret-half',
        limits: { features: () => [] },
      },
      [
        'leaseDays is not an option at this level. It belongs in signing: { leaseDays }.',
        'days is not an option at this level. It belongs in offline: { days }.',
        'perLicense is not an option at this level. It belongs in limits: { perLicense }.',
        'accessToken is not an option at this level. It belongs in upstream: { accessToken }.',
        'upstream.leaseDays is not an option at this level. It belongs in signing: { leaseDays }.',
        'upstream.timeout is not an option. Did you mean timeoutMs?',
        'limits.features is not an option at this level. It belongs beside limits.',
      ],
    ],
  ])('%s', async (_what, options, problems) => {
    const error = caught(() => createGateway(options as GatewayOptions))
    expect(error).toBeInstanceOf(GatewayConfigError)
    const told = error instanceof GatewayConfigError ? error.problems : []
    expect(told.map((problem, index) => problem.slice(0, problems[index]?.length))).toEqual(problems)
    expect(String(error)).not.toMatch(/secret-half/)
    const starting = startGatewayServer({ ...Object(options), port: 0 })
    await expect(starting).rejects.toBeInstanceOf(GatewayConfigError)
  })

  test('and those of a server are refused in createGateway with the function that has them', () => {
    const options = { upstream, port: 8787, trustedProxies: 1 }
    expect(() => createGateway(options)).toThrow(
      ['port', 'trustedProxies']
        .map(
          (name) =>
            `${name} is not an option of createGateway, but of startGatewayServer from @latchkey/gateway/node.`,
        )
        .join('\n'),
    )
  })

  test('also those of a server', async () => {
    const options = { upstream, prot: 8787, trustedProxies: '1', metrics: {} }
    const starting = startGatewayServer(options as unknown as Parameters<typeof startGatewayServer>[0])
    await expect(starting).rejects.toThrow(
      [
        'trustedProxies must be a number.',
        'prot is not an option. Did you mean port?',
        'metrics is not an option. Did you mean metricsPort?',
      ].join('\n'),
    )
  })

  test.each<[string, unknown, string[]]>([
    ['nothing', undefined, ['The options must be an object.']],
    [
      'a window in seconds',
      { max: 2, windowSeconds: 60 },
      ['windowMs is missing. It must be a number.', 'windowSeconds is not an option. Did you mean windowMs?'],
    ],
    ['a text', { max: '2', windowMs: 60_000 }, ['max must be a number.']],
    [
      'an option of a gateway',
      { max: 2, windowMs: 60_000, port: 1 },
      ['port is not an option. The options here are max, windowMs'],
    ],
    ['no number', { max: Number.NaN, windowMs: Number.NaN }, ['max must be at least 0.', 'windowMs must be']],
    ['a window without end', { max: 2, windowMs: Number.POSITIVE_INFINITY }, ['windowMs must be']],
    [
      'a limit below 0, no window and no keys',
      { max: -1, windowMs: 0, maxKeys: 0 },
      [
        'max must be at least 0.',
        'windowMs must be more than 0 milliseconds.',
        'maxKeys must be at least 1.',
      ],
    ],
  ])('also those of a limiter: %s', (_what, options, problems) => {
    const error = caught(() => createInProcessRateLimiter(options as InProcessRateLimiterOptions))
    const told = error instanceof GatewayConfigError ? error.problems : []
    const expected = problems.map((problem) => `createInProcessRateLimiter: ${problem}`)
    expect(told.map((problem, index) => problem.slice(0, expected[index]?.length))).toEqual(expected)
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

  test.each<[string, Record<string, string>]>([
    ['http://127.0.0.1:8787/v1', {}],
    ['http://LOCALHOST:8787/v1', {}],
    ['http://0.0.0.0:9000/v1', { PORT: '9000', LATCHKEY_ALLOW_INSECURE: '1' }],
    ['http://[::1]:8787/v1', { HOST: '::' }],
    ['http://localhost/v1', { HOST: '::1', PORT: '80' }],
    ['http://10.1.2.3:8787/v1', { HOST: '10.1.2.3', LATCHKEY_ALLOW_INSECURE: '1' }],
  ])('with the gateway’s own address as its service is refused: %s with %j', (own, variables) => {
    const read = () => readGatewayEnvironment({ ...needed, ...variables, LATCHKEY_UPSTREAM: own })
    expect(read).toThrow("LATCHKEY_UPSTREAM is the gateway's own address")
  })

  test.each<[string, Record<string, string>]>([
    ['http://127.0.0.1:4010/v1', {}],
    ['http://127.0.0.1:8787/v1', { HOST: '10.1.2.3' }],
    ['http://[::1]:8787/v1', { HOST: '127.0.0.1' }],
    ['http://127.0.0.1:8787/v1', { PORT: '0' }],
    ['https://commerce.example:8787/v1', {}],
  ])('with another address on this machine or port is accepted: %s with %j', (other, variables) => {
    const read = () => readGatewayEnvironment({ ...needed, ...variables, LATCHKEY_UPSTREAM: other })
    expect(read).not.toThrow()
  })

  test('uses defaults for unset and empty variables', () => {
    const defaults = {
      port: 8787,
      host: '0.0.0.0',
      basePath: '/v1',
      signingKeys: [],
      leaseDays: 14,
      renewalGraceDays: 3,
      trustedProxies: 0,
      perLicense: 120,
      perAddress: 600,
      redisUrl: null,
      metricsPort: null,
    }
    expect(readGatewayEnvironment(needed)).toMatchObject(defaults)
    expect(readGatewayEnvironment({ ...needed, PORT: '', LATCHKEY_REDIS_URL: ' ' })).toMatchObject(defaults)
  })
})

describe('an unknown variable', () => {
  const needed = { LATCHKEY_UPSTREAM: baseUrl, LATCHKEY_ACCESS_TOKEN: accessToken }

  test.each([
    ['LATCHKEY_LEASE_DAY', 'LATCHKEY_LEASE_DAYS'],
    ['LATCHKEY_LEASEDAYS', 'LATCHKEY_LEASE_DAYS'],
    ['LATCHKEY_SIGNING_KEYS', 'LATCHKEY_SIGNING_KEY'],
    ['LATCHKEY_LIMIT_PER_LICENCE', 'LATCHKEY_LIMIT_PER_LICENSE'],
    ['LATCHKEY_TRUSTED_PROXY', 'LATCHKEY_TRUSTED_PROXIES'],
    ['LATCHKEY_SIGN_KEY', 'LATCHKEY_SIGNING_KEY'],
    ['LATCHKEY_LEASE_KEYS', 'LATCHKEY_SIGNING_KEY'],
    ['LATCHKEY_OFFLINE', 'LATCHKEY_OFFLINE_DAYS'],
    ['LATCHKEY_PROXIES', 'LATCHKEY_TRUSTED_PROXIES'],
    ['LATCHKEY_TIMEOUT', 'LATCHKEY_UPSTREAM_TIMEOUT_MS'],
    ['latchkey_grace_days', 'LATCHKEY_RENEWAL_GRACE_DAYS'],
    ['LATCHKEY_LIMIT', 'LATCHKEY_LIMIT_PER_LICENSE or LATCHKEY_LIMIT_PER_ADDRESS'],
    ['LATCHKEY_HOST', 'HOST'],
    ['latchkey_metrics_port', 'LATCHKEY_METRICS_PORT'],
    ['LATCHKEY_RENEWAL_GRACE_DAYS_', 'LATCHKEY_RENEWAL_GRACE_DAYS'],
  ])('such as %s is refused, and the error suggests the name that was meant', (name, meant) => {
    const read = () => readGatewayEnvironment({ ...needed, [name]: 'secret-half' })
    expect(read).toThrow(GatewayConfigError)
    expect(read).toThrow(`${name} is not a setting of the gateway. Did you mean ${meant}?`)
    expect(read).not.toThrow(/secret-half/)
  })

  test.each([
    ['polar', 'LATCHKEY_POLAR_BENEFIT', 'LATCHKEY_POLAR_BENEFIT_ID'],
    ['lemon-squeezy', 'LATCHKEY_LEMON_SQUEEZY_STORE', 'LATCHKEY_LEMON_SQUEEZY_STORE_ID'],
  ])('of %s, such as %s, is only refused if that service is asked', (service, name, meant) => {
    const read = (values: Record<string, string>) =>
      readGatewayEnvironment({ ...needed, ...values, [name]: 'secret-half' })
    expect(() => read({ LATCHKEY_SERVICE: service })).toThrow(`Did you mean ${meant}?`)
    expect(read({}).unknownVariables).toEqual([name])
  })

  test('does not mean a setting by a word that several things have', () => {
    const read = () =>
      readGatewayEnvironment({ ...needed, LATCHKEY_SERVICE: 'keygen', LATCHKEY_KEYGEN_KEY: 'x' })
    expect(read).toThrow('LATCHKEY_KEYGEN_KEY is not a setting of latchkey-gateway and is ignored.')
  })

  test('such as LATCHKEY_PORT is refused, but not the address of a service in Kubernetes', () => {
    const read = (value: string) => readGatewayEnvironment({ ...needed, LATCHKEY_PORT: value })
    expect(() => read('9000')).toThrow('Did you mean PORT?')
    expect(read('tcp://10.0.0.1:8787').unknownVariables).toEqual(['LATCHKEY_PORT'])
  })

  test.each([
    ['LATCHKEY_TOKEN', 'LATCHKEY_ACCESS_TOKEN'],
    ['LATCHKEY_UPSTREAM_URL', 'LATCHKEY_UPSTREAM'],
  ])('in a short form, such as %s, is only refused if its setting has no value', (name, meant) => {
    const read = (values: Record<string, string>) =>
      readGatewayEnvironment({ ...values, [name]: 'secret-half' })
    expect(() => read({ ...needed, [meant]: '' })).toThrow(`Did you mean ${meant}?`)
    expect(read(needed).unknownVariables).toEqual([name])
  })

  test('does not prevent the start if it may belong to another Latchkey program', () => {
    const others = {
      LATCHKEY_BASE_URL: 'x',
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

test('the port of the metrics must be another one', () => {
  const needed = { LATCHKEY_UPSTREAM: baseUrl, LATCHKEY_ACCESS_TOKEN: accessToken }
  const read = (ports: Record<string, string>) => readGatewayEnvironment({ ...needed, ...ports })
  const problem = 'LATCHKEY_METRICS_PORT is the same as PORT, which is 8787 if unset.'
  expect(() => read({ PORT: '8891', LATCHKEY_METRICS_PORT: '8891' })).toThrow(problem)
  expect(() => read({ LATCHKEY_METRICS_PORT: '8787' })).toThrow(problem)
  expect(read({ PORT: '0', LATCHKEY_METRICS_PORT: '0' }).metricsPort).toBe(0)
  expect(read({}).metricsPort).toBeNull()
  expect(() => read({ LATCHKEY_METRICS_PORT: '-1' })).toThrow('must be a whole number from 0 to 65535')
})
