import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import { emulatorForTest, runCli } from './run-cli.ts'
import { temporaryFolder } from './temporary-folder.ts'

async function outputFile(name: string): Promise<string> {
  return path.join(await temporaryFolder(), name)
}

test('writes every customer as CSV, one line each under a heading', async () => {
  const emulator = await emulatorForTest({ customers: 60 })
  const { exitCode, out, err } = await runCli(emulator, ['customers', 'export'])
  const lines = out.trimEnd().split('\n')
  expect(exitCode).toBe(0)
  expect(lines[0]).toBe('id,name,email')
  expect(lines).toHaveLength(61)
  expect(err).toBe('Exported 60 customers.\n')
})

test('writes NDJSON that parses line by line', async () => {
  const emulator = await emulatorForTest({ customers: 26 })
  const { out } = await runCli(emulator, ['customers', 'export', '--format', 'ndjson'])
  const customers = out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(customers).toHaveLength(26)
  expect(Object.keys(customers[0])).toEqual(['id', 'name', 'email'])
})

test.each([
  ['customers.ndjson', [], /^\{"id":/u],
  ['customers.JSONL', [], /^\{"id":/u],
  ['customers.csv', [], /^id,name,email\n/u],
  ['customers', [], /^id,name,email\n/u],
  ['customers.json', ['--format', 'csv'], /^id,name,email\n/u],
])('writes %s in the format that its name says, unless %j is given', async (name, words, content) => {
  const emulator = await emulatorForTest({ customers: 2 })
  const output = await outputFile(name)
  const run = await runCli(emulator, ['customers', 'export', '--output', output, ...words])
  expect(run).toMatchObject({ exitCode: 0, err: 'Exported 2 customers.\n' })
  expect(await readFile(output, 'utf8')).toMatch(content)
})

test.each(['customers.xlsx', 'customers.json'])('writes no file that %s would not be', async (name) => {
  const output = await outputFile(name)
  const run = await runCli(await emulatorForTest(), ['customers', 'export', '--output', output])
  expect(run).toMatchObject({ exitCode: 2, err: expect.stringContaining('end with .csv') })
  expect(existsSync(output)).toBe(false)
})

test('never overwrites an existing file', async () => {
  const emulator = await emulatorForTest({ customers: 3 })
  const output = await outputFile('precious.csv')
  await writeFile(output, 'precious')
  const { exitCode, err } = await runCli(emulator, ['customers', 'export', '--output', output])
  expect(exitCode).toBe(2)
  expect(err).toBe(`latchkey: ${output} already exists. To replace it, pass --overwrite.\n`)
  expect(await readFile(output, 'utf8')).toBe('precious')
})

test.each([[[]], [['--overwrite']]])('asks for the name of a file in a folder: %j', async (options) => {
  const emulator = await emulatorForTest()
  const folder = await temporaryFolder()
  for (const output of [folder, `${folder}/new/`]) {
    const run = await runCli(emulator, ['customers', 'export', '--output', output, ...options])
    expect(run).toMatchObject({ exitCode: 2, out: '' })
    expect(run.err).toMatch(/^latchkey: .* names a folder\. Add the name of a file to --output\.\n$/u)
  }
  expect(emulator.control.requests()).toEqual([])
})

test('--output - writes to standard output', async () => {
  const emulator = await emulatorForTest({ customers: 3 })
  const words = ['customers', 'export', '--output', '-']
  const { exitCode, out } = await runCli(emulator, words)
  expect(exitCode).toBe(0)
  expect(out).toMatch(/^id,name,email\n/u)
  expect(existsSync('-')).toBe(false)
  expect((await runCli(emulator, ['--json', ...words])).err).toContain('--json requires --output')
})

test('a folder that doesn’t exist is named', async () => {
  const output = await outputFile('missing/customers.csv')
  const run = await runCli(await emulatorForTest(), ['customers', 'export', '--output', output])
  expect(run.err).toBe(`latchkey: ${output} cannot be written: there is no such folder (ENOENT).\n`)
})

test.each([
  [['customers', 'list', '--page', '9'], 'There is no page 9: the list has 3 pages.'],
  [['discounts', 'list', '--page', '9'], 'There is no page 9: the list has 3 pages.'],
  [['customers', 'export', '--from-page', '9'], 'The list has no page 9.'],
])('a page that the list doesn’t have is refused: %j', async (words, message) => {
  const emulator = await emulatorForTest({ customers: 60, discounts: 60 })
  const { exitCode, out, err } = await runCli(emulator, words)
  expect([exitCode, err]).toEqual([2, `latchkey: ${message}\n`])
  expect(out.split('\n').length).toBeLessThan(3)
})

test('an export that stops says where to continue, and the rest completes it', async () => {
  const emulator = await emulatorForTest({ customers: 110 })
  const whole = await runCli(emulator, ['customers', 'export'])
  const output = await outputFile('customers.csv')
  // Three pages succeed, then the token is no longer accepted.
  emulator.control.faults.inject({ fault: 'status', status: 401, operation: 'customers', after: 3 })
  const stopped = await runCli(emulator, ['customers', 'export', '--output', output])
  expect(stopped.exitCode).toBe(4)
  expect(stopped.err).toContain('Stopped before page 4. Continue with --from-page 4 and another --output.\n')
  emulator.control.faults.clear()
  const rest = await runCli(emulator, ['customers', 'export', '--from-page', '4'])
  expect(`${await readFile(output, 'utf8')}${rest.out}`).toBe(whole.out)
})

const hostile = '\u001b]0;owned\u0007Ada\u001b[2J\u202e\u009b1A'

test.each([
  [['customers', 'export']],
  [['customers', 'export', '--format', 'ndjson']],
  [['customers', 'list']],
  [['--json', 'customers', 'list']],
  [['customers', 'find', '@', '--limit', '1']],
])('no control character of a customer’s name reaches a screen: %j', async (words) => {
  const emulator = await emulatorForTest({ customers: 2 })
  const fields = { 'data.0.name': hostile, 'data.1.name': 'Two\nLines' }
  emulator.control.faults.inject({ fault: 'set-fields', fields })
  const { exitCode, out } = await runCli(emulator, words, { isScreen: true })
  expect(exitCode).toBe(0)
  expect(out).toContain('Ada')
  expect(out.replaceAll('\n', '')).not.toMatch(/\p{Cc}|\p{Cf}/u)
})

test('a file or a pipe gets every name as it is', async () => {
  const emulator = await emulatorForTest({ customers: 1 })
  emulator.control.faults.inject({ fault: 'set-fields', fields: { 'data.0.name': hostile } })
  const csv = await runCli(emulator, ['customers', 'export'])
  expect(csv.out).toContain(hostile)
  const json = await runCli(emulator, ['--json', 'customers', 'list'])
  expect(JSON.parse(json.out).data[0].name).toBe(hostile)
})
