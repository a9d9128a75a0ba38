import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { FaultRule } from '@latchkey/emulator'
import { emulatorForTest, temporaryFolder } from '@latchkey/scripts/test/side-by-side'
import { serviceVariableNames } from '@latchkey/services/environment'
import { describe, expect, test } from 'vitest'
import { runCli } from './run-cli.ts'

const someKey = '1f0a2b3c-4d5e-4f60-8a7b-9c0d1e2f3a4b'
const unreachable = 'http://127.0.0.1:9/v1'
const list = ['devices', 'list', someKey]

type Settings = Readonly<Record<string, string>>

const commands = [
  'devices list',
  'devices show',
  'devices release',
  'keys generate',
  'issue',
  'revoke',
  'license check',
  'license link',
  'offline sign',
  'offline release',
  'discounts list',
  'discounts export',
  'customers list',
  'customers find',
  'customers export',
  'doctor',
]

test('the help names every command, the environment and every exit code', async () => {
  const emulator = await emulatorForTest()
  const { exitCode, out } = await runCli(emulator, ['--help'])
  expect(exitCode).toBe(0)
  for (const name of commands) expect(out).toContain(`  ${name.split(' ')[0]} `)
  expect(out).toMatch(/LATCHKEY_ACCESS_TOKEN_FILE .*takes precedence over LATCHKEY_ACCESS_TOKEN$/mu)
  for (const code of [0, 1, 2, 3, 4, 5, 6, 130]) expect(out).toMatch(new RegExp(`\\b${code} {2}?\\w`, 'u'))
  for (const name of commands) {
    const help = await runCli(emulator, [...name.split(' '), '--help'])
    expect(help).toMatchObject({ exitCode: 0, err: '' })
    expect(help.out).toContain(`Usage: latchkey ${name} `)
    // The options of all commands, too.
    expect(help.out).toMatch(/^Global Options:$.*--json/msu)
  }
  for (const words of [['help'], ['help', 'keys'], ['devices', 'help', 'list'], ['devices', 'help']]) {
    const help = await runCli(emulator, words)
    expect(help).toEqual({ exitCode: 0, out: expect.stringMatching(/^Usage: latchkey /u), err: '' })
  }
})

test.each([
  ['--token', 'polar_oat_secret'],
  ['--access-token=polar_oat_secret', ...list],
  [...list, '--api-key', 'polar_oat_secret'],
  ['customers', 'list', "--token='polar_oat_secret'"],
])('a secret as %s is not repeated, and the message says where it belongs', async (...words) => {
  const emulator = await emulatorForTest()
  const { exitCode, err } = await runCli(emulator, words)
  expect(exitCode).toBe(2)
  expect(err).toContain(
    'Set LATCHKEY_ACCESS_TOKEN, or name a file that contains the token: --token-file <file>.',
  )
  const other = await runCli(emulator, words, { env: { LATCHKEY_SERVICE: 'polar' } })
  expect(other.err).toContain('Set the variables of polar. latchkey --help lists them.')
  expect(err + other.err).not.toContain('polar_oat_secret')
})

const lists = '(Did you mean latchkey devices list, latchkey discounts list, or latchkey customers list?)'
const forKeys = "unknown command '…'\n(For a license key: latchkey devices list <license>"
test.each([
  [['frobnicate'], "unknown command 'frobnicate'"],
  [['--bse-url=https://ada:secret@example.com', 'doctor'], "unknown option '--bse-url=…'\n(add --help"],
  [['-tpolar_oat_secret', 'doctor'], "unknown option '-t'\n(add --help"],
  [['--bse-url', 'https://example.com', 'doctor'], "unknown option '--bse-url'\n(Did you mean --base-url?)"],
  [['devices', 'list', '--json=true', someKey], "unknown option '--json=…'"],
  [['list', someKey], `unknown command 'list'\n${lists}`],
  [['check', someKey], "unknown command 'check'\n(Did you mean latchkey license check?)"],
  [['license', 'list'], `unknown command 'list'\n${lists}`],
  [['devices', 'lst'], "unknown command 'lst'\n(Did you mean list?)"],
  [['discounts', 'show'], "unknown command 'show'\n(Did you mean latchkey devices show?)"],
  [['keys', 'INKWELL-4B11E191-V3'], forKeys],
  [[someKey], forKeys],
  [['devices', 'release', someKey], "argument 'activation-id'\n(Usage: latchkey devices release [options]"],
  [['customers', 'find', 'a', 'b'], 'got 2.\n(Usage: latchkey customers find [options] <text>)'],
  [['--token-file', 'keys', 'doctor', 'x'], '(Usage: latchkey doctor [options])'],
  [['customers', 'list', '--page', '0'], 'It must be a whole number, at least 1.'],
  [['customers', 'list', '--page', '1.5'], 'It must be a whole number, at least 1.'],
  [['--timeout', '0', 'doctor'], 'It must be a number above 0.'],
  [['doctor', '--license', ''], "option '--license <license>' argument '' is invalid. It is empty."],
  [
    ['license', 'check', someKey, '--device', ' '],
    "'--device <activation-id>' argument ' ' is invalid. It is",
  ],
])('a wrong command line says what may be meant, and repeats no secret: %j', async (words, message) => {
  const { exitCode, out, err } = await runCli(await emulatorForTest(), words)
  expect([exitCode, out, err]).toEqual([2, '', expect.stringContaining(message)])
  expect(err).not.toMatch(/secret|1f0a2b3c|4B11E191/u)
  expect(err).toMatch(/\(add --help to list the available options\)\n$/u)
})

