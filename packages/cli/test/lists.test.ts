import { existsSync } from 'node:fs'
import { chmod, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { emulatorForTest, temporaryFolder } from '@latchkey/scripts/test/side-by-side'
import { expect, test } from 'vitest'
import { type GivenToRun, runCli } from './run-cli.ts'

const someKey = '1f0a2b3c-4d5e-4f60-8a7b-9c0d1e2f3a4b'

function linesOf(text: string): readonly string[] {
  return text.trimEnd().split('\n')
}

/** A service with so many customers and discounts, and the command line. */
async function start(customers = 3, discounts = 30) {
  const emulator = await emulatorForTest({ customers, discounts })
  const output = path.join(await temporaryFolder(), 'customers.csv')
  const run = (words: readonly string[], given: GivenToRun = {}) => runCli(emulator, words, given)
  return {
    ...{ control: emulator.control, output, run },
    /** Exports the customers to a file. */
    exportTo: (file: string, ...words: readonly string[]) =>
      run(['customers', 'export', '--output', file, ...words]),
  }
}

test('lists discounts and customers page by page, with the result alone on standard output', async () => {
  const { run } = await start(30)
  const discounts = await run(['discounts', 'list', '--page', '2'])
  expect([linesOf(discounts.out).length, discounts.err]).toEqual([6, 'Page 2 of 2, 30 discounts.\n'])
  const all = await run(['--json', 'discounts', 'list', '--all'])
  expect(JSON.parse(all.out).data).toHaveLength(30)
  const out = expect.stringMatching(/^NAME\s+EMAIL\s+ID\n/u)
  const err = 'Page 1 of 2, 30 customers.\n'
  expect(await run(['customers', 'list'])).toEqual({ exitCode: 0, out, err })
  const json = await run(['customers', 'list', '--json'])
  expect([json.err, JSON.parse(json.out).data.length]).toEqual(['', 25])
})

test.each([
  [['customers', 'list', '--page', '9'], 'There is no page 9: the last one is 3.'],
  [['discounts', 'list', '--page', '9'], 'There is no page 9: the last one is 3.'],
  [['customers', 'export', '--from-page', '9'], 'The list has no page 9.'],
])('a page that the list doesn’t have is refused: %j', async (words, message) => {
  const { run } = await start(60, 60)
  expect(await run(words)).toMatchObject({ exitCode: 2, err: `latchkey: ${message}\n` })
})

test.each([
  [['customers', 'export'], 60, /^id,name,email\n/u],
  [['customers', 'export', '--output', '-'], 60, /^id,name,email\n/u],
  [['discounts', 'export'], 30, /^id,code,name,status,/u],
])('%j writes every item as CSV, one line each under a heading', async (words, count, heading) => {
  const { run } = await start(60)
  const { out, ...ended } = await run(words)
  expect(ended).toEqual({ exitCode: 0, err: `Exported ${count} ${words[0]}.\n` })
  expect([out, linesOf(out).length]).toEqual([expect.stringMatching(heading), count + 1])
  expect(existsSync('-')).toBe(false)
})

test('writes NDJSON that parses line by line, with all fields', async () => {
  const { run } = await start()
  const { out } = await run(['discounts', 'export', '--format', 'ndjson', '--from-page', '2'])
  const discounts = linesOf(out).map((line) => JSON.parse(line))
  expect(discounts).toHaveLength(5)
  expect(discounts[0]).toHaveProperty('products')
})

test.each<[name: string, words: readonly string[], content: RegExp | null]>([
  ['customers.ndjson', [], /^\{"id":/u],
  ['customers.JSONL', [], /^\{"id":/u],
  ['customers', [], /^id,name,email\n/u],
  ['customers.json', ['--format', 'csv'], /^id,name,email\n/u],
  ['customers.json', [], null],
  ['customers.xlsx', [], null],
])('writes %s with %j in the format that its name says, or not at all', async (name, words, content) => {
  const { output, exportTo } = await start()
  const file = path.join(path.dirname(output), name)
  const { exitCode, err } = await exportTo(file, ...words)
  const isWritten = content !== null
  const told = isWritten ? 'Exported 3 customers.\n' : expect.stringContaining('end with .csv')
  expect([exitCode, err, existsSync(file)]).toEqual([isWritten ? 0 : 2, told, isWritten])
  if (isWritten) expect(await readFile(file, 'utf8')).toMatch(content)
})

test('replaces a file only with --overwrite, and only its owner can read it', async () => {
  const { output, exportTo } = await start()
  await writeFile(output, 'precious'.repeat(1000))
  await chmod(output, 0o644)
  const err = `latchkey: ${output} already exists. To replace it, pass --overwrite.\n`
  expect(await exportTo(output)).toEqual({ exitCode: 2, out: '', err })
  expect(await readFile(output, 'utf8')).toContain('precious')
  expect(await exportTo(output, '--overwrite')).toMatchObject({ exitCode: 0 })
  expect(linesOf(await readFile(output, 'utf8'))).toHaveLength(4)
  const fresh = `${output}.csv`
  await exportTo(fresh)
  if (process.platform === 'win32') return
  for (const file of [output, fresh]) expect((await stat(file)).mode & 0o777).toBe(0o600)
})

test('says why a file can’t be written', async () => {
  const { output, exportTo } = await start()
  for (const [file, why] of [
    [path.dirname(output), 'illegal operation on a directory (EISDIR)'],
    [path.join(output, 'missing.csv'), 'no such file or directory (ENOENT)'],
  ] as const) {
    const err = `latchkey: ${file} cannot be written: ${why}.\n`
    expect(await exportTo(file, '--overwrite')).toEqual({ exitCode: 2, out: '', err })
  }
})

test('--json reports what an export wrote, and is refused if the export goes to standard output', async () => {
  const { output, run, exportTo } = await start()
  expect(JSON.parse((await exportTo(output, '--json')).out)).toEqual({ exported: 3, output })
  for (const words of [[], ['--output', '-']]) {
    const err = expect.stringContaining('--format ndjson')
    expect(await run(['--json', 'customers', 'export', ...words])).toEqual({ exitCode: 2, out: '', err })
  }
})

test('an export that stops says where to continue, and the rest completes it', async () => {
  const { control, output, run, exportTo } = await start(110)
  const whole = await run(['customers', 'export'])
  // Three pages succeed, then the token is no longer accepted.
  control.faults.inject({ fault: 'status', status: 401, operation: 'customers', after: 3 })
  const stopped = await exportTo(output)
  expect(stopped.exitCode).toBe(4)
  expect(stopped.err).toContain('Stopped before page 4. Continue with --from-page 4 and another --output.\n')
  control.faults.clear()
  const rest = await run(['customers', 'export', '--from-page', '4'])
  expect(`${await readFile(output, 'utf8')}${rest.out}`).toBe(whole.out)
})

test('an export of nothing says only why, and leaves no file, so that it can be run again as it is', async () => {
  const { control, output, exportTo } = await start()
  const refuse = () => control.faults.inject({ fault: 'status', status: 401, times: 1 })
  refuse()
  const { exitCode, err } = await exportTo(output)
  expect([exitCode, err]).toEqual([4, expect.not.stringContaining('--from-page')])
  expect(await readdir(path.dirname(output))).toEqual([])
  expect(await exportTo(output)).toMatchObject({ exitCode: 0 })
  const before = await readFile(output, 'utf8')
  refuse()
  expect((await exportTo(output, '--overwrite')).exitCode).toBe(4)
  expect(await readFile(output, 'utf8')).toBe(before)
})

test('an empty list is an export of its heading alone, and succeeds', async () => {
  const { output, exportTo } = await start(0)
  expect(await exportTo(output)).toMatchObject({ exitCode: 0, err: 'Exported 0 customers.\n' })
  expect(linesOf(await readFile(output, 'utf8'))).toHaveLength(1)
})

test('a cell that a spreadsheet would execute is written as harmless text', async () => {
  const { control, run } = await start()
  const formula = '=HYPERLINK("http://evil.example","Refund")'
  const fields = { 'data.0.name': formula, 'data.1.name': '@SUM(1)', 'data.2.name': '+1-2' }
  control.faults.inject({ fault: 'set-fields', fields })
  const { out } = await run(['customers', 'export'])
  const cells = linesOf(out)
    .slice(1)
    .map((row) => /,"?(..)/u.exec(row)?.[1])
  expect(cells).toEqual(["'=", "'@", "'+"])
})

const hostile = '\u001b]0;owned\u0007Ada\u001b[2J\u202e\u009b1A'

test.each([
  [['customers', 'export']],
  [['customers', 'export', '--format', 'ndjson']],
  [['customers', 'list']],
  [['--json', 'customers', 'list']],
  [['customers', 'find', '@', '--limit', '1']],
])('no control character of a customer’s name reaches a screen: %j', async (words) => {
  const { control, run } = await start(2)
  const fields = { 'data.0.name': hostile, 'data.1.name': 'Two\nLines' }
  control.faults.inject({ fault: 'set-fields', fields })
  const { exitCode, out } = await run(words, { isScreen: true })
  expect([exitCode, out]).toEqual([0, expect.stringContaining('Ada')])
  expect(out.replaceAll('\n', '')).not.toMatch(/\p{Cc}|\p{Cf}/u)
})

test('a file or a pipe gets every name as it is', async () => {
  const { control, run } = await start(1)
  control.faults.inject({ fault: 'set-fields', fields: { 'data.0.name': hostile } })
  expect((await run(['customers', 'export'])).out).toContain(hostile)
  const json = await run(['--json', 'customers', 'list'])
  expect(JSON.parse(json.out).data[0].name).toBe(hostile)
})

test.each([
  "Zoë Quist <zoe.o'quist@else.example>",
  "mailto:zoe.o'quist@else.example",
  "Write to Zoe.O'Quist@else.example.",
  'Quist, Zoë',
  'ZOE   QUI',
])('finds a customer by a part, or as a mail program or a list names her: %s', async (text) => {
  const { control, run } = await start(30)
  const fields = { 'data.3.name': 'Zoë Quist', 'data.3.email': "zoe.o'quist@else.example" }
  control.faults.inject({ fault: 'set-fields', fields, times: 1 })
  const { exitCode, out, err } = await run(['customers', 'find', text])
  expect(exitCode).toBe(0)
  expect(out).toMatch(/^Zoë Quist {2,}zoe\.o'quist@else\.example {2,}[0-9a-f-]{36}\n$/u)
  // The reason that the interface can't do this, and an alternative.
  expect(err).toMatch(/^The service does not say which licenses a customer has: .* in your store\.\n$/u)
})

test('a search prints a match before it has ended', async () => {
  const { control, run } = await start(200)
  const fields = { 'data.0.email': 'ada@found-early.example' }
  control.faults.inject({ fault: 'set-fields', fields, times: 1 })
  control.faults.inject({ fault: 'timeout', after: 2 })
  const controller = new AbortController()
  const onOutput = (): void => controller.abort()
  const found = await run(['customers', 'find', 'found-early'], {
    signal: controller.signal,
    onOutput,
  })
  expect(found).toMatchObject({ exitCode: 130, out: expect.stringContaining('ada@found-early.example') })
})

test('a search stops at the limit and reports it', async () => {
  const { control, run } = await start(500)
  const found = await run(['customers', 'find', '@', '--limit', '5'])
  expect(linesOf(found.out)).toHaveLength(5)
  expect(found.err).toContain('Stopped at 5, on page 1 of 20. Pass --limit for more.')
  expect(control.requests().length).toBeLessThan(4)
  const json = await run(['--json', 'customers', 'find', '@', '--limit', '2'])
  expect(JSON.parse(json.out)).toMatchObject({ complete: false, customers: [{}, {}] })
})

test('a search that finds nothing has its own exit code', async () => {
  const { run } = await start(30)
  const words = ['customers', 'find', 'nobody-of-that-name']
  expect(await run(words)).toEqual({
    exitCode: 1,
    out: '',
    err: 'No customer’s name or email address contains “nobody-of-that-name”.\n',
  })
  const json = await run(['--json', ...words])
  expect([json.exitCode, JSON.parse(json.out)]).toEqual([1, { customers: [], complete: true }])
})

test.each([
  [' ', 'Pass part of the customer’s name or email address.'],
  ['-', 'Nothing is read from a file.'],
  [someKey, 'A UUID finds no customer.'],
])('a search for %j says what to pass, and requests nothing', async (text, message) => {
  const { control, run } = await start()
  const { exitCode, err } = await run(['customers', 'find', text], { input: 'ada' })
  expect([exitCode, err]).toEqual([2, expect.stringContaining(message)])
  expect(err).not.toContain(someKey)
  expect(control.requests()).toEqual([])
})

test('says why a search waits, and doesn’t wait for an hour', async () => {
  const { control, run } = await start(3)
  const limit = (retryAfterSeconds: number): unknown =>
    control.faults.inject({ fault: 'status', status: 429, retryAfterSeconds, times: 1 })
  limit(2)
  const { exitCode, err } = await run(['customers', 'find', '@'])
  const told = /^The service limits the requests\. Retrying in 2 s\.\n/u
  expect([exitCode, err]).toEqual([0, expect.stringMatching(told)])
  limit(3600)
  const later = await run(['customers', 'find', '@'])
  expect([later.exitCode, later.err]).toEqual([3, expect.stringContaining('Try again in 60 minutes.')])
})
