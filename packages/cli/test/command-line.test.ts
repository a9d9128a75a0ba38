import { expect, test } from 'vitest'
import { emulatorForTest, runCli } from './run-cli.ts'

const someKey = '1f0a2b3c-4d5e-4f60-8a7b-9c0d1e2f3a4b'
const commands = [
  'devices list',
  'devices show',
  'devices release',
  'keys generate',
  'license check',
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
})

test.each([
  ['a page below 1', ['customers', 'list', '--page', '0'], {}, 2],
  ['a page that isn’t a whole number', ['customers', 'list', '--page', '1.5'], {}, 2],
  ['an unknown command', ['frobnicate'], {}, 2],
  ['no service address', ['customers', 'list'], { LATCHKEY_BASE_URL: '' }, 2],
  ['a base URL without scheme', ['customers', 'list'], { LATCHKEY_BASE_URL: 'example.com/v1' }, 2],
  ['a missing token file', ['--token-file', '/no/such/file', 'customers', 'list'], {}, 2],
  ['--gateway without a license', ['doctor', '--gateway', 'http://127.0.0.1:9/v1'], {}, 2],
  ['--activate without a license', ['doctor', '--activate'], {}, 2],
  ['a token that is not accepted', ['customers', 'list'], { LATCHKEY_ACCESS_TOKEN: 'wrong-token' }, 4],
  ['an unreachable service', ['customers', 'list'], { LATCHKEY_BASE_URL: 'http://127.0.0.1:9/v1' }, 3],
])('%s: prints one sentence and has its own exit code', async (_, words, env, exitCode) => {
  const run = await runCli(await emulatorForTest({ customers: 1 }), words, { env })
  expect(run).toMatchObject({ exitCode, out: '' })
  expect(run.err).not.toBe('')
  expect(run.err).not.toContain('wrong-token')
})

test.each([
  ['--token', 'polar_oat_secret'],
  ['--access-token=polar_oat_secret', 'devices', 'list', '-'],
  ['devices', 'list', '-', '--api-key', 'polar_oat_secret'],
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

test.each([
  [['--bse-url=https://ada:secret@example.com', 'doctor'], "unknown option '--bse-url=…'\n(add --help"],
  [['-tpolar_oat_secret', 'doctor'], "unknown option '-t'\n(add --help"],
  [['--bse-url', 'https://example.com', 'doctor'], "unknown option '--bse-url'\n(Did you mean --base-url?)"],
  [['devices', 'list', '--json=true', someKey], "unknown option '--json=…'"],
  [
    ['list', someKey],
    "unknown command 'list'\n(Did you mean latchkey devices list, latchkey discounts list, or latchkey customers list?)",
  ],
  [['check', someKey], "unknown command 'check'\n(Did you mean latchkey license check?)"],
  [
    ['license', 'list'],
    "unknown command 'list'\n(Did you mean latchkey devices list, latchkey discounts list, or latchkey customers list?)",
  ],
  [['devices', 'lst'], "unknown command 'lst'\n(Did you mean list?)"],
  [['discounts', 'show'], "unknown command 'show'\n(Did you mean latchkey devices show?)"],
  [
    ['keys', 'INKWELL-4B11E191-V3'],
    "unknown command '…'\n(For a license key: latchkey devices list <license>",
  ],
  [[someKey], "unknown command '…'\n(For a license key: latchkey devices list <license>"],
  [
    ['devices', 'release', someKey],
    "argument 'activation-id'\n(Usage: latchkey devices release [options] <license> <activation-id>)",
  ],
  [['customers', 'find', 'a', 'b'], 'got 2.\n(Usage: latchkey customers find [options] <text>)'],
  [['--token-file', 'keys', 'doctor', 'x'], '(Usage: latchkey doctor [options])'],
])('a wrong command line says what may be meant, and repeats no secret: %j', async (words, message) => {
  const { exitCode, out, err } = await runCli(await emulatorForTest(), words)
  expect([exitCode, out, err]).toEqual([2, '', expect.stringContaining(message)])
  expect(err).not.toMatch(/secret|1f0a2b3c|4B11E191/u)
  expect(err).toMatch(/\(add --help to list the available options\)\n$/u)
})

test.each([[['help']], [['help', 'keys']], [['devices', 'help', 'list']], [['devices', 'help']]])(
  'help for a known command shows it: %j',
  async (words) => {
    const { exitCode, out, err } = await runCli(await emulatorForTest(), words)
    expect([exitCode, out, err]).toEqual([0, expect.stringMatching(/^Usage: latchkey /u), ''])
  },
)

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