const quoted = 'is in quotation marks, which became part of its value. Remove them.\n'
const names = 'LATCHKEY_SERVICE must be one of commerce, dodo, keygen, lemon-squeezy, polar'
test.each<[words: readonly string[], Settings, message: string]>([
  [
    ['doctor', '--gateway', unreachable],
    {},
    '--gateway needs --license: a license to try the requests with.',
  ],
  [['doctor', '--activate'], {}, '--activate needs --license: a license to try the requests with.'],
  [
    ['doctor', '--gateway', 'x/v1', '--license', someKey],
    {},
    'The address of the gateway is not a URL such as',
  ],
  [['doctor'], { LATCHKEY_BASE_URL: '' }, 'For another service, set LATCHKEY_SERVICE: latchkey --help lists'],
  [['doctor'], { LATCHKEY_BASE_URL: 'example.com/v1' }, 'The address of the service is not a URL such as '],
  [['doctor'], { LATCHKEY_BASE_URL: 'http://192.0.2.1/v1' }, 'can read the access token: use https://.\n'],
  [['doctor'], { LATCHKEY_BASE_URL: `"${unreachable}"` }, `LATCHKEY_BASE_URL ${quoted}`],
  [['doctor'], { LATCHKEY_ACCESS_TOKEN: '"s3cret-token"' }, `LATCHKEY_ACCESS_TOKEN ${quoted}`],
  [['doctor'], { LATCHKEY_SERVICE: 'keygn' }, `${names}. Did you mean keygen?\n`],
  [['doctor'], { LATCHKEY_SERVICE: 'gumroad' }, `${names}.\n`],
  [['doctor'], { LATCHKEY_SERVICE: 'polar,commerce' }, `${names}, one at a time: the command line asks one`],
  [['--token-file', '/no/such/file', 'doctor'], {}, 'The file of --token-file cannot be read.'],
  [['--token-file', '-', 'doctor'], {}, 'The file of --token-file cannot be read.'],
  [['--token-file', 'sk_live_51s3cret', 'doctor'], {}, 'Pass the path of a file, not the token'],
  [['--token-file', '~/token', 'doctor'], {}, 'without ~, which only a shell replaces'],
])('%j with %j says what to set', async (words, env, message) => {
  const emulator = await emulatorForTest()
  const { exitCode, out, err } = await runCli(emulator, words, { env, input: 's3cret' })
  expect([exitCode, out, err]).toEqual([2, '', expect.stringContaining(message)])
  expect(err).toMatch(/^latchkey: /u)
  expect(err).not.toContain('s3cret')
  expect(emulator.control.requests()).toEqual([])
})

describe('the token in a file', () => {
  async function runWith(content: string | Buffer) {
    const emulator = await emulatorForTest({ customers: 1, accessToken: 's3cret-token' })
    const file = path.join(await temporaryFolder(), 'token.txt')
    await writeFile(file, content)
    const env = { LATCHKEY_ACCESS_TOKEN: 'wrong', LATCHKEY_ACCESS_TOKEN_FILE: file }
    return runCli(emulator, ['customers', 'list'], { env })
  }

  test.each([
    ['UTF-8', 's3cret-token\n'],
    ['UTF-16, as PowerShell writes it', Buffer.from('\ufeffs3cret-token\r\n', 'utf16le')],
    ['UTF-8 with a byte order mark', '\ufeffs3cret-token\r\n'],
  ])('is preferred, in %s', async (_encoding, content) => {
    expect(await runWith(content)).toMatchObject({ exitCode: 0 })
  })

  test.each([
    ['"s3cret-token"\n', 'has something beside it.'],
    ["'s3cret-token", 'has something beside it.'],
    ['LATCHKEY_ACCESS_TOKEN=s3cret-token\n', 'no name and equals sign'],
    ['export TOKEN="s3cret-token"\n', 'has something beside it.'],
    ['# mine\ns3cret-token\n', 'no second line'],
    ['\n', 'is empty'],
  ])('is explained if it is unusable, and not shown: %j', async (content, message) => {
    const { exitCode, err } = await runWith(content)
    expect([exitCode, err]).toEqual([2, expect.stringMatching(`^latchkey: The access token .*${message}`)])
    expect(err).not.toContain('s3cret')
  })
})

