import { type ChildProcess, spawn } from 'node:child_process'
import path from 'node:path'
import { waitUntil } from '../e2e/wait-until.ts'
import { installedCommand } from './installed-command.ts'
import { nodeRuntime, supportedNodes } from './node-runtime.ts'

/** How to start the command of an installed package. */
interface InstalledStart {
  /** The package's folder in `packages`: `cli`. */
  readonly name: string
  readonly args?: readonly string[]
  /** The Node version to run it with. */
  readonly node: string
  /** Added to a nearly empty environment, so that this machine's settings have no effect. */
  readonly env?: Readonly<Record<string, string>>
  /** @default the folder where the package is installed */
  readonly cwd?: string
  /** The content of standard input; `'open'` leaves it open. @default '' */
  readonly input?: string | Uint8Array
}

/** How a command exited, with its output by stream. */
export interface CommandEnd {
  readonly exitCode: number | null
  readonly signal: NodeJS.Signals | null
  readonly out: string
  readonly err: string
}

/** A running command. */
export interface RunningCommand {
  readonly process: ChildProcess
  readonly ended: Promise<CommandEnd>
  /** What it has written so far. */
  out(): string
  err(): string
  /** Waits until the text appears on stdout or stderr. @throws Error with all output if it doesn't. */
  says(text: string): Promise<void>
}

/** Prepares what {@link startInstalled} needs, which takes a while the first time. For a `beforeAll`. */
export async function prepareInstalled(name: string): Promise<void> {
  await installedCommand(name)
  for (const version of supportedNodes) await nodeRuntime(version)
}

/** Starts the command of an installed package like its user would. */
export async function startInstalled(start: InstalledStart): Promise<RunningCommand> {
  const { folder, bin, script } = await installedCommand(start.name)
  const node = await nodeRuntime(start.node)
  // A shell would start the link that npm created. On Windows that is a script, which doesn't pass signals on.
  const [program, first] = process.platform === 'win32' ? [node, [script]] : [bin, []]
  const child = spawn(program, [...first, ...(start.args ?? [])], {
    cwd: start.cwd ?? folder,
    env: {
      ...inheritedEnvironment(),
      PATH: [path.dirname(node), process.env['PATH']].join(path.delimiter),
      ...start.env,
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const output = { out: '', err: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output.out += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output.err += text
  })
  // A command may exit without reading its input.
  child.stdin.on('error', () => {})
  if (start.input !== 'open') child.stdin.end(start.input ?? '')
  const ended = new Promise<CommandEnd>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (exitCode, signal) => resolve({ exitCode, signal, ...output }))
  })
  return {
    process: child,
    ended,
    out: () => output.out,
    err: () => output.err,
    async says(text) {
      await waitUntil(`${start.name} says ${text}`, () => {
        if (`${output.out}${output.err}`.includes(text)) return true
        if (child.exitCode === null && child.signalCode === null) return undefined
        throw new Error(`The command ended without saying "${text}":\n${output.out}${output.err}`)
      })
    },
  }
}

const inherited = ['HOME', 'USERPROFILE', 'TMPDIR', 'TEMP', 'TMP', 'SystemRoot', 'NODE_COMPILE_CACHE']

/** The variables that a started program needs, so that the other settings of this machine have no effect on it. */
export function inheritedEnvironment(): Record<string, string> {
  return Object.fromEntries(
    inherited.flatMap((name) => {
      const value = process.env[name]
      return value === undefined ? [] : [[name, value]]
    }),
  )
}
