import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

const hooks = new URL('./run-from-sources.ts', import.meta.url).href
const bin = fileURLToPath(new URL('../src/bin.ts', import.meta.url))

/** What a process said and how it ended. */
export interface ProcessResult {
  stdout: string
  stderr: string
  exitCode: number | null
}

/** A running `latchkey-gateway`. */
export interface GatewayProcess {
  child: ChildProcess
  origin: string
  metricsPort: number
  /** Lines of its log, the first of which said that it listens. */
  lines(): Record<string, unknown>[]
  /** @returns what it said, once it ended. */
  ended: Promise<ProcessResult>
}

function spawnGateway(args: string[], env: Record<string, string>) {
  const { PATH = '' } = process.env
  const child = spawn(process.execPath, ['--import', hooks, bin, ...args], {
    env: { PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const said = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said.stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said.stderr += text))
  const ended = new Promise<ProcessResult>((resolve) => {
    child.once('close', (exitCode) => resolve({ ...said, exitCode }))
  })
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  return { child, said, ended }
}

/** Runs `latchkey-gateway` to its end. */
export function runGatewayCommand(args: string[], env: Record<string, string> = {}): Promise<ProcessResult> {
  return spawnGateway(args, env).ended
}

/** Starts `latchkey-gateway` and waits until it listens. */
export async function startGatewayProcess(env: Record<string, string>): Promise<GatewayProcess> {
  const { child, said, ended } = spawnGateway([], { PORT: '0', HOST: '127.0.0.1', ...env })
  const lines = () =>
    said.stdout
      .split('\n')
      .filter((line) => line !== '')
      .map((line): Record<string, unknown> => JSON.parse(line))
  await Promise.race([
    ended.then(({ stderr }) => {
      throw new Error(`The gateway ended: ${stderr}`)
    }),
    new Promise<void>((resolve) => child.stdout.once('data', () => resolve())),
  ])
  const [listening] = lines()
  return {
    child,
    origin: `http://127.0.0.1:${listening?.['port']}`,
    metricsPort: Number(listening?.['metricsPort']),
    lines,
    ended,
  }
}
