import { createHash, createPublicKey, generateKeyPairSync, type JsonWebKey, verify } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Emulator } from '@latchkey/emulator'
import {
  findOfflineText,
  type OfflineRequest,
  offlineClaimsSchema,
  wrapOfflineText,
  writeOfflineText,
} from '@latchkey/services/offline'
import { describe, expect, test } from 'vitest'
import { offlineRequest } from './offline-request.ts'
import { emulatorForTest, runCli } from './run-cli.ts'
import { serviceEnvironment } from './service-environment.ts'
import { temporaryFolder } from './temporary-folder.ts'

function newKey(): JsonWebKey {
  return generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' })
}

const signingKey = newKey()
const fingerprint = '0123456789abcdef'

function requestOf(emulator: Emulator, own: Partial<OfflineRequest> = {}): string {
  return wrapOfflineText(
    offlineRequest(emulator.licenseKey ?? emulator.demoLicense.id, { fingerprint, ...own }),
  )
}

async function sign(
  emulator: Emulator,
  request: string | Uint8Array,
  words: readonly string[] = [],
  env = {},
) {
  const file = path.join(await temporaryFolder(), 'request.latchkey')
  await writeFile(file, request)
  return runCli(emulator, ['offline', 'sign', file, ...words], {
    env: { LATCHKEY_SIGNING_KEY: JSON.stringify(signingKey), ...env },
  })
}

function claimsOf(answer: string, key = signingKey) {
  const found = findOfflineText('answer', answer)
  if (!found.ok) throw new Error(found.fault)
  const [header = '', payload = '', signature = ''] = found.payload.split('.')
  const { kty, crv, x } = key
  const publicKey = createPublicKey({ key: { kty, crv, x } as JsonWebKey, format: 'jwk' })
  const isGenuine = verify(
    null,
    Buffer.from(`${header}.${payload}`),
    publicKey,
    Buffer.from(signature, 'base64url'),
  )
  expect(isGenuine).toBe(true)
  expect(JSON.parse(Buffer.from(header, 'base64url').toString())).toEqual({
    alg: 'EdDSA',
    typ: 'latchkey-offline+jwt',
    kid: createHash('sha256').update(JSON.stringify({ crv, kty, x })).digest('base64url'),
  })
  return offlineClaimsSchema.parse(JSON.parse(Buffer.from(payload, 'base64url').toString()))
}

test('reads the request from standard input, and writes the answer to standard output', async () => {
  const emulator = await emulatorForTest()
  const env = { LATCHKEY_SIGNING_KEY: JSON.stringify(signingKey) }
  const run = (input: string) => runCli(emulator, ['offline', 'sign', '-', '--out', '-'], { env, input })
  const signed = await run(`Hello,\n\n${requestOf(emulator)}\nThanks!`)
  expect(signed.exitCode).toBe(0)
  expect(claimsOf(signed.out)).toMatchObject({ app: 'com.example.notes', fp: fingerprint })
  expect((await run('Hello!')).err).toMatch(/^latchkey: Standard input contains no request of an app\./u)
  expect((await run('Hello! '.repeat(20_000))).err).toMatch(/^latchkey: Standard input is too large /u)
})

test.each([
  ['little-endian', false],
  ['big-endian', true],
])('reads a request that PowerShell saved as UTF-16: %s', async (_order, isSwapped) => {
  const emulator = await emulatorForTest()
  const bytes = Buffer.from(`\ufeff${requestOf(emulator)}\r\n`, 'utf16le')
  const run = await sign(emulator, isSwapped ? bytes.swap16() : bytes)
  expect(run.exitCode).toBe(0)
  claimsOf(run.out)
})

