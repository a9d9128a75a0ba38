import { existsSync } from 'node:fs'
import { chmod, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { emulatorForTest, temporaryFolder } from '@latchkey/scripts/test/side-by-side'
import { expect, test } from 'vitest'
import { runCli } from './run-cli.ts'

const someKey = '1f0a2b3c-4d5e-4f60-8a7b-9c0d1e2f3a4b'

async function outputFile(name = 'customers.csv'): Promise<string> {
  return path.join(await temporaryFolder(), name)
}

function linesOf(text: string): readonly string[] {
  return text.trimEnd().split('\n')
}

test('lists discounts and customers page by page, with the result alone on standard output', async () => {
  const emulator = await emulatorForTest({ customers: 30, discounts: 30 })
  const discounts = await runCli(emulator, ['discounts', 'list', '--page', '2'])
  expect(linesOf(discounts.out)).toHaveLength(6)
  expect(discounts.err).toBe('Page 2 of 2, 30 discounts.\n')
  const all = await runCli(emulator, ['--json', 'discounts', 'list', '--all'])
  expect(JSON.parse(all.out).data).toHaveLength(30)
  const customers = await runCli(emulator, ['customers', 'list'])
  expect(customers).toMatchObject({ exitCode: 0, err: 'Page 1 of 2, 30 customers.\n' })
  expect(customers.out).toMatch(/^NAME\s+EMAIL\s+ID\n/u)
  const json = await runCli(emulator, ['customers', 'list', '--json'])
  expect([json.err, JSON.parse(json.out).data.length]).toEqual(['', 25])
})

test.each([
  [['customers', 'list', '--page', '9'], 'There is no page 9: the last one is 3.'],
  [['discounts', 'list', '--page', '9'], 'There is no page 9: the last one is 3.'],
  [['customers', 'export', '--from-page', '9'], 'The list has no page 9.'],
])('a page that the list doesn’t have is refused: %j', async (words, message) => {
  const emulator = await emulatorForTest({ customers: 60, discounts: 60 })
  const { exitCode, err } = await runCli(emulator, words)
  expect([exitCode, err]).toEqual([2, `latchkey: ${message}\n`])
})

test.each([
  [['customers', 'export'], 60, /^id,name,email\n/u],
  [['customers', 'export', '--output', '-'], 60, /^id,name,email\n/u],
  [['discounts', 'export'], 30, /^id,code,name,status,/u],
])('%j writes every item as CSV, one line each under a heading', async (words, count, heading) => {
  const emulator = await emulatorForTest({ customers: 60, discounts: 30 })
  const { exitCode, out, err } = await runCli(emulator, words)
  expect([exitCode, err]).toEqual([0, `Exported ${count} ${words[0]}.\n`])
  expect(out).toMatch(heading)
  expect(linesOf(out)).toHaveLength(count + 1)
  expect(existsSync('-')).toBe(false)
})

test('writes NDJSON that parses line by line, with all fields', async () => {
  const emulator = await emulatorForTest({ discounts: 30 })
  const words = ['discounts', 'export', '--format', 'ndjson', '--from-page', '2']
  const { out } = await runCli(emulator, words)
  const discounts = linesOf(out).map((line) => JSON.parse(line))
  expect(discounts).toHaveLength(5)
  expect(discounts[0]).toHaveProperty('products')
})

test.each([
  ['customers.ndjson', [], /^\{"id":/u],
  ['customers.JSONL', [], /^\{"id":/u],
  ['customers', [], /^id,name,email\n/u],
  ['customers.json', ['--format', 'csv'], /^id,name,email\n/u],
])('writes %s in the format that its name says, unless %j is given', async (name, words, content) => {
  const output = await outputFile(name)
  const emulator = await emulatorForTest({ customers: 2 })
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

test('replaces a file only with --overwrite, and only its owner can read it', async () => {
  const emulator = await emulatorForTest({ customers: 3 })
  const output = await outputFile()
  await writeFile(output, 'precious'.repeat(1000))
  await chmod(output, 0o644)
  const words = ['customers', 'export', '--output', output]
  expect(await runCli(emulator, words)).toEqual({
    exitCode: 2,
    out: '',
    err: `latchkey: ${output} already exists. To replace it, pass --overwrite.\n`,
  })
  expect(await readFile(output, 'utf8')).toContain('precious')
  expect(await runCli(emulator, [...words, '--overwrite'])).toMatchObject({ exitCode: 0 })
  expect(linesOf(await readFile(output, 'utf8'))).toHaveLength(4)
  const fresh = await outputFile()
  await runCli(emulator, ['customers', 'export', '--output', fresh])
  if (process.platform === 'win32') return
  for (const file of [output, fresh]) expect((await stat(file)).mode & 0o777).toBe(0o600)
})

test.each([
  ['', 'illegal operation on a directory (EISDIR)'],
  ['missing/customers.csv', 'no such file or directory (ENOENT)'],
])('says why a file can’t be written: %s', async (name, why) => {
  const output = path.join(await temporaryFolder(), name)
  const words = ['customers', 'export', '--overwrite', '--output', output]
  const run = await runCli(await emulatorForTest(), words)
  expect(run).toEqual({ exitCode: 2, out: '', err: `latchkey: ${output} cannot be written: ${why}.\n` })
})

test('--json reports what an export wrote, and is refused if the export goes to standard output', async () => {
  const emulator = await emulatorForTest({ customers: 3 })
  const output = await outputFile()
  const run = await runCli(emulator, ['--json', 'customers', 'export', '--output', output])
  expect(JSON.parse(run.out)).toEqual({ exported: 3, output })
  for (const words of [[], ['--output', '-']]) {
    const refused = await runCli(emulator, ['--json', 'customers', 'export', ...words])
    expect(refused).toMatchObject({ exitCode: 2, out: '', err: expect.stringContaining('--format ndjson') })
  }
})

test('an export that stops says where to continue, and the rest completes it', async () => {
  const emulator = await emulatorForTest({ customers: 110 })
  const whole = await runCli(emulator, ['customers', 'export'])
  const output = await outputFile()
  // Three pages succeed, then the token is no longer accepted.
  emulator.control.faults.inject({ fault: 'status', status: 401, operation: 'customers', after: 3 })
  const stopped = await runCli(emulator, ['customers', 'export', '--output', output])
  expect(stopped.exitCode).toBe(4)
  expect(stopped.err).toContain('Stopped before page 4. Continue with --from-page 4 and another --output.\n')
  emulator.control.faults.clear()
  const rest = await runCli(emulator, ['customers', 'export', '--from-page', '4'])
  expect(`${await readFile(output, 'utf8')}${rest.out}`).toBe(whole.out)
})

test('an export of nothing says only why, and leaves no file, so that it can be run again as it is', async () => {
  const emulator = await emulatorForTest()
  const output = await outputFile()
  const words = ['customers', 'export', '--output', output]
  const env = { LATCHKEY_ACCESS_TOKEN: 'wrong' }
  const { exitCode, err } = await runCli(emulator, words, { env })
  expect([exitCode, err]).toEqual([4, expect.not.stringContaining('--from-page')])
  expect(await readdir(path.dirname(output))).toEqual([])
  expect(await runCli(emulator, words)).toMatchObject({ exitCode: 0 })
  const before = await readFile(output, 'utf8')
  expect((await runCli(emulator, [...words, '--overwrite'], { env })).exitCode).toBe(4)
  expect(await readFile(output, 'utf8')).toBe(before)
})

test('an empty list is an export of its heading alone, and succeeds', async () => {
  const emulator = await emulatorForTest({ customers: 0 })
  const output = await outputFile()
  const run = await runCli(emulator, ['customers', 'export', '--output', output])
  expect(run).toMatchObject({ exitCode: 0, err: 'Exported 0 customers.\n' })
  expect(linesOf(await readFile(output, 'utf8'))).toHaveLength(1)
})

test('a cell that a spreadsheet would execute is written as harmless text', async () => {
  const emulator = await emulatorForTest({ customers: 3 })
  const formula = '=HYPERLINK("http://evil.example","Refund")'
  const fields = { 'data.0.name': formula, 'data.1.name': '@SUM(1)', 'data.2.name': '+1-2' }
  emulator.control.faults.inject({ fault: 'set-fields', fields })
  const { out } = await runCli(emulator, ['customers', 'export'])
  const cells = linesOf(out)
    .slice(1)
    .map((row) => row.slice(row.indexOf(',') + 1).replace(/^"/u, ''))
  expect(cells.map((cell) => cell.slice(0, 2))).toEqual(["'=", "'@", "'+"])
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

test.each([
  "Zoë Quist <zoe.o'quist@else.example>",
  "mailto:zoe.o'quist@else.example",
  "Write to Zoe.O'Quist@else.example.",
  'Quist, Zoë',
  'ZOE   QUI',
])('finds a customer by a part, or as a mail program or a list names her: %s', async (text) => {
  const emulator = await emulatorForTest({ customers: 30 })
  const fields = { 'data.3.name': 'Zoë Quist', 'data.3.email': "zoe.o'quist@else.example" }
  emulator.control.faults.inject({ fault: 'set-fields', fields, times: 1 })
  const { exitCode, out, err } = await runCli(emulator, ['customers', 'find', text])
  expect(exitCode).toBe(0)
  expect(out).toMatch(/^Zoë Quist {2,}zoe\.o'quist@else\.example {2,}[0-9a-f-]{36}\n$/u)
  // The reason that the interface can't do this, and an alternative.
  expect(err).toMatch(/^The service does not say which licenses a customer has: .* in your store\.\n$/u)
})

test('a search prints a match before it has ended', async () => {
  const emulator = await emulatorForTest({ customers: 200 })
  const fields = { 'data.0.email': 'ada@found-early.example' }
  emulator.control.faults.inject({ fault: 'set-fields', fields, times: 1 })
  emulator.control.faults.inject({ fault: 'timeout', after: 2 })
  const controller = new AbortController()
  const onOutput = (): void => controller.abort()
  const run = await runCli(emulator, ['customers', 'find', 'found-early'], {
    signal: controller.signal,
    onOutput,
  })
  expect(run).toMatchObject({ exitCode: 130, out: expect.stringContaining('ada@found-early.example') })
})

test('a search stops at the limit and reports it', async () => {
  const emulator = await emulatorForTest({ customers: 500 })
  const run = await runCli(emulator, ['customers', 'find', '@', '--limit', '5'])
  expect(linesOf(run.out)).toHaveLength(5)
  expect(run.err).toContain('Stopped at 5, on page 1 of 20. Pass --limit for more.')
  expect(emulator.control.requests().length).toBeLessThan(4)
  const json = await runCli(emulator, ['--json', 'customers', 'find', '@', '--limit', '2'])
  expect(JSON.parse(json.out)).toMatchObject({ complete: false, customers: [{}, {}] })
})

test('a search that finds nothing has its own exit code', async () => {
  const emulator = await emulatorForTest({ customers: 30 })
  const words = ['customers', 'find', 'nobody-of-that-name']
  expect(await runCli(emulator, words)).toEqual({
    exitCode: 1,
    out: '',
    err: 'No customer’s name or email address contains “nobody-of-that-name”.\n',
  })
  const json = await runCli(emulator, ['--json', ...words])
  expect([json.exitCode, JSON.parse(json.out)]).toEqual([1, { customers: [], complete: true }])
})

test.each([
  [' ', 'Pass part of the customer’s name or email address.'],
  ['-', 'Nothing is read from a file.'],
  [someKey, 'A UUID finds no customer.'],
])('a search for %j says what to pass, and requests nothing', async (text, message) => {
  const emulator = await emulatorForTest()
  const { exitCode, err } = await runCli(emulator, ['customers', 'find', text], { input: 'ada' })
  expect([exitCode, err]).toEqual([2, expect.stringContaining(message)])
  expect(err).not.toContain(someKey)
  expect(emulator.control.requests()).toEqual([])
})

test('says why a search waits, and doesn’t wait for an hour', async () => {
  const emulator = await emulatorForTest({ customers: 3 })
  const limit = (retryAfterSeconds: number): unknown =>
    emulator.control.faults.inject({ fault: 'status', status: 429, retryAfterSeconds, times: 1 })
  limit(2)
  const { exitCode, err } = await runCli(emulator, ['customers', 'find', '@'])
  const told = /^The service limits the requests\. Retrying in 2 s\.\n/u
  expect([exitCode, err]).toEqual([0, expect.stringMatching(told)])
  limit(3600)
  const later = await runCli(emulator, ['customers', 'find', '@'])
  expect([later.exitCode, later.err]).toEqual([3, expect.stringContaining('Try again in 60 minutes.')])
})
