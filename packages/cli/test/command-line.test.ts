import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { emulatorForTest, runCli } from './run-cli.ts'

const leaves = [
  ['keys', 'list'],
  ['keys', 'show'],
  ['keys', 'release'],
  ['license', 'check'],
  ['discounts', 'list'],
  ['customers', 'list'],
  ['customers', 'export'],
  ['doctor'],
]

test('the help names every command, the environment and every exit code', async () => {
  const emulator = await emulatorForTest()
  const { exitCode, out } = await runCli(emulator, ['--help'])
  expect(exitCode).toBe(0)
  for (const name of new Set(leaves.map(([first]) => first))) expect(out).toContain(`  ${name} `)
  expect(out).toContain('LATCHKEY_ACCESS_TOKEN')
  for (const code of [0, 1, 2, 3, 4, 5, 6, 130]) expect(out).toMatch(new RegExp(`\\b${code} {2}?\\w`, 'u'))
})

test.each(leaves)('%s %s has a help text', async (...words) => {
  const emulator = await emulatorForTest()
  const { exitCode, out } = await runCli(emulator, [...words.filter((word) => word !== undefined), '--help'])
  expect(exitCode).toBe(0)
  expect(out).toContain('Usage: latchkey')
})

test('reads the token from a file and trims it', async () => {
  const emulator = await emulatorForTest({ customers: 1 })
  const file = path.join(tmpdir(), `latchkey-token-${process.pid}`)
  await writeFile(file, 'demo\n', { mode: 0o600 })
  const env = { LATCHKEY_ACCESS_TOKEN: 'wrong' }
  const { exitCode } = await runCli(emulator, ['--token-file', file, 'customers', 'list'], { env })
  expect(exitCode).toBe(0)
})

test.each([
  ['a page below 1', ['customers', 'list', '--page', '0'], {}, 2],
  ['a page that isn’t a whole number', ['customers', 'list', '--page', '1.5'], {}, 2],
  ['an unknown command', ['frobnicate'], {}, 2],
  ['no service address', ['customers', 'list'], { LATCHKEY_BASE_URL: '' }, 2],
  ['a base URL without scheme', ['customers', 'list'], { LATCHKEY_BASE_URL: 'example.com/v1' }, 2],
  ['a missing token file', ['--token-file', '/no/such/file', 'customers', 'list'], {}, 2],
  ['a token that is not accepted', ['customers', 'list'], { LATCHKEY_ACCESS_TOKEN: 'wrong-token' }, 4],
  ['an unreachable service', ['customers', 'list'], { LATCHKEY_BASE_URL: 'http://127.0.0.1:9/v1' }, 3],
])('%s: prints one sentence and has its own exit code', async (_, words, env, exitCode) => {
  const emulator = await emulatorForTest({ customers: 1 })
  const run = await runCli(emulator, words, { env })
  expect(run).toMatchObject({ exitCode, out: '' })
  expect(run.err).not.toBe('')
  expect(run.err).not.toContain('wrong-token')
})

test('lists discounts and customers page by page', async () => {
  const emulator = await emulatorForTest({ customers: 30, discounts: 30 })
  const discounts = await runCli(emulator, ['discounts', 'list', '--page', '2'])
  expect(discounts.out.trimEnd().split('\n')).toHaveLength(6)
  expect(discounts.err).toBe('Page 2 of 2, 30 discounts.\n')
  const all = await runCli(emulator, ['--json', 'discounts', 'list', '--all'])
  expect(JSON.parse(all.out).data).toHaveLength(30)
  const customers = await runCli(emulator, ['customers', 'list'])
  expect(customers.err).toBe('Page 1 of 2, 30 customers.\n')
})

test.each([
  ['--token', 'polar_oat_secret'],
  ['--access-token=polar_oat_secret', 'keys', 'list', '-'],
  ['keys', 'list', '-', '--api-key', 'polar_oat_secret'],
  ['customers', 'list', "--token='polar_oat_secret'"],
])('a secret as %s is not repeated, and the message says where it belongs', async (...words) => {
  const emulator = await emulatorForTest()
  const { exitCode, err } = await runCli(emulator, words)
  expect(exitCode).toBe(2)
  expect(err).not.toContain('polar_oat_secret')
  expect(err).toContain(
    'Set LATCHKEY_ACCESS_TOKEN, or name a file that contains the token: --token-file <file>.',
  )
  const other = await runCli(emulator, words, { env: { LATCHKEY_SERVICE: 'polar' } })
  expect(other.err).not.toContain('polar_oat_secret')
  expect(other.err).toContain('Set the variables of polar. latchkey --help lists them.')
})

test('another unknown option is not repeated with its value, and keeps its suggestion', async () => {
  const emulator = await emulatorForTest()
  const { err } = await runCli(emulator, ['--bse-url=https://ada:secret@example.com', 'doctor'])
  expect(err).toMatch(/^error: unknown option '--bse-url'\n\(add --help/u)
  const short = await runCli(emulator, ['-tpolar_oat_secret', 'doctor'])
  expect(short.err).toMatch(/^error: unknown option '-t'\n/u)
  const suggested = await runCli(emulator, ['--bse-url', 'https://example.com', 'doctor'])
  expect(suggested.err).toContain('(Did you mean --base-url?)')
})

test('the help of a command also lists the options of all commands', async () => {
  const emulator = await emulatorForTest()
  const { out } = await runCli(emulator, ['keys', 'list', '--help'])
  expect(out).toContain('Global Options:')
  expect(out).toContain('--json')
})

const someKey = '1f0a2b3c-4d5e-4f60-8a7b-9c0d1e2f3a4b'

test.each([
  [['keys', 'list', '--json=true', someKey], '--json'],
  [['--json=1', 'doctor'], '--json'],
  [['customers', 'export', '--overwrite=yes'], '--overwrite'],
])('a value for an option that takes none is named as such: %j', async (words, option) => {
  const { exitCode, err } = await runCli(await emulatorForTest(), words)
  expect([exitCode, err]).toEqual([2, expect.stringContaining(`error: option '${option}' takes no value\n`)])
})

test.each([
  [['help', 'frob'], "unknown command 'frob'\n(add --help to list the available options)"],
  [['help', 'licence'], "unknown command 'licence'\n(Did you mean license?)"],
  [['help', 'list'], "unknown command 'list'\n(Did you mean latchkey keys list?)"],
  [['keys', 'help', 'lst'], "unknown command 'lst'\n(Did you mean list?)"],
  [['help', someKey], "unknown command '…'\n(For a license key: "],
])('help for an unknown command says so: %j', async (words, message) => {
  const { exitCode, out, err } = await runCli(await emulatorForTest(), words)
  expect([exitCode, out, err]).toEqual([2, '', expect.stringContaining(message)])
  expect(err).not.toMatch(/Usage|1f0a2b3c/u)
})

test.each([[['help']], [['help', 'keys']], [['keys', 'help', 'list']], [['keys', 'help']]])(
  'help for a known command shows it: %j',
  async (words) => {
    const { exitCode, out, err } = await runCli(await emulatorForTest(), words)
    expect([exitCode, out, err]).toEqual([0, expect.stringMatching(/^Usage: latchkey /u), ''])
  },
)
