import { describe, expect, test } from 'vitest'
import { createGateway, GatewayConfigError, generateSigningKey, parseSigningKeys } from '../src/index.ts'
import { createLeaseSigner } from '../src/leases/lease-signer.ts'
import { readGatewayEnvironment } from '../src/node/environment/gateway-environment.ts'
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

  test('with a timeout that is meant in seconds is refused, and the error has the unit', () => {
    const read = () => readGatewayEnvironment({ ...needed, LATCHKEY_UPSTREAM_TIMEOUT_MS: '10' })
    expect(read).toThrow(
      'LATCHKEY_UPSTREAM_TIMEOUT_MS must be a whole number of milliseconds from 100 to 120000.',
    )
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
    ['LATCHKEY_TRUSTED_PROXY', null],
    ['latchkey_metrics_port', 'LATCHKEY_METRICS_PORT'],
    ['LATCHKEY_RENEWAL_GRACE_DAYS_', 'LATCHKEY_RENEWAL_GRACE_DAYS'],
  ])('such as %s is refused, and the error suggests the name that was meant', (name, meant) => {
    const read = () => readGatewayEnvironment({ ...needed, [name]: 'secret-half' })
    if (meant === null) {
      // With three wrong letters, it may belong to another program, so it is only reported.
      expect(read().unknownVariables).toEqual([name])
      return
    }
    expect(read).toThrow(GatewayConfigError)
    expect(read).toThrow(`${name} is not a setting of the gateway. Did you mean ${meant}?`)
    expect(read).not.toThrow(/secret-half/)
  })

  test('does not prevent the start if it may belong to another Latchkey program', () => {
    const others = { LATCHKEY_BASE_URL: 'x', LATCHKEY_ACCESS_TOKEN_FILE: 'x', LATCHKEY_HEADLESS: '1' }
    expect(readGatewayEnvironment({ ...needed, ...others, PATHS: 'x' }).unknownVariables).toEqual(
      Object.keys(others),
    )
  })

  test('is accepted in any letter case on Windows', () => {
    const windows = { ...needed, Latchkey_Upstream: baseUrl }
    expect(readGatewayEnvironment(windows).unknownVariables).toEqual([])
  })
})

describe('a signing key', () => {
  test('is read from one private key or from a set', async () => {
    const [one, two] = [await generateSigningKey(), await generateSigningKey()]
    expect(parseSigningKeys(JSON.stringify({ ...one, kid: 'mine', alg: 'EdDSA' }))).toEqual([one])
    expect(parseSigningKeys(JSON.stringify({ keys: [one, two] }))).toEqual([one, two])
  })

  test.each([
    'not JSON',
    '{}',
    '{"keys":[]}',
    '{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}',
    '{"kty":"EC","crv":"P-256","x":"a","y":"b","d":"secret-half"}',
    '{"kty":"OKP","crv":"Ed25519","x":"short","d":"secret-half"}',
  ])('such as «%.30s» is refused without being shown', (text) => {
    expect(() => parseSigningKeys(text)).toThrow(GatewayConfigError)
    expect(() => parseSigningKeys(text)).toThrow(/keys generate/)
    expect(() => parseSigningKeys(text)).not.toThrow(/secret-half/)
  })

  test('whose public and private parts do not belong together is refused', async () => {
    const [one, two] = [await generateSigningKey(), await generateSigningKey()]
    await expect(createLeaseSigner([{ ...one, x: two.x }]).ready()).rejects.toThrow(
      /public and private parts/,
    )
    await expect(createLeaseSigner([one, two]).ready()).resolves.toBeUndefined()
  })
})