const refused = 'latchkey: The service refuses access (status 401). Check the access token'
test.each<[Settings, hasFile: boolean, message: string]>([
  [{ LATCHKEY_ACCESS_TOKEN: '' }, false, `${refused}: set LATCHKEY_ACCESS_TOKEN, or pass --token-file.\n`],
  // A token in base64 may end like an assignment.
  [
    { LATCHKEY_ACCESS_TOKEN: 'd3Jvbmc==' },
    false,
    `${refused} in LATCHKEY_ACCESS_TOKEN, and what it may do.\n`,
  ],
  [{}, true, `${refused} in --token-file, and what it may do.\n`],
])(
  'a refused request names the token that is missing or wrong: %o, --token-file: %s',
  async (env, hasFile, err) => {
    const file = path.join(await temporaryFolder(), 'token.txt')
    await writeFile(file, 'wrong')
    const words = [...(hasFile ? ['--token-file', file] : []), ...list]
    expect(await runCli(await emulatorForTest(), words, { env })).toEqual({ exitCode: 4, out: '', err })
  },
)

test('suggests the right name of a mistyped variable, and warns about no setting of the gateway', async () => {
  const emulator = await emulatorForTest()
  emulator.control.addKey(emulator.licenseKey, 'Studio')
  const words = ['devices', 'list', emulator.licenseKey]
  const mistyped = { LATCHKEY_ACESS_TOKEN_FILE: 'token.txt', latchkey_servce: 'polar' }
  expect(await runCli(emulator, words, { env: mistyped })).toMatchObject({
    exitCode: 0,
    err:
      'latchkey: LATCHKEY_ACESS_TOKEN_FILE is not a setting of latchkey. Did you mean LATCHKEY_ACCESS_TOKEN_FILE?\n' +
      'latchkey: latchkey_servce is not a setting of latchkey. Did you mean LATCHKEY_SERVICE?\n',
  })
  const ofGateway = ['UPSTREAM', 'BASE_PATH', 'LEASE_DAYS', 'SIGNING_KEY', 'REDIS_URL', 'METRICS_PORT']
  const known = [...serviceVariableNames, ...ofGateway.map((name) => `LATCHKEY_${name}`)]
  const env = Object.fromEntries(known.map((name) => [name, '1']))
  expect(await runCli(emulator, words, { env })).toMatchObject({ exitCode: 0, err: '' })
})

test.each<[words: readonly string[], base: string, FaultRule | null, exitCode: number, told: RegExp]>([
  [
    list,
    '/',
    null,
    6,
    /^latchkey: Something other than the service answers .* such as \/v1\. Run `latchkey doctor`/u,
  ],
  [['license', 'check', someKey], '/', null, 6, /^latchkey: Something other than the service answers at /u],
  [
    list,
    '/v1',
    null,
    5,
    /^latchkey: There is no such license, or the base URL is wrong \(status 404\)\. .* Run/u,
  ],
  [['license', 'check', someKey], '/v1', null, 5, /^latchkey: There is no such license, or the base URL is/u],
  [['customers', 'find', 'ada'], '/elsewhere/v1', null, 6, /A gateway serves no lists/u],
  [['customers', 'list'], unreachable, null, 3, /^latchkey: The service can’t be reached: /u],
  [['customers', 'list'], '/v1', { fault: 'html' }, 6, /^latchkey: A website or a proxy answers in place/u],
  [
    list,
    '/v1',
    { fault: 'status', status: 403 },
    4,
    /\(status 403\): .* or the license may be suspended or have/u,
  ],
  [
    list,
    '/v1',
    { fault: 'status', status: 429 },
    3,
    /^latchkey: .* limits .* \(status 429\)\. Try again in a minute/u,
  ],
  [list, '/v1', { fault: 'status', status: 500 }, 3, /has a problem \(status 500\): try again later\.\n$/u],
])('%j to %s with %j has its own exit code and sentence', async (words, base, fault, exitCode, told) => {
  const emulator = await emulatorForTest({ customers: 1 })
  if (fault !== null) emulator.control.faults.inject(fault)
  const env = { LATCHKEY_BASE_URL: new URL(base, emulator.baseUrl).href }
  expect(await runCli(emulator, words, { env })).toEqual({
    exitCode,
    out: '',
    err: expect.stringMatching(told),
  })
})

test.each([
  [[], ['customers', 'list'], 3],
  [['--json'], ['doctor'], 1],
])('%j %j stops waiting after --timeout', async (options, words, expected) => {
  const emulator = await emulatorForTest({ customers: 1 })
  emulator.control.faults.inject({ fault: 'timeout' })
  const { exitCode, out, err } = await runCli(emulator, [...options, '--timeout', '0.2', ...words])
  expect(exitCode).toBe(expected)
  expect(out + err).toContain('no answer came within 0.2 s: --timeout allows more')
})
