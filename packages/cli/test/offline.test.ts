import { createPublicKey, generateKeyPairSync, type JsonWebKey, sign } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Emulator, EmulatorOptions, FaultRule } from '@latchkey/emulator'
import { emulatorForTest, temporaryFolder } from '@latchkey/scripts/test/side-by-side'
import { leaseType } from '@latchkey/services/leases'
import {
  findOfflineText,
  type OfflineRequest,
  offlineClaimsSchema,
  releaseStatement,
  wrapOfflineText,
  writeOfflineRequest,
  writeOfflineText,
  writeReleaseCode,
} from '@latchkey/services/offline'
import { calculateJwkThumbprint, compactVerify, type JWK } from 'jose'
import { describe, expect, test } from 'vitest'
import { runCli } from './run-cli.ts'

const newKey = (): JsonWebKey => generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' })
const signingKey = newKey()
const device = generateKeyPairSync('ed25519')

const idOf = (key: JsonWebKey) => calculateJwkThumbprint(key as JWK)

/** An emulated service, and the offline commands with its settings and the signing key. */
async function start(options: EmulatorOptions = {}) {
  const emulator = await emulatorForTest(options)
  const { control, demoLicense } = emulator
  const given = { LATCHKEY_SIGNING_KEY: JSON.stringify(signingKey) }
  const run = async (
    command: 'sign' | 'release',
    text: string | Uint8Array,
    words: readonly string[] = [],
    env: Readonly<Record<string, string>> = {},
  ) => {
    const file = path.join(await temporaryFolder(), 'file.latchkey')
    await writeFile(file, text)
    return runCli(emulator, ['offline', command, file, ...words], { env: { ...given, ...env } })
  }
  return {
    emulator,
    control,
    faults: control.faults,
    run,
    sign: (words: readonly string[] = [], env: Readonly<Record<string, string>> = {}) =>
      run('sign', requestOf(emulator), words, env),
    runWithInput: (command: 'sign' | 'release', input: string, words: readonly string[] = []) =>
      runCli(emulator, ['offline', command, '-', ...words], { env: given, input }),
    seats: () => control.keys(demoLicense.id).length,
  }
}

/** The request of a computer that never goes online, as its app writes it. */
function requestOf({ licenseKey }: Pick<Emulator, 'licenseKey'>, own: Partial<OfflineRequest> = {}): string {
  const request = {
    app: 'com.example.notes',
    deviceName: 'Lab computer',
    fingerprint: '0123456789abcdef',
    nonce: 'n0nce-n0nce-n0nce-n0nce',
    trustedKeys: [],
    releaseKey: 'k'.repeat(43),
    licenseKey,
    ...own,
  }
  return wrapOfflineText(writeOfflineRequest(request))
}

/** Verifies the answer in a text, and returns its content. */
async function claimsOf(answer: string, { kty, crv, x }: JsonWebKey = signingKey) {
  const found = findOfflineText('answer', answer)
  if (!found.ok) throw new Error(found.fault)
  const publicKey = createPublicKey({ key: { kty, crv, x } as JsonWebKey, format: 'jwk' })
  const { payload, protectedHeader } = await compactVerify(found.payload, publicKey)
  const kid = await calculateJwkThumbprint({ kty, crv, x } as JWK)
  expect(protectedHeader).toEqual({ alg: 'EdDSA', typ: 'latchkey-offline+jwt', kid })
  return offlineClaimsSchema.parse(JSON.parse(new TextDecoder().decode(payload)))
}

/** No change of the address, and no fault. */
const [same, none] = [['', ''] as const, { fault: 'date-shift', shiftMs: 0 } as const]
const expected = { app: 'com.example.notes', fp: '0123456789abcdef', nonce: 'n0nce-n0nce-n0nce-n0nce' }

