import { type ChildProcess, spawn } from 'node:child_process'
import path from 'node:path'
import { installedCommand } from '@latchkey/scripts/packages/installed-command'
import { nodeRuntime } from '@latchkey/scripts/packages/node-runtime'
import { onTestEnd } from '@latchkey/scripts/test/side-by-side'
import { readGatewayEnvironment } from '../src/node/environment.ts'
import { runGateway } from '../src/node/start.ts'

/** The output and exit code of a process. */
export interface ProcessResult {
  stdout: string
  stderr: string
  exitCode: number | null
  signal: NodeJS.Signals | null
}

/** A gateway with the settings of an environment. */
export interface StartedGateway {
  origin: string
  /** The origin with the base path. */
  baseUrl: string
  metricsPort: number
  /** Lines of its log. The first one says that it listens. */
  lines(): Record<string, unknown>[]
  /** Lines about requests. */
  requestLines(): Record<string, unknown>[]
  /** Drops all lines so far. */
  clearLines(): void
  stop(): Promise<void>
}

/** A running `latchkey-gateway`. */
export interface GatewayProcess extends StartedGateway {
  child: ChildProcess
  /** Resolves with its output when it exits. */
  ended: Promise<ProcessResult>
}

/** The Node version that runs the command; by default the one that runs the tests. */
export interface ProcessOptions {
  node?: string
  /** @default none */
  args?: readonly string[]
  /** Optional packages installed with it. */
  beside?: readonly string[]
  /** Ends the process with the test. @default true */
  endsWithTest?: boolean
}

/** The part of this machine's environment that the command gets. The test sets everything else. */
const inherited = Object.fromEntries(
  ['PATH', 'SystemRoot', 'TEMP', 'NODE_COMPILE_CACHE'].flatMap((name) => {
    const value = process.env[name]
    return value === undefined ? [] : [[name, value]]
  }),
)

/** Starts the command like `npx`: the entry in `.bin` of the folder where the packed package is installed. */
async function spawnGateway(args: readonly string[], env: Record<string, string>, options: ProcessOptions) {
  const [{ bin, script }, node] = await Promise.all([
    installedCommand('gateway', options.beside),
    options.node === undefined ? process.execPath : nodeRuntime(options.node),
  ])
  // On Windows, the file in .bin is a script.
  const [program, first] = process.platform === 'win32' ? [node, [script]] : [bin, []]
  const child = spawn(program, [...first, ...args], {
    env: {
      ...inherited,
      ...env,
      PATH: [path.dirname(node), inherited['PATH']].join(path.delimiter),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const said = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said.stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said.stderr += text))
  const ended = new Promise<ProcessResult>((resolve) => {
    child.once('close', (exitCode, signal) => resolve({ ...said, exitCode, signal }))
  })
  const stop = async (): Promise<void> => {
    child.kill('SIGKILL')
    await ended
  }
  if (options.endsWithTest ?? true) onTestEnd(stop)
  return { child, said, ended, stop }
}

/** Runs `latchkey-gateway` until it exits. */
export async function runGatewayCommand(
  args: string[],
  env: Record<string, string> = {},
  options: ProcessOptions = {},
): Promise<ProcessResult> {
  return await (await spawnGateway(args, env, options)).ended
}

/** Reads what a gateway logged. */
function readLog(lines: () => Record<string, unknown>[]): Omit<StartedGateway, 'stop'> {
  let skipped = 0
  const [listening] = lines().filter(({ event }) => event === 'listening')
  const origin = `http://127.0.0.1:${listening?.['port']}`
  const requestLines = () => lines().filter(({ event }) => event === 'request')
  return {
    origin,
    baseUrl: `${origin}${listening?.['basePath']}`,
    metricsPort: Number(listening?.['metricsPort']),
    lines,
    requestLines: () => requestLines().slice(skipped),
    clearLines() {
      skipped = requestLines().length
    },
  }
}

/** Starts in this process what `latchkey-gateway` starts, which is much faster. */
export async function startGatewayHere(
  env: Record<string, string>,
  { endsWithTest = true }: Pick<ProcessOptions, 'endsWithTest'> = {},
): Promise<StartedGateway> {
  const lines: Record<string, unknown>[] = []
  const environment = readGatewayEnvironment({ PORT: '0', HOST: '127.0.0.1', ...env })
  const { close } = await runGateway(environment, (line) => void lines.push({ ...line }))
  if (endsWithTest) onTestEnd(close)
  return { ...readLog(() => lines), stop: close }
}

/** Starts `latchkey-gateway` and waits until it listens. */
export async function startGatewayProcess(
  env: Record<string, string>,
  options: ProcessOptions = {},
): Promise<GatewayProcess> {
  const { child, said, ended, stop } = await spawnGateway(
    options.args ?? [],
    { PORT: '0', HOST: '127.0.0.1', ...env },
    options,
  )
  const lines = () =>
    said.stdout
      .slice(0, said.stdout.lastIndexOf('\n') + 1)
      .split('\n')
      .filter((line) => line !== '')
      .map((line): Record<string, unknown> => JSON.parse(line))
  await Promise.race([
    ended.then(({ stdout, stderr }) => {
      throw new Error(`The gateway ended: ${stdout}${stderr}`)
    }),
    new Promise<void>((resolve) => {
      const look = (): void => {
        if (said.stdout.includes('\n')) resolve()
        else child.stdout.once('data', look)
      }
      look()
    }),
  ])
  return { ...readLog(lines), child, ended, stop }
}
