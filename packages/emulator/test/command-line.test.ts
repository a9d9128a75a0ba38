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
  return {
    child,
    firstLine: new Promise((resolve) => child.stdout.once('data', (chunk) => resolve(`${chunk}`))),
    ended: new Promise((resolve) => child.once('close', (code) => resolve({ code, errors }))),
  }
}

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
  const { baseUrl }: { baseUrl: string } = JSON.parse(await run('--json').firstLine)
  const { port } = new URL(baseUrl)
  expect(await run('--port', port).ended).toEqual({
    code: 1,
    errors: `Cannot listen on 127.0.0.1:${port}: the port is in use. Choose another one with --port.\n`,
  })
})

const refused: [args: string[], message: string][] = [
  [['--prot', '1'], "error: unknown option '--prot'\n(Did you mean --port?)\nTo see all options, run"],
  [
    ['--data', '/nowhere/data.json'],
    "--data: /nowhere/data.json doesn't exist. With --save it is created at exit.",
  ],
  [
    ['--data', '/nowhere/data.json', '--save'],
    `--data: --save needs the folder ${path.resolve('/nowhere')}, which`,
  ],
  [['--data', '/nowhere/', '--save'], `--data: --save needs the folder ${path.resolve('/nowhere')}, which`],
]
// Linux lets nobody create a file there, not even root.
if (process.platform === 'linux') {
  refused.push([['--data', '/sys/data.json', '--save'], "--data: --save can't write to the folder /sys (E"])
}

it.concurrent.each(refused)('refuses %j with exit code 2', async (args, message) => {
  const { code, errors } = await run(...args).ended
  expect([code, errors.slice(0, message.length)]).toEqual([2, message])
})

describe('the arguments', () => {
  it.each([
    [['--port', 'http'], "'http' is invalid. It must be a whole number from 0 to 65535."],
    [['--port', '70000'], "'70000' is invalid. It must be a whole number from 0 to 65535."],
    [['--customers', '1.5'], "'1.5' is invalid. It must be a whole number from 0 to 1000000000."],
    [['--face'], "option '--face <name>' argument missing"],
    [['--face', 'keygn'], 'Allowed choices are commerce, dodo, keygen, lemon-squeezy, polar.'],
    [['--token', ''], "'' is invalid. It is empty."],
    [['--token', 'other', '--no-token'], 'pass only one of --token and --no-token.'],
    [['--no-token', '--token=demo'], 'pass only one of --token and --no-token.'],
    [['--save'], '--save needs the file: pass it with --data.'],
    [['--data', '', '--save'], "'' is invalid. It is empty."],
    [['--verbose'], "unknown option '--verbose'"],
    [['serve'], 'too many arguments'],
  ])('%j are refused', (args, message) => {
    const text = expect.stringContaining(message)
    expect(parseCommandLine(args)).toEqual({ kind: 'error', text })
  })

  it('have defaults', () => {
    expect(parseCommandLine([])).toEqual({
      kind: 'run',
      options: {
        port: 4010,
        host: '127.0.0.1',
        accessToken: 'demo',
        seed: 1,
        customers: 60,
        discounts: 30,
        face: 'commerce',
        rateLimits: false,
      },
      data: undefined,
      save: false,
      json: false,
      exitWithParent: false,
    })
    expect(parseCommandLine(['--no-token'])).toMatchObject({ options: { accessToken: null } })
    expect(parseCommandLine(['-h'])).toMatchObject({ kind: 'help' })
    const version = expect.stringMatching(/^\d+\.\d+\.\d+$/u)
    expect(parseCommandLine(['--version'])).toEqual({ kind: 'help', text: version })
  })
})
