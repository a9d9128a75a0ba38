import { generateKeyPairSync } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { serviceVariableNames } from '@latchkey/services/environment'
import { expect, test } from 'vitest'
import { emulatorForTest, runCli } from './run-cli.ts'
import { serviceEnvironment } from './service-environment.ts'
import { temporaryFolder } from './temporary-folder.ts'

async function withTokenFile(content: string | Buffer) {
  const emulator = await emulatorForTest({ customers: 1, accessToken: 's3cret-token' })
  const file = path.join(await temporaryFolder(), 'token.txt')
  await writeFile(file, content)
  return runCli(emulator, ['--token-file', file, 'customers', 'list'])
}

const utf16 = Buffer.from('\ufeffs3cret-token\r\n', 'utf16le')

test.each([
  ['UTF-16, as PowerShell writes it', utf16],
  ['UTF-16 with the bytes in the other order', Buffer.from(utf16).swap16()],
  ['UTF-8 with a byte order mark', '\ufeffs3cret-token\r\n'],
])('reads a token file in %s', async (_encoding, content) => {
  expect(await withTokenFile(content)).toMatchObject({ exitCode: 0 })
})

test.each([
  ['"s3cret-token"\n', 'The access token is in quotation marks. Remove them.'],
  ["'s3cret-token", 'The access token is in quotation marks. Remove them.'],
  ['LATCHKEY_ACCESS_TOKEN=s3cret-token\n', 'The access token begins with a name and an equals sign.'],
  ['export TOKEN="s3cret-token"\n', 'Keep only the part after it, without quotation marks'],
  ['export TOKEN=s3cret-token\n', 'The access token begins with a name and an equals sign.'],
])('explains what is wrong with the token file %j, without showing the token', async (content, message) => {
  const { exitCode, err } = await withTokenFile(content)
  expect(exitCode).toBe(2)
  expect(err).toContain(message)
  expect(err).not.toContain('s3cret')
})

test('explains that no token is read from standard input', async () => {
  const run = await runCli(await emulatorForTest(), ['--token-file', '-', 'doctor'], {
    input: 's3cret-token',
  })
  expect(run).toEqual({
    exitCode: 2,
    out: '',
    err: 'latchkey: The access token isn’t read from standard input. Pass the name of a file.\n',
  })
})

test('explains a token in quotation marks in the environment too', async () => {
  const emulator = await emulatorForTest({ customers: 1, accessToken: 's3cret-token' })
  const run = (token: string) =>
    runCli(emulator, ['customers', 'list'], { env: { LATCHKEY_ACCESS_TOKEN: token } })
  expect(await run('"s3cret-token"')).toMatchObject({
    exitCode: 2,
    err: 'latchkey: The access token is in quotation marks. Remove them.\n',
  })
  // A token in base64 may end like an assignment.
  expect(await run('c2VjcmV0==')).toMatchObject({ exitCode: 4 })
})

test('the help says which of two tokens is used', async () => {
  const { out } = await runCli(await emulatorForTest(), ['--help'])
  expect(out).toMatch(/LATCHKEY_ACCESS_TOKEN_FILE .*takes precedence over LATCHKEY_ACCESS_TOKEN$/mu)
})

test('suggests the right name of a mistyped variable, and runs the command', async () => {
  const emulator = await emulatorForTest()
  const env = { LATCHKEY_ACESS_TOKEN_FILE: 'token.txt', latchkey_servce: 'polar', LATCHKEY_UPSTREAM: 'x' }
  const { exitCode, err } = await runCli(emulator, ['keys', 'list', emulator.demoLicense.id], { env })
  expect(exitCode).toBe(0)
  expect(err).toContain(
    'latchkey: LATCHKEY_ACESS_TOKEN_FILE is not a setting of latchkey. Did you mean LATCHKEY_ACCESS_TOKEN_FILE?\n' +
      'latchkey: latchkey_servce is not a setting of latchkey. Did you mean LATCHKEY_SERVICE?\n',
  )
  expect(err).not.toContain('LATCHKEY_UPSTREAM')
})

test('warns about no setting of latchkey or of the gateway', async () => {
  const emulator = await emulatorForTest()
  emulator.control.addKey(emulator.demoLicense.id, 'Studio')
  const ofGateway = ['UPSTREAM', 'BASE_PATH', 'LEASE_DAYS', 'SIGNING_KEY', 'REDIS_URL', 'METRICS_PORT']
  const names = [...serviceVariableNames, ...ofGateway.map((name) => `LATCHKEY_${name}`)]
  const env = Object.fromEntries(names.map((name) => [name, '1']))
  const { err } = await runCli(emulator, ['keys', 'list', emulator.demoLicense.id], { env })
  expect(err).toBe('')
})