test('a request for another service names the variable that chooses it', async () => {
  const emulator = await emulatorForTest()
  const licenseKey = 'INKWELL-1C285B2D-7F3A-4E6B-9D21-AA41E304DA55'
  const run = await sign(emulator, requestOf(emulator, { licenseKey }))
  expect(run).toEqual({
    exitCode: 2,
    out: '',
    err: 'latchkey: The license key in the text isn’t a UUID. For a license of another service, set LATCHKEY_SERVICE.\n',
  })
  expect(emulator.control.requests()).toEqual([])
})

test('signs the answer, and writes it to a file for the customer', async () => {
  const emulator = await emulatorForTest()
  const out = path.join(await temporaryFolder(), 'answer.latchkey')
  const run = await sign(emulator, requestOf(emulator), ['--days', '30', '--out', out])
  expect(run).toMatchObject({ exitCode: 0, err: '' })
  expect(run.out).toContain('Activated Lab computer until ')
  expect(run.out).toContain(out)
  const claims = claimsOf(await readFile(out, 'utf8'))
  expect(claims).toMatchObject({
    app: 'com.example.notes',
    fp: fingerprint,
    nonce: 'n0nce-n0nce-n0nce-n0nce',
  })
  expect(claims.exp - claims.iat).toBe(30 * 86_400)
  expect(emulator.control.keys(emulator.demoLicense.id)).toHaveLength(1)
  const again = await sign(emulator, requestOf(emulator), ['--out', out])
  expect(again).toMatchObject({ exitCode: 2 })
  expect(again.err).toContain('exists already')
  expect(emulator.control.keys(emulator.demoLicense.id)).toHaveLength(1)
})

test('signs for as many days as a gateway does, and no more', async () => {
  const emulator = await emulatorForTest()
  const run = await sign(emulator, requestOf(emulator), ['--days', '3661'])
  expect(run).toMatchObject({ exitCode: 2, out: '' })
  expect(run.err).toContain('It must be at most 3660 days.')
  expect(emulator.control.requests()).toEqual([])
  expect(await sign(emulator, requestOf(emulator), ['--days', '3660'])).toMatchObject({ exitCode: 0 })
})

test.each([
  [
    403,
    4,
    'Check the access token in LATCHKEY_ACCESS_TOKEN, and what it may do. Both listing the devices and activating',
  ],
  [404, 6, 'No seat was taken.'],
])('takes no seat when the service refuses the list with a %i', async (status, exitCode, told) => {
  const emulator = await emulatorForTest()
  emulator.control.faults.inject({ fault: 'status', status, operation: 'keys' })
  const run = await sign(emulator, requestOf(emulator))
  expect(run).toMatchObject({ exitCode, out: '', err: expect.stringContaining(told) })
  expect(emulator.control.keys(emulator.demoLicense.id)).toEqual([])
})

test('says to wait before signing again if the activation may have taken a seat', async () => {
  const emulator = await emulatorForTest()
  const inject = (status: number) =>
    emulator.control.faults.inject({ fault: 'status', status, operation: 'activate', times: 1 })
  const wait = 'Wait a minute before you sign again'
  inject(503)
  expect(await sign(emulator, requestOf(emulator))).toMatchObject({
    exitCode: 3,
    err: expect.stringContaining(wait),
  })
  inject(429)
  const refused = await sign(emulator, requestOf(emulator))
  expect(refused.exitCode).not.toBe(0)
  expect(refused.err).not.toContain(wait)
})

test('doesn’t blame the token if the service lists the devices and forbids the activation', async () => {
  const emulator = await emulatorForTest()
  emulator.control.faults.inject({ fault: 'status', status: 403, operation: 'activate' })
  const { exitCode, err } = await sign(emulator, requestOf(emulator))
  expect([exitCode, err]).toEqual([4, expect.stringContaining('the license may be suspended or have ended')])
  expect(err).not.toContain('Check the access token')
})