describe('offline sign', () => {
  test('reads the request in any text, and writes the answer to standard output', async () => {
    const { emulator, run, runWithInput } = await start()
    const text = `Hello,\n${requestOf(emulator).replace(/^/gmu, '> ')}\nThanks!`
    const { exitCode, out, err } = await runWithInput('sign', text, ['--out', '-'])
    expect([exitCode, err]).toEqual([0, expect.stringContaining('Lab computer')])
    expect(await claimsOf(out)).toMatchObject(expected)
    for (const secret of [emulator.licenseKey, signingKey['d']]) expect(out + err).not.toContain(secret)
    // PowerShell saves UTF-16.
    const saved = await run('sign', Buffer.from(`\ufeff${requestOf(emulator)}\r\n`, 'utf16le'))
    expect(await claimsOf(saved.out)).toMatchObject(expected)
    const none = await runWithInput('sign', 'Hello!')
    expect(none.err).toMatch(/^latchkey: Standard input contains no request of an app\./u)
  })

  test('writes the answer to a new file, and takes one seat however often it is asked', async () => {
    const { sign: signed, seats } = await start()
    const file = path.join(await temporaryFolder(), 'answer.latchkey')
    const out = expect.stringMatching(
      /^Activated Lab computer until .*answer\.latchkey to the customer\.\n$/u,
    )
    expect(await signed(['--days', '30', '--out', file])).toEqual({ exitCode: 0, out, err: '' })
    const claims = await claimsOf(await readFile(file, 'utf8'))
    expect(claims).toMatchObject({ ...expected, exp: claims.iat + 30 * 86_400 })
    const again = await signed(['--out', file])
    expect(again).toMatchObject({ exitCode: 2, err: expect.stringContaining('exists already') })
    const json = JSON.parse((await signed(['--json'])).out)
    expect(json).toMatchObject({ device: 'Lab computer', validUntil: expect.any(String), refused: null })
    await claimsOf(json.answer)
    expect(seats()).toBe(1)
  })

  test('signs for as many days as a gateway does, and no more', async () => {
    const { sign: signed, control } = await start()
    const err = expect.stringContaining('It must be at most 3660 days.')
    expect(await signed(['--days', '3661'])).toEqual({ exitCode: 2, out: '', err })
    expect(control.requests()).toEqual([])
    expect(await signed(['--days', '3660'])).toMatchObject({ exitCode: 0 })
  })

  test('signs with the key that the app trusts, and activates nothing if it trusts none', async () => {
    const { emulator, run, control } = await start()
    const keys = [newKey(), signingKey]
    const env = { LATCHKEY_SIGNING_KEY: JSON.stringify({ keys }) }
    const signed = (trustedKeys: readonly string[]) =>
      run('sign', requestOf(emulator, { trustedKeys }), [], env)
    const { exitCode, out, err } = await signed(['abcd1234', 'efgh5678'])
    expect([exitCode, out]).toEqual([2, ''])
    expect(err).toMatch(/Nothing was activated\..* begin with: abcd1234, efgh5678\./u)
    for (const key of keys) expect(err).toContain((await idOf(key)).slice(0, 8))
    expect(control.requests()).toEqual([])
    await claimsOf((await signed([(await idOf(signingKey)).slice(0, 8)])).out)
    await claimsOf((await signed([])).out, keys[0])
    // The list has room for eight keys, so the app may trust others, too.
    await claimsOf((await signed(Array.from({ length: 8 }, (_, index) => `key-no-${index}`))).out, keys[0])
  })

  test.each(['dodo', 'keygen', 'lemon-squeezy', 'polar'] as const)('activates at %s', async (face) => {
    const { sign: signed, seats } = await start({ face, accessToken: 'vendor-token' })
    await claimsOf((await signed()).out)
    expect(seats()).toBe(1)
  })

  test.each<[FaultRule, base: readonly [string, string], exitCode: number, told: string]>([
    [
      { fault: 'status', status: 403, operation: 'keys' },
      same,
      4,
      'the access token in LATCHKEY_ACCESS_TOKEN, and',
    ],
    [{ fault: 'status', status: 404, operation: 'keys' }, same, 6, 'No seat was taken.'],
    [
      { fault: 'status', status: 403, operation: 'activate' },
      same,
      4,
      'the license may be suspended or have ended',
    ],
    [{ fault: 'status', status: 503, operation: 'activate' }, same, 3, 'Wait a minute before you sign again'],
    [{ fault: 'status', status: 429, operation: 'activate' }, same, 3, 'The service limits the requests'],
    [none, ['/v1', ''], 6, 'Check the base URL, which ends with the version segment'],
    [none, ['http:', 'https:'], 3, 'the server doesn’t speak TLS on this port'],
    [none, ['/v1', '/v1/licenses'], 5, 'If the license key is right, check the address.'],
  ])(
    '%j and an address changed by %j take no seat, and the message says what to do',
    async (fault, base, exitCode, told) => {
      const { emulator, sign: signed, faults, seats } = await start()
      faults.inject(fault)
      const { out, err, ...ended } = await signed([], {
        LATCHKEY_BASE_URL: emulator.baseUrl.replace(...base),
      })
      expect([ended.exitCode, out, err]).toEqual([exitCode, '', expect.stringContaining(told)])
      expect(err.includes('Wait a minute')).toBe(fault.fault === 'status' && fault.status === 503)
      expect(seats()).toBe(0)
    },
  )

  test('says why there is no answer, with --json too', async () => {
    const { emulator, control, run, sign: signed } = await start()
    const { licenseKey } = emulator
    for (const name of ['A', 'B', 'C']) control.addKey(licenseKey, name)
    const err = 'latchkey: Every seat is taken. Free one with: latchkey devices release.\n'
    const full = await signed()
    expect(full).toEqual({ exitCode: 1, out: '', err })
    control.suspend(licenseKey)
    const suspended = await signed(['--json'])
    expect(suspended.exitCode).toBe(1)
    expect(JSON.parse(suspended.out)).toMatchObject({ validUntil: null, answer: null, refused: 'suspended' })
    const unknown = requestOf({ licenseKey: '11111111-2222-4333-8444-555555555555' })
    expect(await run('sign', unknown, ['--json'])).toMatchObject({ exitCode: 5, out: '' })
  })

  test('takes no seat for a license key of test mode, and signs no answer for one that has a seat', async () => {
    const { sign: signed, faults, seats } = await start({ face: 'lemon-squeezy' })
    faults.inject({ fault: 'set-fields', fields: { 'license_key.test_mode': true } })
    const err =
      'latchkey: The license key was created in test mode. LATCHKEY_LEMON_SQUEEZY_TEST_MODE=1 allows such keys.\n'
    for (const taken of [0, 1]) {
      expect(await signed()).toEqual({ exitCode: 1, out: '', err })
      expect(seats()).toBe(taken)
      expect((await signed([], { LATCHKEY_LEMON_SQUEEZY_TEST_MODE: '1' })).exitCode).toBe(0)
    }
  })

  test('takes no seat, however often it is asked, if the vendor’s key doesn’t see the devices', async () => {
    const { emulator, control, sign: signed, faults, seats } = await start({ face: 'lemon-squeezy' })
    control.addKey(emulator.licenseKey, 'Laptop [fedcba9876543210]')
    faults.inject({ fault: 'set-fields', operation: 'keys', fields: { data: [] } })
    const err = expect.stringContaining('apiKey lists none of the seats in use (1)')
    for (const _time of [1, 2]) expect(await signed()).toEqual({ exitCode: 6, out: '', err })
    expect(seats()).toBe(1)
  })
})