test.each([
  ['keygn', '. Did you mean keygen?'],
  ['polar,commerce', ', one at a time: the command line asks one service.'],
])('an unusable name of a service, such as %s, says what to set', async (name, advice) => {
  const env = { LATCHKEY_SERVICE: name }
  const { exitCode, err } = await runCli(await emulatorForTest(), ['doctor'], { env })
  expect(exitCode).toBe(2)
  expect(err).toBe(
    `latchkey: LATCHKEY_SERVICE must be one of commerce, dodo, keygen, lemon-squeezy, polar${advice}\n`,
  )
})

test.each([
  ['doctor', []],
  ['keys', ['list', '38b1460a-5104-4067-a91d-77b872934d51']],
  ['license', ['check', '38b1460a-5104-4067-a91d-77b872934d51']],
])(
  'a base URL of another service, such as an emulator without a face, is named by its variable: %s',
  async (command, words) => {
    const emulator = await emulatorForTest()
    const env = {
      LATCHKEY_SERVICE: 'lemon-squeezy',
      LATCHKEY_LEMON_SQUEEZY_STORE_ID: '1',
      LATCHKEY_LEMON_SQUEEZY_PRODUCT_ID: '1',
      LATCHKEY_LEMON_SQUEEZY_API_KEY: 'secret',
      LATCHKEY_LEMON_SQUEEZY_BASE_URL: new URL(emulator.baseUrl).origin,
    }
    const { exitCode, out, err } = await runCli(emulator, [command, ...words], { env })
    expect(exitCode).not.toBe(0)
    expect(out + err).toContain(
      'not-found (status 404). Check LATCHKEY_LEMON_SQUEEZY_BASE_URL. If the emulator is there, start it with --face lemon-squeezy.',
    )
    const versioned = { ...env, LATCHKEY_LEMON_SQUEEZY_BASE_URL: emulator.baseUrl }
    const other = await runCli(emulator, [command, ...words], { env: versioned })
    expect(other.out + other.err).toContain(
      'Check LATCHKEY_LEMON_SQUEEZY_BASE_URL: it ends with /v1, which doesn’t belong to the address. If',
    )
  },
)

const polarKey = 'INKWELL-1C285B2D-9F40-4E5C-A111-0123456789AB'
const polar = {
  LATCHKEY_SERVICE: 'polar',
  LATCHKEY_POLAR_ORGANIZATION_ID: 'fda84e25-0000-4000-8000-000000000000',
  LATCHKEY_POLAR_ACCESS_TOKEN: 'vendors-secret',
}

test.each([
  ['--base-url', 'http://127.0.0.1:4010', 'LATCHKEY_POLAR_BASE_URL'],
  ['--token-file', 'token.txt', 'LATCHKEY_POLAR_ACCESS_TOKEN'],
])('%s is refused beside another service, which would not use it', async (option, value, variable) => {
  const words = [option, value, 'keys', 'list', polarKey]
  const { exitCode, err } = await runCli(await emulatorForTest(), words, { env: polar })
  expect(exitCode).toBe(2)
  expect(err).toBe(
    `latchkey: ${option} is for the commerce service, and LATCHKEY_SERVICE is polar. Set ${variable} in its place.\n`,
  )
})

test('a setting of another service in quotation marks is refused', async () => {
  const env = { ...polar, LATCHKEY_POLAR_ACCESS_TOKEN: '"vendors-secret"' }
  const run = await runCli(await emulatorForTest(), ['keys', 'list', polarKey], { env })
  expect(run).toEqual({
    exitCode: 2,
    out: '',
    err: 'latchkey: LATCHKEY_POLAR_ACCESS_TOKEN is in quotation marks, which became part of its value. Remove them.\n',
  })
})

test('an address of another service that nothing answers at is named with its variable', async () => {
  const env = { ...polar, LATCHKEY_POLAR_BASE_URL: 'http://127.0.0.1:9' }
  const { exitCode, err } = await runCli(await emulatorForTest(), ['keys', 'list', polarKey], {
    env,
  })
  expect(exitCode).toBe(3)
  expect(err).toMatch(/ The address is http:\/\/127\.0\.0\.1:9\. Check LATCHKEY_POLAR_BASE_URL\.\n$/u)
})