test.each([403, 404, 405])('names a proxy that refuses POST with a page and status %d', async (status) => {
  const emulator = await emulatorForTest()
  emulator.control.faults.inject({ fault: 'status', status, body: 'html', operation: 'activate' })
  const { exitCode, err } = await sign(emulator, requestOf(emulator))
  expect(err).toContain(
    `A reverse proxy in front of the service may have refused the request (status ${status}, no JSON): change its rules`,
  )
  expect(err).not.toMatch(/base URL/u)
  expect(exitCode).toBe(status === 403 ? 4 : 6)
})

test('prints the answer, and everything about it with --json', async () => {
  const emulator = await emulatorForTest()
  const plain = await sign(emulator, `Hello,\n${requestOf(emulator).replace(/^/gmu, '> ')}`)
  expect(plain.err).toContain('Lab computer')
  const { nonce } = claimsOf(plain.out)
  expect(nonce).toBe('n0nce-n0nce-n0nce-n0nce')
  const json = JSON.parse((await sign(emulator, requestOf(emulator), ['--json'])).out)
  expect(json).toMatchObject({ device: 'Lab computer', validUntil: expect.any(String) })
  claimsOf(json.answer)
  for (const secret of [emulator.demoLicense.id, signingKey.d])
    expect(plain.out + plain.err).not.toContain(secret)
})

test('says why there is no answer, with --json too', async () => {
  const emulator = await emulatorForTest()
  // Otherwise the emulator refuses without a reason.
  emulator.control.addKey(emulator.demoLicense.id, 'A')
  emulator.control.updateLicense(emulator.demoLicense.id, { suspended_at: '2026-01-01T00:00:00.000000Z' })
  const { exitCode, out } = await sign(emulator, requestOf(emulator), ['--json'])
  expect(exitCode).toBe(1)
  expect(JSON.parse(out)).toMatchObject({ validUntil: null, answer: null, refused: 'suspended' })
})

test.each([
  [
    (url: string) => url.replace('/v1', ''),
    6,
    'Check the base URL, which ends with the version segment, such as /v1.',
  ],
  [(url: string) => url.replace('http:', 'https:'), 3, 'Run `latchkey doctor` to find the cause.'],
  [(url: string) => `${url}/licenses`, 5, 'If the license key is right, check the address.'],
])('says what to check if the address is wrong: %s', async (wrong, expected, advice) => {
  const emulator = await emulatorForTest()
  const LATCHKEY_BASE_URL = wrong(emulator.baseUrl)
  const { exitCode, err } = await sign(emulator, requestOf(emulator), [], { LATCHKEY_BASE_URL })
  expect(err).toContain(advice)
  expect(exitCode).toBe(expected)
})

test('signs with the key that the app trusts', async () => {
  const emulator = await emulatorForTest()
  const keys = [newKey(), signingKey]
  const kid = createHash('sha256')
    .update(JSON.stringify({ crv: signingKey.crv, kty: signingKey.kty, x: signingKey.x }))
    .digest('base64url')
  const env = { LATCHKEY_SIGNING_KEY: JSON.stringify({ keys }) }
  claimsOf((await sign(emulator, requestOf(emulator, { trustedKeys: [kid.slice(0, 8)] }), [], env)).out)
  claimsOf((await sign(emulator, requestOf(emulator), [], env)).out, keys[0])
})

test('activates nothing if the app trusts none of the keys', async () => {
  const emulator = await emulatorForTest()
  const keys = [newKey(), signingKey]
  const env = { LATCHKEY_SIGNING_KEY: JSON.stringify({ keys }) }
  const out = path.join(await temporaryFolder(), 'answer.latchkey')
  const trustedKeys = ['abcd1234', 'efgh5678']
  const run = await sign(emulator, requestOf(emulator, { trustedKeys }), ['--out', out], env)
  expect(run).toMatchObject({ exitCode: 2, out: '' })
  expect(run.err).toContain('Nothing was activated.')
  expect(run.err).toContain('begin with: abcd1234, efgh5678.')
  for (const { kty, crv, x } of keys) {
    const id = createHash('sha256').update(JSON.stringify({ crv, kty, x })).digest('base64url')
    expect(run.err).toContain(id.slice(0, 8))
  }
  expect(emulator.control.requests()).toEqual([])
  // The list has room for eight keys, so the app may trust others, too.
  const eight = Array.from({ length: 8 }, (_, index) => `key-no-${index}`)
  claimsOf((await sign(emulator, requestOf(emulator, { trustedKeys: eight }), [], env)).out, keys[0])
})

