import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { readdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { wrapOfflineText, writeOfflineText } from '@latchkey/services/offline'
import { expect, test } from 'vitest'
import { offlineRequest } from './offline-request.ts'
import { emulatorForTest, runCli } from './run-cli.ts'
import { serviceEnvironment } from './service-environment.ts'
import { temporaryFolder } from './temporary-folder.ts'

const signingKey = JSON.stringify(generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' }))

test('without a service, the message also says how to use another one', async () => {
  const { err } = await runCli(await emulatorForTest(), ['doctor'], { env: { LATCHKEY_BASE_URL: '' } })
  expect(err).toContain('Set LATCHKEY_BASE_URL')
  expect(err).toContain('For another service, set LATCHKEY_SERVICE: latchkey --help lists its settings.')
})

test.each([
  [{}, false, 'Check the access token: set LATCHKEY_ACCESS_TOKEN, or pass --token-file.'],
  [{ LATCHKEY_ACCESS_TOKEN: 'wrong' }, false, 'Check the access token in LATCHKEY_ACCESS_TOKEN, and what'],
  [{ LATCHKEY_ACCESS_TOKEN: 'demo' }, true, 'Check the access token in --token-file, and what'],
])(
  'a refused request to sign names the token that is missing or wrong: %o, file: %s',
  async (env, isFile, advice) => {
    const emulator = await emulatorForTest()
    const tokenFile = path.join(await temporaryFolder(), 'token.txt')
    await writeFile(tokenFile, 'wrong')
    const options = isFile ? ['--token-file', tokenFile] : []
    const { exitCode, err } = await runCli(emulator, [...options, 'offline', 'sign', '-'], {
      env: { LATCHKEY_ACCESS_TOKEN: '', LATCHKEY_SIGNING_KEY: signingKey, ...env },
      input: wrapOfflineText(offlineRequest(emulator.demoLicense.id)),
    })
    expect(exitCode).toBe(4)
    expect(err).toMatch(/^latchkey: The service refuses access \(status 401/u)
    expect(err).toContain(advice)
  },
)

test('a license key of another product names only the product', async () => {
  const emulator = await emulatorForTest({ face: 'keygen' })
  const env = { ...serviceEnvironment('keygen', emulator), LATCHKEY_KEYGEN_PRODUCT: 'other' }
  const { exitCode, out } = await runCli(emulator, ['doctor', '--license', emulator.licenseKey], { env })
  expect(exitCode).toBe(1)
  expect(out).toMatch(
    /^BAD {3}license .* another product, store or plan\. Check LATCHKEY_KEYGEN_PRODUCT\.$/mu,
  )
})

test('a list of all customers is an export', async () => {
  const { exitCode, err } = await runCli(await emulatorForTest(), ['customers', 'list', '--all'])
  expect(exitCode).toBe(2)
  expect(err).toContain("unknown option '--all'\n(Did you mean latchkey customers export?)")
  const exported = await runCli(await emulatorForTest(), ['customers', 'export', '--all'])
  expect(exported.err).toContain('(An export contains all of them: leave it out)')
})

test('an export of nothing says only why', async () => {
  const emulator = await emulatorForTest()
  emulator.control.faults.inject({ fault: 'status', status: 404 })
  const { err } = await runCli(emulator, ['discounts', 'export'])
  expect(err).toContain('A gateway serves no lists')
  expect(err).not.toContain('--from-page')
})

test('an export of nothing into a file leaves no file, so that it can be run again as it is', async () => {
  const emulator = await emulatorForTest()
  const folder = await temporaryFolder()
  const words = ['customers', 'export', '--output', path.join(folder, 'customers.csv')]
  const { exitCode, err } = await runCli(emulator, words, { env: { LATCHKEY_ACCESS_TOKEN: 'wrong' } })
  expect(exitCode).toBe(4)
  expect(err).not.toContain('--resume')
  expect(await readdir(folder)).toEqual([])
  expect(await runCli(emulator, words)).toMatchObject({ exitCode: 0 })
  const again = [...words, '--overwrite']
  expect((await runCli(emulator, again, { env: { LATCHKEY_ACCESS_TOKEN: 'wrong' } })).exitCode).toBe(4)
  expect(await readdir(folder)).toContain('customers.csv')
})

test('a shortened license key from a report is not enough', async () => {
  const { exitCode, err } = await runCli(await emulatorForTest(), ['keys', 'list', '1f0a••••9c1d'])
  expect(exitCode).toBe(2)
  expect(err).toContain('In reports and logs it is shortened.')
})

test.each(['.', '..', 'a\u202eb', 'Studio Mac'])('no request is sent for an id like %j', async (id) => {
  const emulator = await emulatorForTest()
  const { exitCode, err } = await runCli(emulator, ['keys', 'release', emulator.demoLicense.id, id])
  expect(exitCode).toBe(2)
  expect(err).toBe('latchkey: The argument contains no key id. Copy it from the column KEY of keys list.\n')
  expect(emulator.control.requests()).toEqual([])
})

test('an answer that a wrong public key can’t verify names that setting', async () => {
  const emulator = await emulatorForTest({ face: 'keygen' })
  const env = { ...serviceEnvironment('keygen', emulator), LATCHKEY_KEYGEN_PUBLIC_KEY: '0'.repeat(64) }
  const { exitCode, err } = await runCli(emulator, ['keys', 'list', emulator.licenseKey], { env })
  expect(exitCode).toBe(6)
  expect(err).toBe(
    'latchkey: The answer has no valid signature of the service (status 200). Check the public key and the account in the settings.\n',
  )
})

const someKey = '1f0a2b3c-4d5e-4f60-8a7b-9c0d1e2f3a4b'

test.each([
  ['list', someKey, "unknown command 'list'\n(Did you mean latchkey keys list?)"],
  ['check', someKey, "unknown command 'check'\n(Did you mean latchkey license check?)"],
  ['license', someKey, "unknown command '…'\n(Did you mean latchkey license check <license>?)"],
  ['keys', 'INKWELL-4B11E191-V3', "unknown command '…'\n(Did you mean latchkey keys list <license>?)"],
  ['export', 'discounts', "unknown command 'export'\n(Did you mean latchkey discounts export?)"],
  ['List', 'customers', "unknown command 'List'\n(Did you mean latchkey customers list?)"],
  ['license', 'show', "unknown command 'show'\n(Did you mean latchkey license check?)"],
  ['customers', 'search', "unknown command 'search'\n(Did you mean latchkey customers find?)"],
  ['license', 'list', "unknown command 'list'\n(Did you mean latchkey keys list?)"],
  ['keys', 'check', "unknown command 'check'\n(Did you mean latchkey license check?)"],
  ['keys', 'lst', "unknown command 'lst'\n(Did you mean list?)"],
  ['licence', 'check', "unknown command 'licence'\n(Did you mean license?)"],
  ['discounts', 'show', "unknown command 'show'\n(add --help to list the available options)"],
  ['customers', someKey, "unknown command '…'\n(For a license key: latchkey keys list <license>, or"],
  [
    someKey,
    '',
    "unknown command '…'\n(For a license key: latchkey keys list <license>, or latchkey license check",
  ],
])(
  'an unknown command suggests one, and no license key is repeated: %s %s',
  async (first, second, message) => {
    const words = [first, second].filter((word) => word !== '')
    const { exitCode, err } = await runCli(await emulatorForTest(), words)
    expect(exitCode).toBe(2)
    expect(err).toContain(message)
    expect(err).not.toMatch(/1f0a2b3c|4B11E191/u)
  },
)

test('a wrong account says where to look, and an address with a version why it is wrong', async () => {
  const emulator = await emulatorForTest({ face: 'keygen' })
  const run = async (changed: Record<string, string>) =>
    runCli(emulator, ['keys', 'list', emulator.licenseKey], {
      // With a public key, an answer that isn't signed is the problem.
      env: { ...serviceEnvironment('keygen', emulator), LATCHKEY_KEYGEN_PUBLIC_KEY: '', ...changed },
    })
  const { err } = await run({ LATCHKEY_KEYGEN_ACCOUNT: 'another' })
  expect(err).toContain('Compare the settings with your account at the service.')
  expect(err).toMatch(/ Check LATCHKEY_KEYGEN_ACCOUNT and LATCHKEY_KEYGEN_BASE_URL\.\n$/u)
  const withVersion = await run({ LATCHKEY_KEYGEN_BASE_URL: `${emulator.baseUrl}/v1` })
  expect(withVersion.err).toContain('it ends with /v1, which doesn’t belong to the address')
})

const request = offlineRequest('1f0a2b3c-4d5e-4f60-8a7b-9c0d1e2f3a4b')

test.each([
  ['sign', request],
  ['sign', wrapOfflineText(request)],
  ['release', writeOfflineText('release', 'a.b.c-with-the-signature-of-the-device')],
])('the text itself in place of its file isn’t repeated: offline %s', async (command, text) => {
  const { exitCode, out, err } = await runCli(await emulatorForTest(), ['offline', command, text], {
    env: { LATCHKEY_SIGNING_KEY: signingKey },
  })
  expect({ exitCode, out }).toEqual({ exitCode: 2, out: '' })
  expect(err).toBe('latchkey: Save the text to a file, and pass the name of the file.\n')
})

const secrets = [
  'sk_live_51Hx8Qz2',
  '1f0a2b3c-4d5e-4f60-8a7b-9c0d1e2f3a4b',
  'INKWELL-1C285B2D-7F3A-4E6B-9D21-AA41E304DA55',
  'eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJ2ZW5kb3IifQ.c2lnbmF0dXJlLW9mLXRoZS12ZW5kb3I',
  'q8Zt/3vLxA9/PzKd0+Rw==',
  'q8Zt/3vLxA9/PzKd0Rw',
  'sk/a1b2c3d4e5f6a7b8c9d0e1',
  'redis://:hunter2/0',
  signingKey,
  'a\nb.txt',
]

test.each(secrets)('a secret in place of a file isn’t repeated: %#', async (secret) => {
  const emulator = await emulatorForTest()
  const env = { LATCHKEY_SIGNING_KEY: signingKey }
  const token = await runCli(emulator, ['--token-file', secret, 'doctor'], { env })
  expect(token).toEqual({
    exitCode: 2,
    out: '',
    err: 'latchkey: The token file … cannot be read. Pass the name of a file, not the token.\n',
  })
  for (const command of ['sign', 'release']) {
    const { exitCode, err } = await runCli(emulator, ['offline', command, secret], { env })
    expect(exitCode).toBe(2)
    expect(err).toBe('latchkey: The file … cannot be read. Pass the name of a file.\n')
  }
})

test.each([
  'token',
  '.',
  'no-such-folder/request.latchkey',
  '/run/secrets/latchkey_access_token',
  '/run/no-secrets/token2',
  'no-such-folder/customers-2026-11',
  String.raw`C:\Users\Anna Meier\my request (2).latchkey`,
])('a name of a file is repeated: %s', async (file) => {
  const emulator = await emulatorForTest()
  const token = await runCli(emulator, ['--token-file', file, 'doctor'])
  const advice = 'cannot be read. Check its path and permissions.\n'
  expect(token.err).toBe(`latchkey: The token file ${file} ${advice}`)
  const env = { LATCHKEY_SIGNING_KEY: signingKey }
  const sign = await runCli(emulator, ['offline', 'sign', file], { env })
  expect(sign.err).toBe(`latchkey: The file ${file} ${advice}`)
})

test('a wrong secret of another service names the variable that holds it', async () => {
  const emulator = await emulatorForTest({ face: 'polar', accessToken: 'right' })
  const env = serviceEnvironment('polar', emulator, 'wrong')
  const listed = await runCli(emulator, ['keys', 'list', emulator.licenseKey], { env })
  expect(listed.exitCode).toBe(4)
  expect(listed.err).toMatch(
    / Check the vendor’s key in LATCHKEY_POLAR_ACCESS_TOKEN, and what it may do\.$/mu,
  )
  const { out } = await runCli(emulator, ['doctor', '--license', emulator.licenseKey], { env })
  expect(out).toMatch(
    /^BAD {3}access token .* Check the vendor’s key in LATCHKEY_POLAR_ACCESS_TOKEN, and what it may do\.$/mu,
  )
})

test('an address without its version segment isn’t taken for a wrong license key', async () => {
  const emulator = await emulatorForTest()
  const env = { LATCHKEY_BASE_URL: new URL('/', emulator.baseUrl).href }
  for (const words of [
    ['keys', 'list'],
    ['license', 'check'],
  ]) {
    const { exitCode, err } = await runCli(emulator, [...words, emulator.demoLicense.id], { env })
    expect(exitCode).toBe(6)
    expect(err).toMatch(/^latchkey: Something other than the service answers at this address /u)
    expect(err).toContain('Check the base URL, which ends with the version segment, such as /v1.')
    expect(err).toContain('Run `latchkey doctor` to find the cause.')
  }
  expect((await runCli(emulator, ['doctor'], { env })).out).toContain(
    'does not end with the version segment v1, which is only right for a gateway with another LATCHKEY_BASE_PATH',
  )
})

test('an unknown license key also points to the address', async () => {
  const { exitCode, err } = await runCli(await emulatorForTest(), ['license', 'check', randomUUID()])
  expect(exitCode).toBe(5)
  expect(err).toBe(
    'latchkey: There is no such license, or the base URL is wrong (status 404). If the license key is right, check the address. Run `latchkey doctor` to find the cause.\n',
  )
})

test('the service in place of its gateway is named as such', async () => {
  const emulator = await emulatorForTest()
  const words = ['doctor', '--gateway', emulator.baseUrl, '--license', emulator.demoLicense.id]
  const { exitCode, out } = await runCli(emulator, words)
  expect(exitCode).toBe(1)
  expect(out).toMatch(/^BAD {3}access token {2}asked for at this address, and a gateway needs none: /mu)
  expect(out.match(/^BAD/gmu)).toHaveLength(1)
})

test('releasing a seat twice points to the list of devices', async () => {
  const emulator = await emulatorForTest()
  const keyId = emulator.control.addKey(emulator.demoLicense.id, 'Old laptop').id
  const words = ['keys', 'release', emulator.demoLicense.id, keyId]
  expect(await runCli(emulator, words)).toMatchObject({ exitCode: 0 })
  const { exitCode, err } = await runCli(emulator, words)
  expect(exitCode).toBe(5)
  expect(err).toContain('`latchkey keys list` shows which devices it still has')
  const swapped = await runCli(emulator, ['keys', 'release', keyId, emulator.demoLicense.id])
  expect(swapped.err).toContain('Pass the license key first, then the key id.')
})

test.each([
  [
    ['keys', 'release', someKey],
    "missing required argument 'key'\n(Usage: latchkey keys release <license> <key>)",
  ],
  [
    ['customers', 'find', 'Ada', 'Lovelace'],
    'got 2.\nPut a text that contains spaces in quotation marks.\n(Usage: latchkey customers find [options] <text>)',
  ],
  [['doctor', someKey], 'Pass a license with --license, and the address of a gateway with --gateway.'],
  [['customers', 'list', 'ada'], 'but got 1.\n(Usage: latchkey customers list [options])'],
  [['--token-file', 'keys', 'doctor', 'x'], 'gateway.\n(Usage: latchkey doctor [options])'],
  [['customers', 'find', '--limit', '2', 'a', 'b'], '(Usage: latchkey customers find [options] <text>)'],
])('too many arguments or a missing one show the form of the command: %j', async (words, message) => {
  const { exitCode, err } = await runCli(await emulatorForTest(), words)
  expect(exitCode).toBe(2)
  expect(err).toContain(message)
  expect(err).toMatch(/\(Usage: latchkey [^\n]*\)\n\(add --help to list the available options\)\n$/u)
})

test.each([['ada@example.com'], [' <ada@example.com>\n']])(
  'an email address in place of a license key says what helps: %j',
  async (text) => {
    const { exitCode, err } = await runCli(await emulatorForTest(), ['license', 'check', '-'], {
      input: text,
    })
    expect(exitCode).toBe(2)
    expect(err).toMatch(
      /^latchkey: An email address finds no license: .* look up the order in your store\.\n$/u,
    )
  },
)

test('an argument or an input without text is called empty', async () => {
  const emulator = await emulatorForTest()
  const argument = await runCli(emulator, ['keys', 'list', ''])
  expect(argument).toMatchObject({ exitCode: 2, err: 'latchkey: The argument is empty.\n' })
  const input = await runCli(emulator, ['doctor', '--gateway', emulator.baseUrl, '--license', '-'])
  expect(input).toMatchObject({ exitCode: 2, err: 'latchkey: Standard input is empty.\n' })
  const license = await runCli(emulator, ['doctor', '--license', ''])
  expect(license).toMatchObject({
    exitCode: 2,
    err: expect.stringMatching(/'--license <license>' .* is empty\./u),
  })
  const key = await runCli(emulator, ['license', 'check', someKey, '--key', ' '])
  expect(key).toMatchObject({ exitCode: 2, err: expect.stringMatching(/'--key <key>' .* is empty\./u) })
})

test.each([
  "Zoë Quist <zoe.o'quist@else.example>",
  "<Zoe.O'Quist@else.example>",
  "mailto:zoe.o'quist@else.example",
  "Write to zoe.o'quist@else.example.",
  'Quist, Zoë',
  'zoe   QUIST',
])('a customer is found as a mail program or a list names her: %s', async (text) => {
  const emulator = await emulatorForTest({ customers: 30 })
  const fields = { 'data.3.name': 'Zoë Quist', 'data.3.email': "zoe.o'quist@else.example" }
  emulator.control.faults.inject({ fault: 'set-fields', fields, times: 1 })
  const { exitCode, out } = await runCli(emulator, ['customers', 'find', text])
  expect(exitCode).toBe(0)
  expect(out).toMatch(/^Zoë Quist [^\n]*\n$/u)
})

test('a search for customers says that it reads no standard input', async () => {
  const emulator = await emulatorForTest()
  const { exitCode, err } = await runCli(emulator, ['customers', 'find', '-'], { input: 'ada' })
  expect(exitCode).toBe(2)
  expect(err).toContain('Pass the name or the email address itself.')
  expect(emulator.control.requests()).toEqual([])
})

test('a UUID finds no customer, isn’t repeated, and no customer is requested', async () => {
  const emulator = await emulatorForTest()
  const { exitCode, err } = await runCli(emulator, ['customers', 'find', someKey])
  expect(exitCode).toBe(2)
  expect(err).toMatch(/^latchkey: A UUID finds no customer\. .* look up the order in your store\.\n$/u)
  expect(err).not.toContain(someKey)
  expect(emulator.control.requests()).toEqual([])
})

test('an address that isn’t a URL is called what it was passed as', async () => {
  const words = ['doctor', '--gateway', 'licensing.example.com/v1', '--license', someKey]
  const { exitCode, err } = await runCli(await emulatorForTest(), words)
  expect(exitCode).toBe(2)
  expect(err).toMatch(/^latchkey: The address of the gateway is not a URL such as /u)
})

test('a path that only a shell understands is explained', async () => {
  const env = { LATCHKEY_ACCESS_TOKEN_FILE: '~/.config/latchkey/token' }
  const { exitCode, err } = await runCli(await emulatorForTest(), ['doctor'], { env })
  expect(exitCode).toBe(2)
  expect(err).toContain('Write its whole path: only a shell replaces ~, and not in quotation marks.')
})

test('a gateway in place of the service is the doctor’s only word about the address', async () => {
  const emulator = await emulatorForTest()
  const env = { LATCHKEY_BASE_URL: new URL('/gateway/v1', emulator.baseUrl).href }
  const { exitCode, out } = await runCli(emulator, ['doctor'], { env })
  expect(exitCode).toBe(1)
  expect(out.match(/base URL {2,}/gu)).toHaveLength(1)
  expect(out).toMatch(
    /^BAD {3}base URL .* A gateway serves no lists: check one with latchkey doctor --gateway and --license$/mu,
  )
})

test('https for a service without TLS is named, instead of advice to try again', async () => {
  const emulator = await emulatorForTest()
  const env = { LATCHKEY_BASE_URL: emulator.baseUrl.replace('http:', 'https:') }
  const { exitCode, err } = await runCli(emulator, ['keys', 'list', someKey], { env })
  expect(exitCode).toBe(3)
  expect(err).toMatch(
    /^latchkey: The service can’t be reached: the server doesn’t speak TLS on this port: .*\n$/u,
  )
})

test('a service’s 403 about a license may be about the license', async () => {
  const emulator = await emulatorForTest()
  emulator.control.faults.inject({ fault: 'status', status: 403 })
  const { exitCode, err } = await runCli(emulator, ['keys', 'list', someKey])
  expect(exitCode).toBe(4)
  expect(err).toMatch(
    / forbids this request \(status 403\): .* or the license may be suspended or have ended\./u,
  )
})

test.each([
  ['LATCHKEY_BASE_URL', [], { LATCHKEY_BASE_URL: '"http://127.0.0.1:1/v1"' }],
  ['--base-url', ['--base-url', "'http://127.0.0.1:1/v1'"], {}],
])(
  'an address in quotation marks is refused by the name of its setting: %s',
  async (setting, option, env) => {
    const { exitCode, err } = await runCli(await emulatorForTest(), [...option, 'doctor'], { env })
    expect([exitCode, err]).toEqual([
      2,
      `latchkey: The value of ${setting} is in quotation marks. Remove them.\n`,
    ])
  },
)

test('a missing file with a short name is named', async () => {
  const env = { LATCHKEY_SIGNING_KEY: signingKey }
  const { err } = await runCli(await emulatorForTest(), ['offline', 'release', 'release2'], { env })
  expect(err).toBe('latchkey: The file release2 cannot be read. Check its path and permissions.\n')
})

test('a settings file in place of the token file is said to have more than one line', async () => {
  const file = path.join(await temporaryFolder(), 'gateway.env')
  await writeFile(file, `LATCHKEY_ACCESS_TOKEN=s3cret\nLATCHKEY_SIGNING_KEY='{}'\n`)
  const { exitCode, err } = await runCli(await emulatorForTest(), ['--token-file', file, 'doctor'])
  expect([exitCode, err]).toEqual([2, expect.stringContaining('has more than one line')])
})

test('says why a search waits, and doesn’t wait for an hour', async () => {
  const emulator = await emulatorForTest({ customers: 3 })
  const limit = (retryAfterSeconds: number): unknown =>
    emulator.control.faults.inject({ fault: 'status', status: 429, retryAfterSeconds, times: 1 })
  limit(2)
  const { exitCode, err } = await runCli(emulator, ['customers', 'find', '@'])
  expect([exitCode, err]).toEqual([
    0,
    expect.stringMatching(/^The service limits the requests\. Retrying in 2 s\.\n/u),
  ])
  limit(3600)
  const later = await runCli(emulator, ['customers', 'find', '@'])
  expect([later.exitCode, later.err]).toEqual([3, expect.stringContaining('Try again in 60 minutes.')])
})

test('a server error isn’t called unreachable', async () => {
  const emulator = await emulatorForTest()
  emulator.control.faults.inject({ fault: 'status', status: 500 })
  const { exitCode, err } = await runCli(emulator, ['keys', 'list', someKey])
  expect([exitCode, err]).toEqual([
    3,
    expect.stringContaining('has a problem (status 500): try again later.'),
  ])
})

test('a list at an address where nothing is isn’t an unknown license', async () => {
  const emulator = await emulatorForTest()
  const env = { LATCHKEY_BASE_URL: new URL('/elsewhere/v1', emulator.baseUrl).href }
  const { exitCode, err } = await runCli(emulator, ['customers', 'find', 'ada'], { env })
  expect([exitCode, err]).toEqual([6, expect.stringContaining('check the base URL.')])
})
