import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Emulator } from '@latchkey/emulator'
import { isServiceName } from '@latchkey/services/environment'
import * as z from 'zod/mini'
import { serviceEnvironment } from '../e2e/upstream-of.ts'
import { runTool } from '../workspace/run-tool.ts'
import { installedCommand } from './installed-command.ts'
import { inheritedEnvironment } from './start-installed.ts'

/** A gateway as vendors run it: the installed command, in its own process. */
export interface InstalledGateway {
  readonly pid: number | undefined
  readonly origin: string
  /** The service's address for an app. */
  readonly baseUrl: string
  /** Resolves with its exit code and signal. */
  readonly ended: Promise<unknown[]>
  /** Ends it with SIGTERM. */
  stop(): Promise<void>
}

const listeningSchema = z.object({ port: z.int(), basePath: z.string() })
const keysSchema = z.object({ signingKey: z.unknown(), leaseKeys: z.unknown() })

/**
 * Starts `latchkey-gateway` on a free port of this machine.
 *
 * @param onLine receives each line of its log. By default the log is discarded.
 */
export async function startInstalledGateway(
  env: Readonly<Record<string, string>>,
  onLine: (line: string) => void = () => {},
): Promise<InstalledGateway> {
  const { folder, script } = await installedCommand('gateway')
  return await startGatewayProgram([process.execPath, script], { cwd: folder, env, onLine })
}

/**
 * Starts a command that runs the gateway, on a free port of this machine.
 *
 * @throws Error if it exits before it listens.
 */
export async function startGatewayProgram(
  [program = '', ...args]: readonly string[],
  options: {
    readonly cwd: string
    /** Added to a nearly empty environment. */
    readonly env?: Readonly<Record<string, string>>
    readonly onLine?: (line: string) => void
  },
): Promise<InstalledGateway> {
  const child = spawn(program, args, {
    cwd: options.cwd,
    env: {
      ...inheritedEnvironment(),
      PATH: process.env['PATH'] ?? '',
      PORT: '0',
      HOST: '127.0.0.1',
      ...options.env,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'close')
  const lines = createInterface({ input: child.stdout })
  const [line] = await Promise.race([
    once(lines, 'line'),
    ended.then(() => Promise.reject(new Error('The gateway ended.'))),
  ])
  lines.on('line', options.onLine ?? (() => {}))
  const { port, basePath } = listeningSchema.parse(JSON.parse(String(line)))
  const origin = `http://127.0.0.1:${port}`
  return {
    pid: child.pid,
    origin,
    baseUrl: `${origin}${basePath}`,
    ended,
    async stop() {
      child.kill()
      await ended
    },
  }
}

/** A new key pair as `latchkey-gateway keys generate` prints it: for the gateway, and for the app. */
export async function generateLeaseKeys(): Promise<{
  readonly signingKey: string
  readonly leaseKeys: string
}> {
  const { folder, script } = await installedCommand('gateway')
  const { stdout } = await runTool([process.execPath, script, 'keys', 'generate', '--json'], folder)
  const { signingKey, leaseKeys } = keysSchema.parse(JSON.parse(stdout))
  return { signingKey: JSON.stringify(signingKey), leaseKeys: JSON.stringify(leaseKeys) }
}

/** Returns the environment of a vendor's gateway in front of an emulated service, with the vendor's secret. */
export function gatewayEnvironment(emulator: Emulator, signingKey: string): Record<string, string> {
  const service = isServiceName(emulator.face)
    ? serviceEnvironment(emulator.face, emulator)
    : { LATCHKEY_UPSTREAM: emulator.baseUrl, LATCHKEY_ACCESS_TOKEN: emulator.accessToken ?? '' }
  return { ...service, LATCHKEY_SIGNING_KEY: signingKey }
}