test.each(['polar', 'keygen'] as const)('activates at another service (%s)', async (face) => {
  const emulator = await emulatorForTest({ face, accessToken: 'vendor-token' })
  const { settings } = emulator
  const env: Record<string, string> =
    face === 'polar'
      ? {
          LATCHKEY_POLAR_ORGANIZATION_ID: settings['organizationId'] ?? '',
          LATCHKEY_POLAR_ACCESS_TOKEN: 'vendor-token',
          LATCHKEY_POLAR_BASE_URL: emulator.baseUrl,
        }
      : {
          LATCHKEY_KEYGEN_ACCOUNT: settings['account'] ?? '',
          LATCHKEY_KEYGEN_PRODUCT: settings['product'] ?? '',
          LATCHKEY_KEYGEN_PUBLIC_KEY: settings['publicKey'] ?? '',
          LATCHKEY_KEYGEN_TOKEN: 'vendor-token',
          LATCHKEY_KEYGEN_BASE_URL: emulator.baseUrl,
        }
  const run = await sign(emulator, requestOf(emulator), [], { LATCHKEY_SERVICE: face, ...env })
  expect(run.err).toContain('Lab computer')
  claimsOf(run.out)
  expect(emulator.control.keys(emulator.demoLicense.id)).toHaveLength(1)
})

describe('a license key of test mode', () => {
  async function start() {
    const emulator = await emulatorForTest({ face: 'lemon-squeezy' })
    emulator.control.faults.inject({ fault: 'set-fields', fields: { 'license_key.test_mode': true } })
    const env = serviceEnvironment('lemon-squeezy', emulator)
    const run = (own = {}) => sign(emulator, requestOf(emulator), [], { ...env, ...own })
    const seats = () => emulator.control.keys(emulator.demoLicense.id).length
    return { emulator, run, seats }
  }
  const refusal =
    'latchkey: The license key was created in test mode. LATCHKEY_LEMON_SQUEEZY_TEST_MODE=1 allows such keys.\n'

  test('takes no seat, as at a gateway', async () => {
    const { run, seats } = await start()
    expect(await run()).toMatchObject({ exitCode: 1, out: '', err: refusal })
    expect(seats()).toBe(0)
  })

  test('that was activated before gets no answer either', async () => {
    const { emulator, run, seats } = await start()
    expect((await run({ LATCHKEY_LEMON_SQUEEZY_TEST_MODE: '1' })).exitCode).toBe(0)
    expect(seats()).toBe(1)
    expect(await run()).toMatchObject({ exitCode: 1, out: '', err: refusal })
    expect(emulator.control.keys(emulator.demoLicense.id)).toHaveLength(1)
  })
})

