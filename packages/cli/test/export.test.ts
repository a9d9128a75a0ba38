import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { emulatorForTest, runCli } from './run-cli.ts'
import { temporaryFolder } from './temporary-folder.ts'

async function outputFile(name: string): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'latchkey-cli-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return path.join(folder, name)
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

test('continues after a service failure with --resume, with no customer twice or missing', async () => {
  const emulator = await emulatorForTest({ customers: 110 })
  const whole = await runCli(emulator, ['customers', 'export'])
  const output = await outputFile('customers.csv')
  // Three pages succeed, then the token is no longer accepted.
  emulator.control.faults.inject({ fault: 'status', status: 401, operation: 'customers', after: 3 })
  const stopped = await runCli(emulator, ['customers', 'export', '--output', output])
  expect(stopped.exitCode).toBe(4)
  expect(stopped.err).toContain('Stopped after 75 customers. Continue with the same command and --resume.')

  emulator.control.faults.clear()
  // Text after the last complete page is removed.
  await writeFile(output, `${await readFile(output, 'utf8')}half a li`)
  const resumed = await runCli(emulator, ['customers', 'export', '--output', output, '--resume'])
  expect(resumed).toMatchObject({ exitCode: 0, err: 'Exported 110 customers.\n' })
  expect(await readFile(output, 'utf8')).toBe(whole.out)
  expect(existsSync(`${output}.resume.json`)).toBe(false)
})

test('an export stopped with Ctrl-C can be continued with --resume', async () => {
  const emulator = await emulatorForTest({ customers: 200 })
  const output = await outputFile('customers.ndjson')
  const words = ['customers', 'export', '--format', 'ndjson', '--output', output]
  emulator.control.faults.inject({ fault: 'delay', delayMs: 20, operation: 'customers' })
  const interruption = new AbortController()
  const watch = setInterval(() => {
    if (emulator.control.requests().length >= 4) interruption.abort()
  }, 5)
  const stopped = await runCli(emulator, words, { signal: interruption.signal })
  clearInterval(watch)
  expect(stopped.exitCode).toBe(130)
  const resumed = await runCli(emulator, [...words, '--resume'])
  expect(resumed.exitCode).toBe(0)
  const ids = (await readFile(output, 'utf8'))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).id)
  expect(new Set(ids).size).toBe(200)
  expect(ids).toHaveLength(200)
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

test.each([[[]], [['--overwrite']], [['--resume']]])(
  'asks for the name of a file in a folder: %j',
  async (options) => {
    const emulator = await emulatorForTest()
    const folder = await temporaryFolder()
    for (const output of [folder, `${folder}/new/`]) {
      const run = await runCli(emulator, ['customers', 'export', '--output', output, ...options])
      expect(run).toMatchObject({ exitCode: 2, out: '' })
      expect(run.err).toMatch(/^latchkey: .* names a folder\. Add the name of a file to --output\.\n$/u)
    }
    expect(emulator.control.requests()).toEqual([])
  },
)

test('an export that is complete is not resumed, and the message says how to export again', async () => {
  const emulator = await emulatorForTest({ customers: 3 })
  const output = await outputFile('complete.csv')
  const words = ['customers', 'export', '--output', output]
  await runCli(emulator, words)
  const { exitCode, err } = await runCli(emulator, [...words, '--resume'])
  expect(exitCode).toBe(2)
  expect(err).toBe(
    `latchkey: There is nothing to resume: no export to ${output} is unfinished. To export again, pass --overwrite.\n`,
  )
})

test('suggests --resume for the file of an export that was stopped', async () => {
  const emulator = await emulatorForTest({ customers: 110 })
  const output = await outputFile('stopped.csv')
  const words = ['customers', 'export', '--output', output]
  emulator.control.faults.inject({ fault: 'status', status: 401, operation: 'customers', after: 2 })
  await runCli(emulator, words)
  const { err } = await runCli(emulator, words)
  expect(err).toContain('already exists. Pass --resume to continue it, or --overwrite.')
})

test('--output - writes to standard output', async () => {
  const emulator = await emulatorForTest({ customers: 3 })
  const words = ['customers', 'export', '--output', '-']
  const { exitCode, out } = await runCli(emulator, words)
  expect(exitCode).toBe(0)
  expect(out).toMatch(/^id,name,email\n/u)
  expect(existsSync('-')).toBe(false)
  expect((await runCli(emulator, [...words, '--resume'])).err).toContain('--resume requires --output')
  expect((await runCli(emulator, ['--json', ...words])).err).toContain('--json requires --output')
})

test('reports that there is nothing to resume if no export was started', async () => {
  const emulator = await emulatorForTest({ customers: 3 })
  const output = await outputFile('new.csv')
  const { exitCode, err } = await runCli(emulator, ['customers', 'export', '--output', output, '--resume'])
  expect(exitCode).toBe(2)
  expect(err).toContain('nothing to resume')
})

test('rejects a damaged resume state', async () => {
  const emulator = await emulatorForTest({ customers: 3 })
  const output = await outputFile('new.csv')
  await writeFile(`${output}.resume.json`, '{"version":1')
  const { exitCode, err } = await runCli(emulator, ['customers', 'export', '--output', output, '--resume'])
  expect(exitCode).toBe(2)
  expect(err).toContain('is damaged')
})

test.each([
  ['of a running process', { pid: process.ppid, host: hostname() }, `process ${process.ppid} on `],
  ['of another computer', { pid: 1, host: 'build.example.com' }, 'process 1 on build.example.com'],
  ['that is being written', '', 'is running. Wait'],
])('a lock %s is respected, and nothing is written', async (_whose, owner, named) => {
  const output = await outputFile('customers.csv')
  await writeFile(`${output}.lock`, owner === '' ? '' : JSON.stringify(owner))
  const emulator = await emulatorForTest()
  const { exitCode, err } = await runCli(emulator, ['customers', 'export', '--output', output])
  expect([exitCode, err]).toEqual([2, expect.stringContaining(named)])
  expect(err).toContain(`If none is running, delete ${output}.lock.`)
  expect(existsSync(output)).toBe(false)
  expect(emulator.control.requests()).toEqual([])
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