describe('what can’t be used sends no request, and says what to do', () => {
  const header = JSON.stringify({ alg: 'EdDSA', typ: leaseType })
  const jws = `${Buffer.from(header).toString('base64url')}.eyJpc3MiOiJ4In0.c2ln`
  const otherService = { licenseKey: 'INKWELL-1C285B2D-7F3A-4E6B-9D21-AA41E304DA55' }

  test.each<[string, (emulator: Emulator) => string, string]>([
    ['another file', () => 'Hello', 'Ask for the file that the app saved'],
    ['an answer', () => writeOfflineText('answer', jws), 'and an answer for the customer.'],
    ['a lease', () => jws, 'lease of an online activation'],
    [
      'a request of a later version',
      (emulator) => requestOf(emulator).replace('-1.', '-2.'),
      'Update latchkey',
    ],
    [
      'a request for another service',
      (emulator) => requestOf(emulator, otherService),
      'set LATCHKEY_SERVICE.',
    ],
  ])('%s', async (_what, textOf, message) => {
    const { emulator, run, control } = await start()
    const err = expect.stringContaining(message)
    expect(await run('sign', textOf(emulator))).toEqual({ exitCode: 2, out: '', err })
    expect(control.requests()).toEqual([])
  })

  const mixed = { ...signingKey, x: newKey()['x'] }
  const good = JSON.stringify(signingKey)

  test.each([
    ['', 'Set LATCHKEY_SIGNING_KEY to the signing key of your gateway'],
    ['secret-text', 'must be the JSON of a private key'],
    [`'${good}'`, 'put it in single quotes; in Docker’s --env-file, in none.'],
    [JSON.stringify({ signingKey, leaseKeys: { keys: [] } }), 'use only the value of signingKey.'],
    [JSON.stringify({ keys: [signingKey, mixed] }), 'with an x and a d that belong together'],
  ])('the signing key %#', async (LATCHKEY_SIGNING_KEY, message) => {
    const { emulator, run, control } = await start()
    for (const command of ['sign', 'release'] as const) {
      const { exitCode, out, err } = await run(command, requestOf(emulator), [], { LATCHKEY_SIGNING_KEY })
      expect([exitCode, out, err]).toEqual([2, '', expect.stringContaining(message)])
      expect(err).not.toContain('secret-text')
      expect(err).not.toContain(signingKey['d'])
    }
    expect(control.requests()).toEqual([])
  })

  test('a file or a folder that can’t be written', async () => {
    const { sign: signed, control } = await start()
    const run = await signed(['--out', '/nowhere/answer.latchkey'])
    const told = '/nowhere/answer.latchkey cannot be written: no such file or directory (ENOENT).'
    expect(run).toEqual({ exitCode: 2, out: '', err: `latchkey: ${told} Nothing was activated.\n` })
    const folder = await signed(['--out', await temporaryFolder()])
    expect(folder.err).toContain('exists already. Choose another name with --out. Nothing was activated.')
    expect(control.requests()).toEqual([])
  })

  test.each([
    ['a missing file', '/nowhere/request.latchkey'],
    ['the request itself', requestOf({ licenseKey: '1f0a2b3c-4d5e-4f60-8a7b-9c0d1e2f3a4b' })],
    ['the signing key', good],
  ])('%s in place of a file isn’t repeated', async (_what, text) => {
    const { emulator } = await start()
    for (const command of ['sign', 'release']) {
      const env = { LATCHKEY_SIGNING_KEY: good }
      expect(await runCli(emulator, ['offline', command, text], { env })).toEqual({
        exitCode: 2,
        out: '',
        err: 'latchkey: The file cannot be read. Pass the name of a file, and check its path and permissions.\n',
      })
    }
  })
})

