import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { installedCommand } from '@latchkey/scripts/packages/installed-command'

const hooks = new URL('../../test/run-from-sources.ts', import.meta.url).href

/** A server in a process of its own. */
export interface ServerProcess {
  readonly origin: string
  /** Resident memory now, in MiB; `null` where the system does not tell. */
  memoryMib(): Promise<number | null>
  /** Processor time used so far, in milliseconds; `null` where the system does not tell. */
  cpuMs(): Promise<number | null>
  stop(): Promise<void>
}

/** What Linux counts processor time in. */
const clockTickMs = 10

/** Starts a module that prints one line of JSON with its `port` once it listens. */
export function startProcess(module: URL, env: Record<string, string> = {}): Promise<ServerProcess> {
  return startNode(['--import', hooks, fileURLToPath(module)], env)
}

async function startNode(args: readonly string[], env: Record<string, string>): Promise<ServerProcess> {
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'close')
  const lines = createInterface({ input: child.stdout })
  const [line] = await Promise.race([
    once(lines, 'line'),
    ended.then(() => Promise.reject(new Error('It ended.'))),
  ])
  // The log is part of what a request costs; nobody has to read it.
  lines.on('line', () => {})
  const { port }: { port: number } = JSON.parse(String(line))
  return {
    origin: `http://127.0.0.1:${port}`,
    async memoryMib() {
      const status = await readProc(child.pid, 'status')
      return status === null ? null : Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1024
    },
    async cpuMs() {
      // The second field is the program's name, in brackets: what follows is counted from there.
      const fields = (await readProc(child.pid, 'stat'))?.split(') ')[1]?.split(' ')
      return fields === undefined ? null : (Number(fields[11]) + Number(fields[12])) * clockTickMs
    },
    async stop() {
      child.kill('SIGKILL')
      await ended
    },
  }
}

/** Starts the installed `latchkey-gateway` in front of a service. */
export async function startGatewayProcess(
  upstream: string,
  env: Record<string, string> = {},
): Promise<ServerProcess> {
  const { script } = await installedCommand('gateway')
  return await startNode([script], {
    PORT: '0',
    HOST: '127.0.0.1',
    LATCHKEY_UPSTREAM: `${upstream}/v1`,
    LATCHKEY_ACCESS_TOKEN: 'token',
    // Limits are counted, and never reached.
    LATCHKEY_LIMIT_PER_LICENSE: '1000000',
    LATCHKEY_LIMIT_PER_ADDRESS: '1000000',
    ...env,
  })
}

async function readProc(pid: number | undefined, file: string): Promise<string | null> {
  try {
    return await readFile(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return null
  }
}
