import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { serviceVariableNames } from '@latchkey/services/environment'
import { expect, test } from 'vitest'
import { emulatorForTest, runCli, temporaryFolder } from './run-cli.ts'

const order = '2f0a6c1e-5b7d-4c39-9e2f-0d7a3b5c9c1d'
const someKey = '1f0a2b3c-4d5e-4f60-8a7b-9c0d1e2f3a4b'

// The report that the page of the support desk shows.
const page = await readFile(new URL('../../../docs/support-desk.md', import.meta.url), 'utf8')
const report = /^Latchkey .*, license report\n[^`]*/mu.exec(page)?.[0] ?? ''

test.each([
  ['a key in a reply', (id: string) => `Ada wrote:\n> My key is ${id.slice(0, 20)}\n> ${id.slice(20)}\n`],
  ['UTF-16, as PowerShell writes it', (id: string) => Buffer.from(`\ufeff${id}\r\n`, 'utf16le')],
  ['an order number before the license key', (id: string) => `Order: ${order}\nLicense key: ${id}`],
  ['a report before it', (id: string) => `${report}\n\nMy key: ${id}\n`],
])('takes the license key from standard input in a text with %s', async (_what, textWith) => {
  expect(report).toContain('license facts: ')
  const emulator = await emulatorForTest()
  const input = textWith(emulator.demoLicense.id)
  const words = ['--json', 'devices', 'list', '-']
  expect(await runCli(emulator, words, { input })).toMatchObject({ exitCode: 0 })
})

const uuidsOnly =
  'for a license of another service, set LATCHKEY_SERVICE. Behind a gateway, use latchkey doctor'

test.each([
  ['Hello!', 'contains no license key. Pass the whole license key, as the customer received it.'],
  ['1f0a6c1e-5b7d-4c39-9e2f', 'A part of the license key is missing. Pass the whole license key'],
  ['1f0a\0c1e-5b7d-4c39-9e2f-0d7a3b5c9c1d', 'doesn’t belong in a license key (“�”, U+0000).'],
  ['1f0a••••9c1d', 'contains no license key. In reports and logs it is shortened.'],
  ['INKWELL-4B11E191-A34E-424C-B391-D18776ED66B8', uuidsOnly],
  [`${someKey} or ${order}`, 'contains more than one license key. Pass only one.'],
  ['Hello! '.repeat(2_000), 'is too long to search. Pass only the line with the license key.'],
  [' ', 'is empty.'],
  [' <ada@example.com>\n', 'An email address finds no license: pass the license key.'],
])('says what is wrong with a text without one license key: %.40s', async (text, message) => {
  const emulator = await emulatorForTest()
  const told = [2, '', expect.stringContaining(message)]
  const argument = await runCli(emulator, ['devices', 'list', text])
  expect([argument.exitCode, argument.out, argument.err]).toEqual(told)
  const input = await runCli(emulator, ['license', 'check', '-'], { input: text })
  expect([input.exitCode, input.out, input.err]).toEqual(told)
  expect(emulator.control.requests()).toEqual([])
})

test.each([
  [['doctor', '--license', ''], /'--license <license>' .* is empty\./u],
  [['license', 'check', someKey, '--device', ' '], /'--device <activation-id>' .* is empty\./u],
  [
    ['doctor', '--gateway', 'licensing.example.com/v1', '--license', someKey],
    /^latchkey: The address of the gateway/u,
  ],
])('an empty or unusable value is named: %j', async (words, message) => {
  const { exitCode, err } = await runCli(await emulatorForTest(), words)
  expect([exitCode, err]).toEqual([2, expect.stringMatching(message)])
})

async function withTokenFile(content: string | Buffer) {
  const emulator = await emulatorForTest({ customers: 1, accessToken: 's3cret-token' })
  const file = path.join(await temporaryFolder(), 'token.txt')
  await writeFile(file, content)
  const env = { LATCHKEY_ACCESS_TOKEN: 'wrong', LATCHKEY_ACCESS_TOKEN_FILE: file }
  return runCli(emulator, ['customers', 'list'], { env })
}

const utf16 = Buffer.from('\ufeffs3cret-token\r\n', 'utf16le')

test.each([
  ['UTF-8', 's3cret-token\n'],
  ['UTF-16, as PowerShell writes it', utf16],
  ['UTF-8 with a byte order mark', '\ufeffs3cret-token\r\n'],
])('prefers the token in a file in %s', async (_encoding, content) => {
  expect(await withTokenFile(content)).toMatchObject({ exitCode: 0 })
})

test.each([
  ['"s3cret-token"\n', 'has something beside it.'],
  ["'s3cret-token", 'has something beside it.'],
  ['LATCHKEY_ACCESS_TOKEN=s3cret-token\n', 'no name and equals sign'],
  ['export TOKEN="s3cret-token"\n', 'has something beside it.'],
  ['# mine\ns3cret-token\n', 'no second line'],
  ['\n', 'is empty'],
])('explains what is wrong with the token file %j, without showing the token', async (content, message) => {
  const { exitCode, err } = await withTokenFile(content)
  expect([exitCode, err]).toEqual([2, expect.stringMatching(`^latchkey: The access token .*${message}`)])
  expect(err).not.toContain('s3cret')
})

test.each([
  ['-', 'The file of --token-file cannot be read.'],
  ['sk_live_51Hx8Qz2', 'Pass the path of a file, not the token'],
  ['~/token', 'without ~, which only a shell replaces'],
])('explains a token file that isn’t one, without repeating it: %s', async (file, message) => {
  const words = ['--token-file', file, 'doctor']
  const { exitCode, out, err } = await runCli(await emulatorForTest(), words, { input: 's3cret' })
  expect([exitCode, out, err]).toEqual([2, '', expect.stringContaining(message)])
  expect(err).not.toContain('sk_live')
})

test('explains a token or an address in quotation marks', async () => {
  const emulator = await emulatorForTest({ customers: 1 })
  const run = (env: Record<string, string>) => runCli(emulator, ['customers', 'list'], { env })
  const quoted = await run({ LATCHKEY_ACCESS_TOKEN: '"s3cret-token"' })
  const told = 'is in quotation marks, which became part of its value. Remove them.\n'
  expect(quoted.err).toBe(`latchkey: LATCHKEY_ACCESS_TOKEN ${told}`)
  // A token in base64 may end like an assignment.
  expect(await run({ LATCHKEY_ACCESS_TOKEN: 'c2VjcmV0==' })).toMatchObject({ exitCode: 4 })
  const address = await run({ LATCHKEY_BASE_URL: '"http://127.0.0.1:1/v1"' })
  expect([address.exitCode, address.err]).toEqual([2, `latchkey: LATCHKEY_BASE_URL ${told}`])
})

test.each([
  [
    '',
    /Set LATCHKEY_BASE_URL, .* For another service, set LATCHKEY_SERVICE: latchkey --help lists its settings\./u,
  ],
  ['htp', /^latchkey: The address of the service is not a URL such as /u],
  ['http://192.0.2.1/v1', /^latchkey: With http:\/\/ .* can read the access token: use https:\/\/\.$/mu],
])('names the setting to correct when the address is %j', async (LATCHKEY_BASE_URL, expected) => {
  const run = await runCli(await emulatorForTest(), ['doctor'], { env: { LATCHKEY_BASE_URL } })
  expect(run).toMatchObject({ exitCode: 2, err: expect.stringMatching(expected) })
})

test.each([
  [{}, [], 'Check the access token: set LATCHKEY_ACCESS_TOKEN, or pass --token-file.'],
  [
    { LATCHKEY_ACCESS_TOKEN: 'wrong' },
    [],
    'Check the access token in LATCHKEY_ACCESS_TOKEN, and what it may do.',
  ],
  [{}, ['--token-file', 'FILE'], 'Check the access token in --token-file, and what it may do.'],
])('a refused request names the token that is missing or wrong: %o %j', async (env, options, advice) => {
  const emulator = await emulatorForTest()
  const file = path.join(await temporaryFolder(), 'token.txt')
  await writeFile(file, 'wrong')
  const words = options.map((word) => (word === 'FILE' ? file : word))
  const { exitCode, err } = await runCli(emulator, [...words, 'devices', 'list', emulator.licenseKey], {
    env: { LATCHKEY_ACCESS_TOKEN: '', ...env },
  })
  expect([exitCode, err]).toEqual([4, `latchkey: The service refuses access (status 401). ${advice}\n`])
})

test('suggests the right name of a mistyped variable, and runs the command', async () => {
  const emulator = await emulatorForTest()
  const env = { LATCHKEY_ACESS_TOKEN_FILE: 'token.txt', latchkey_servce: 'polar', LATCHKEY_UPSTREAM: 'x' }
  const { exitCode, err } = await runCli(emulator, ['devices', 'list', emulator.demoLicense.id], { env })
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
  const { err } = await runCli(emulator, ['devices', 'list', emulator.demoLicense.id], { env })
  expect(err).toBe('')
})

test.each([
  ['keygn', '. Did you mean keygen?'],
  ['gumroad', '.'],
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
  [
    '/',
    someKey,
    6,
    /^latchkey: Something other than the service answers at this address .* such as \/v1\. Run/u,
  ],
  [
    '/v1',
    someKey,
    5,
    /^latchkey: There is no such license, or the base URL is wrong \(status 404\)\. .* Run/u,
  ],
])(
  'an address without its version segment isn’t taken for a wrong license key: %s',
  async (address, key, code, told) => {
    const emulator = await emulatorForTest()
    const env = { LATCHKEY_BASE_URL: new URL(address, emulator.baseUrl).href }
    for (const words of [
      ['devices', 'list'],
      ['license', 'check'],
    ]) {
      const { exitCode, err } = await runCli(emulator, [...words, key], { env })
      expect([exitCode, err]).toEqual([code, expect.stringMatching(told)])
      expect(err).toContain('Run `latchkey doctor` to find the cause.')
    }
  },
)

test.each([
  [403, 4, / refuses access \(status 403\): .* or the license may be suspended or have ended\./u],
  [429, 3, /^latchkey: The service limits the requests \(status 429\)\. Try again in a minute\.\n$/u],
  [500, 3, /has a problem \(status 500\): try again later\.\n$/u],
])('a service that answers %d was reached', async (status, code, told) => {
  const emulator = await emulatorForTest()
  emulator.control.faults.inject({ fault: 'status', status })
  const { exitCode, err } = await runCli(emulator, ['devices', 'list', someKey])
  expect([exitCode, err]).toEqual([code, expect.stringMatching(told)])
})

test('something other than the service has its own exit code, also in place of a list', async () => {
  const emulator = await emulatorForTest({ customers: 1 })
  const env = { LATCHKEY_BASE_URL: new URL('/elsewhere/v1', emulator.baseUrl).href }
  const elsewhere = await runCli(emulator, ['customers', 'find', 'ada'], { env })
  expect([elsewhere.exitCode, elsewhere.err]).toEqual([
    6,
    expect.stringContaining('A gateway serves no lists'),
  ])
  emulator.control.faults.inject({ fault: 'html' })
  expect(await runCli(emulator, ['customers', 'list'])).toMatchObject({ exitCode: 6, out: '' })
})