describe('what can’t be signed is refused, with what to do', () => {
  const jws = 'eyJhbGciOiJFZERTQSJ9.eyJpc3MiOiJ4In0.c2ln'
  test.each([
    ['another file', () => 'Hello', 'Ask for the file that the app saved'],
    ['half a request', (text: string) => text.slice(0, 90), 'incomplete'],
    ['an answer', () => writeOfflineText('answer', jws), 'an answer, not a request'],
    ['a release code', () => writeOfflineText('release', jws), 'Use: latchkey offline release'],
    ['a lease', () => jws, 'lease of an online activation'],
    ['a request of a later version', (text: string) => text.replace('-1.', '-2.'), 'Update latchkey'],
    ['a huge file', () => 'a'.repeat(200_000), 'too large'],
  ])('%s', async (_what, change, message) => {
    const emulator = await emulatorForTest()
    const run = await sign(emulator, change(requestOf(emulator)))
    expect(run).toMatchObject({ exitCode: 2, out: '' })
    expect(run.err).toContain(message)
    expect(emulator.control.requests()).toEqual([])
  })

  test('a license without a free seat, and one that the service doesn’t know', async () => {
    const emulator = await emulatorForTest()
    for (const name of ['A', 'B', 'C']) emulator.control.addKey(emulator.demoLicense.id, name)
    const full = await sign(emulator, requestOf(emulator))
    expect(full).toMatchObject({ exitCode: 1, out: '' })
    expect(full.err).toContain('latchkey keys release')
    const licenseKey = '11111111-2222-4333-8444-555555555555'
    expect(await sign(emulator, requestOf(emulator, { licenseKey }))).toMatchObject({ exitCode: 5, out: '' })
  })

  test('a missing or invalid signing key', async () => {
    const emulator = await emulatorForTest()
    for (const key of ['', 'secret-text', '{"kty":"OKP"}']) {
      const run = await sign(emulator, requestOf(emulator), [], { LATCHKEY_SIGNING_KEY: key })
      expect(run).toMatchObject({ exitCode: 2, out: '' })
      expect(run.err).toContain('LATCHKEY_SIGNING_KEY')
      expect(run.err).not.toContain('secret-text')
    }
    expect(emulator.control.requests()).toEqual([])
  })

  test('the whole output of keys generate in place of the signing key', async () => {
    const emulator = await emulatorForTest()
    const LATCHKEY_SIGNING_KEY = JSON.stringify({ signingKey, leaseKeys: { keys: [] } })
    const run = await sign(emulator, requestOf(emulator), [], { LATCHKEY_SIGNING_KEY })
    expect(run).toMatchObject({ exitCode: 2, out: '' })
    expect(run.err).toContain('is the whole output of latchkey-gateway keys generate --json')
    expect(run.err).toContain('Use only the value of its part signingKey.')
    expect(run.err).not.toContain(signingKey['d'])
  })

  test('a signing key whose halves are of different keys, before a seat is taken', async () => {
    const emulator = await emulatorForTest()
    const mixed = { ...signingKey, x: newKey()['x'] }
    for (const key of [mixed, { keys: [signingKey, mixed] }]) {
      const LATCHKEY_SIGNING_KEY = JSON.stringify(key)
      const run = await sign(emulator, requestOf(emulator), [], { LATCHKEY_SIGNING_KEY })
      expect(run).toMatchObject({ exitCode: 2, out: '' })
      expect(run.err).toContain('LATCHKEY_SIGNING_KEY has an x and a d of different keys')
    }
    expect(emulator.control.requests()).toEqual([])
  })

  test('a file that can’t be written, before a seat is taken', async () => {
    const emulator = await emulatorForTest()
    const run = await sign(emulator, requestOf(emulator), ['--out', '/nowhere/answer.latchkey'])
    expect(run).toMatchObject({ exitCode: 2, out: '' })
    expect(run.err).toContain('/nowhere/answer.latchkey cannot be written.')
    expect(run.err).toContain('Nothing was activated.')
    expect(emulator.control.requests()).toEqual([])
  })

  test('a folder to write to, before a seat is taken', async () => {
    const emulator = await emulatorForTest()
    const run = await sign(emulator, requestOf(emulator), ['--out', await temporaryFolder()])
    expect(run).toMatchObject({ exitCode: 2, out: '' })
    expect(run.err).toMatch(/names a folder\. Add the name of a file to --out\.\n$/u)
    expect(emulator.control.requests()).toEqual([])
  })

  test('a missing file', async () => {
    const emulator = await emulatorForTest()
    const env = { LATCHKEY_SIGNING_KEY: JSON.stringify(signingKey) }
    const run = await runCli(emulator, ['offline', 'sign', '/nowhere/request.latchkey'], { env })
    expect(run.err).toContain('cannot be read')
  })
})
