import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { allowConcurrentTests, onTestEnd } from '@latchkey/scripts/test/side-by-side'
import { describe, expect, it } from 'vitest'
import { parseCommandLine } from '../src/command-line.ts'

const bin = path.join(import.meta.dirname, '..', 'src', 'bin.ts')
allowConcurrentTests()

interface Run {
  child: ChildProcess
  firstLine: Promise<string>
  ended: Promise<{ code: number | null; errors: string }>
}

function run(...args: string[]): Run {
  const child = spawn(process.execPath, [bin, '--port', '0', ...args])
  onTestEnd(() => void child.kill('SIGKILL'))
  let errors = ''
  child.stderr.on('data', (chunk) => {
    errors += chunk
  })
  const firstLine = new Promise<string>((resolve) =>
    child.stdout.once('data', (chunk) => resolve(`${chunk}`)),
  )
  const ended = new Promise<{ code: number | null; errors: string }>((resolve) =>
    child.once('close', (code) => resolve({ code, errors })),
  )
  return { child, firstLine, ended }
}

it.concurrent('prints one line of JSON, serves, and ends cleanly on Ctrl-C', async () => {
  const { child, firstLine, ended } = run('--json', '--token', 'secret')
  const ready: { baseUrl: string; license: { id: string } } = JSON.parse(await firstLine)
  expect(ready).toMatchObject({ accessToken: 'secret', license: { activation_limit: 3 } })
  const answer = await fetch(`${ready.baseUrl}/licenses/${ready.license.id}/keys`, {
    headers: { authorization: 'Bearer secret', 'content-type': 'application/json' },
  })
  expect(await answer.json()).toEqual({ data: [] })
  child.kill('SIGINT')
  expect(await ended).toEqual({ code: 0, errors: '' })
})

it.concurrent('prints the license key to paste', async () => {
  const { child, firstLine, ended } = run()
  expect(await firstLine).toContain('license key   4b11e191-a34e-424c-b391-d18776ed66b8   (3 seats)')
  child.kill('SIGTERM')
  expect((await ended).code).toBe(0)
})

it.concurrent('exits together with its parent if requested, and saves the data', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'latchkey-emulator-'))
  const file = path.join(folder, 'data.json')
  const { child, firstLine, ended } = run('--exit-with-parent', '--data', file, '--save', '--customers', '5')
  await firstLine
  child.stdin?.end()
  expect((await ended).code).toBe(0)
  expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ customers: { seed: 1, count: 5 } })
  await rm(folder, { recursive: true })
})

it.concurrent('exits at once with --exit-with-parent without standard input', async () => {
  const child = spawn(process.execPath, [bin, '--port', '0', '--exit-with-parent'], { stdio: 'ignore' })
  onTestEnd(() => void child.kill('SIGKILL'))
  expect(await new Promise((resolve) => child.once('close', resolve))).toBe(0)
})

it.concurrent('reports that the port is in use', async () => {
  const first = run('--json')
  const ready: { baseUrl: string } = JSON.parse(await first.firstLine)
  const { port } = new URL(ready.baseUrl)
  expect(await run('--port', port).ended).toEqual({
    code: 1,
    errors: `Cannot listen on 127.0.0.1:${port}: the port is in use. Choose another one with --port.\n`,
  })
})

it.concurrent('rejects wrong arguments with one clear sentence and exit code 2', async () => {
  const { code, errors } = await run('--dialect', 'latin').ended
  expect(code).toBe(2)
  expect(errors).toBe(
    '--dialect: unknown dialect "latin"; use one of default, plain, strict.\n' +
      'To see all options, run latchkey-emulator --help.\n',
  )
})

it.concurrent('rejects a data file that doesn’t exist', async () => {
  expect(await run('--data', '/nowhere/data.json').ended).toEqual({
    code: 2,
    errors: "--data: /nowhere/data.json doesn't exist. With --save it is created at exit.\n",
  })
})

it.concurrent('doesn’t start with --save if the folder doesn’t exist', async () => {
  for (const file of ['/nowhere/data.json', '/nowhere/']) {
    expect(await run('--data', file, '--save').ended).toEqual({
      code: 2,
      errors: `--data: --save needs the folder ${path.resolve('/nowhere')}, which doesn't exist. Create it, or pass another file.\n`,
    })
  }
})

// Linux lets nobody create a file there, not even root.
it.skipIf(process.platform !== 'linux')(
  'doesn’t start with --save if nothing can be written to the folder',
  async () => {
    const { code, errors } = await run('--data', '/sys/data.json', '--save').ended
    expect(code).toBe(2)
    expect(errors).toMatch(
      /^--data: --save can't write to the folder \/sys \(E[A-Z]+\)\. Make it writable, or pass another file\.\n$/u,
    )
  },
)

describe('the arguments', () => {
  it.each([
    [['--port', 'http'], '--port: "http" is not a whole number from 0 to 65535.'],
    [['--face'], '--face needs a value.'],
    [['--port', '70000'], '--port: "70000" is not a whole number from 0 to 65535.'],
    [['--customers', '1.5'], '--customers: "1.5" is not a whole number from 0 to 1000000000.'],
    [['--token', ''], '--token: the token is empty; to require none, use --no-token.'],
    [
      ['--face', 'keygn'],
      '--face: unknown face "keygn"; use one of commerce, dodo, keygen, lemon-squeezy, polar. Did you mean keygen?',
    ],
    [['--token', 'other', '--no-token'], '--token and --no-token: pass only one of them.'],
    [['--no-token', '--token=demo'], '--token and --no-token: pass only one of them.'],
    [['--save'], '--save: pass the file with --data.'],
    [['--data', '', '--save'], '--data: the name of the file is empty.'],
  ])('%j are rejected', (args, message) => {
    expect(parseCommandLine(args)).toEqual({ kind: 'error', message })
  })

  it.each([
    [['--prot', '1'], 'There is no option --prot. Did you mean --port?'],
    [['--token', '--no-tokens', '--no-tokens'], 'There is no option --no-tokens. Did you mean --no-token?'],
    [['--fase', 'dodo'], 'There is no option --fase. Did you mean --face?'],
    [['--verbose'], 'There is no option --verbose.'],
    [['serve'], 'There is no argument "serve".'],
  ])('%j are unknown', (args, message) => {
    expect(parseCommandLine(args)).toEqual({ kind: 'error', message })
  })

  it('have defaults', () => {
    expect(parseCommandLine([])).toMatchObject({
      kind: 'run',
      options: { port: 4010, host: '127.0.0.1', accessToken: 'demo', seed: 1, dialect: 'default' },
    })
    expect(parseCommandLine(['--no-token'])).toMatchObject({ options: { accessToken: null } })
    expect(parseCommandLine(['-h'])).toEqual({ kind: 'help' })
  })
})

it.concurrent('prints its version', async () => {
  expect(await run('--version').firstLine).toMatch(/^\d+\.\d+\.\d+/u)
})