describe('offline release', () => {
  /** A computer that was activated by support, and its release code. */
  async function startReleased() {
    const started = await start()
    const releaseKey = String(device.publicKey.export({ format: 'jwk' }).x)
    const signed = await started.run('sign', requestOf(started.emulator, { releaseKey }))
    const { rel = '' } = await claimsOf(signed.out)
    const statement = releaseStatement(rel, Date.parse('2026-11-22T12:00:00Z'))
    const signature = sign(null, Buffer.from(statement), device.privateKey).toString('base64url')
    return { ...started, code: wrapOfflineText(writeReleaseCode(statement, signature)) }
  }

  test('frees the seat once, and reports when it is free already', async () => {
    const { emulator, code, run, runWithInput, seats } = await startReleased()
    expect(seats()).toBe(1)
    const released = await run('release', `Hello,\n${code.replace(/^/gmu, '> ')}`)
    expect(released).toMatchObject({ exitCode: 0, err: '' })
    expect(released.out).toContain(
      'Freed the seat of Lab computer, which was deactivated at 2026-11-22T12:00:00',
    )
    expect(seats()).toBe(0)
    const again = await run('release', code, ['--json'])
    expect(again).toMatchObject({ exitCode: 0, err: '' })
    expect(JSON.parse(again.out)).toMatchObject({ released: false, device: 'Lab computer' })
    expect((await runWithInput('release', code)).out).toContain('was free already')
    expect(released.out + again.out).not.toContain(emulator.licenseKey)
    const none = await runWithInput('release', 'Hello!')
    expect(none.err).toMatch(/^latchkey: Standard input contains no release code/u)
  })

  test('frees nothing by a code that can’t be used, and says what to do', async () => {
    const { code, run, faults, seats } = await startReleased()
    const otherKey = { LATCHKEY_SIGNING_KEY: JSON.stringify(newKey()) }
    for (const [text, message, env] of [
      [code.slice(0, 100), 'is incomplete', {}],
      [code, 'Set LATCHKEY_SIGNING_KEY to the key that signed it', otherKey],
      [code.replace('-1.', '-2.'), 'Update latchkey', {}],
    ] as const) {
      const { exitCode, out, err } = await run('release', text, [], env)
      expect([exitCode, out, err]).toEqual([2, '', expect.stringContaining(message)])
    }
    faults.inject({ fault: 'status', status: 503 })
    expect(await run('release', code)).toMatchObject({ exitCode: 3, out: '' })
    expect(seats()).toBe(1)
  })
})