test('an address of another service is named without what isn’t part of its setting', async () => {
  const env = {
    LATCHKEY_SERVICE: 'keygen',
    LATCHKEY_KEYGEN_ACCOUNT: 'acme',
    LATCHKEY_KEYGEN_PRODUCT: 'notes',
    LATCHKEY_KEYGEN_HOST: 'localhost:9',
  }
  const { err } = await runCli(await emulatorForTest(), ['keys', 'list', polarKey], { env })
  expect(err).toMatch(/ The address is https:\/\/localhost:9\. Check LATCHKEY_KEYGEN_HOST\.\n$/u)
})

test('a setting of a service that isn’t asked may be in quotation marks', async () => {
  const emulator = await emulatorForTest({ face: 'polar' })
  const env = { ...serviceEnvironment('polar', emulator), LATCHKEY_DODO_API_KEY: '"key"' }
  expect(await runCli(emulator, ['keys', 'list', emulator.licenseKey], { env })).toMatchObject({
    exitCode: 0,
  })
})

test.each([
  [{}, 'a minute'],
  [{ retryAfterSeconds: 3600 }, '60 minutes'],
])('a limit of requests is reported with the time to wait: %o', async (wait, told) => {
  const emulator = await emulatorForTest({ face: 'polar' })
  emulator.control.faults.inject({ fault: 'status', status: 429, ...wait })
  const env = serviceEnvironment('polar', emulator)
  const { err } = await runCli(emulator, ['keys', 'list', emulator.licenseKey], { env })
  expect(err).toBe(`latchkey: The service limits the requests (status 429). Try again in ${told}.\n`)
})

test('a token with a comment in its file is refused', async () => {
  const { exitCode, err } = await withTokenFile('# mine\ns3cret-token\n')
  expect(exitCode).toBe(2)
  expect(err).toContain('The access token has more than one line.')
})

test.each([
  [
    { HTTPS_PROXY: 'http://127.0.0.1:9' },
    'HTTPS_PROXY is set, but Node uses it only with NODE_USE_ENV_PROXY=1',
  ],
  [
    { https_proxy: 'http://127.0.0.1:9', NODE_USE_ENV_PROXY: '1' },
    'The request may have been sent to the proxy in https_proxy',
  ],
])('the doctor mentions a proxy in the environment: %o', async (proxy, told) => {
  const env = { ...proxy, LATCHKEY_BASE_URL: 'https://commerce.invalid/v1' }
  const { out } = await runCli(await emulatorForTest(), ['doctor'], { env })
  expect(out).toContain(told)
  expect(out).not.toContain('..')
})

test.each([
  ['http://commerce.invalid/v1', { HTTPS_PROXY: 'x' }],
  ['https://commerce.invalid/v1', { HTTP_PROXY: 'x' }],
  ['http://127.0.0.1:1/v1', { HTTP_PROXY: 'x' }],
  ['http://localhost:1/v1', { HTTP_PROXY: 'x' }],
])('the doctor mentions no proxy that isn’t for %s', async (address, env) => {
  const own = { ...env, LATCHKEY_BASE_URL: address, LATCHKEY_ACCESS_TOKEN: '' }
  const { out } = await runCli(await emulatorForTest(), ['doctor'], { env: own })
  expect(out).toMatch(/^BAD {3}reachable /mu)
  expect(out).not.toContain('_PROXY')
})

test('a timeout that the service reports isn’t about its address', async () => {
  const emulator = await emulatorForTest({ face: 'polar' })
  emulator.control.faults.inject({ fault: 'status', status: 408 })
  const env = serviceEnvironment('polar', emulator)
  const { err } = await runCli(emulator, ['keys', 'list', emulator.licenseKey], { env })
  expect(err).toBe(
    'latchkey: The service, or a proxy in front of it, has a problem (status 408): try again later.\n',
  )
})

test('a service that limits the requests was reached', async () => {
  const emulator = await emulatorForTest()
  emulator.control.faults.inject({ fault: 'status', status: 429 })
  const { exitCode, err } = await runCli(emulator, ['keys', 'list', emulator.demoLicense.id])
  expect(exitCode).toBe(3)
  expect(err).toMatch(
    /^latchkey: The service limits the requests \(status 429\)\. Try again in a minute\.\n$/u,
  )
})

const signingKey = JSON.stringify(generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' }))

test.each([
  ['sign', `'${signingKey}'`],
  ['sign', JSON.stringify(signingKey)],
  ['release', '{'],
])('a signing key in the wrong quotes isn’t called another key: offline %s', async (command, key) => {
  const { exitCode, err } = await runCli(await emulatorForTest(), ['offline', command, 'missing.txt'], {
    env: { LATCHKEY_SIGNING_KEY: key },
  })
  expect(exitCode).toBe(2)
  expect(err).toMatch(/^latchkey: LATCHKEY_SIGNING_KEY is not JSON\. Check its quotes: [^"]+\n$/u)
})
