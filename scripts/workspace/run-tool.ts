import path from 'node:path'
import { execa } from 'execa'
import { repositoryRoot } from './repository.ts'

/** The output of a command. */
interface ToolOutput {
  readonly stdout: string
  readonly stderr: string
}

/**
 * Runs a command of an app's own tools, such as npm, in the app's folder.
 *
 * Uses the current Node, and removes the variables that pnpm sets for its scripts.
 *
 * @returns its output.
 * @throws Error with the end of its output if it fails.
 */
export async function runTool(
  command: readonly string[],
  folder: string,
  env: Readonly<Record<string, string>> = {},
): Promise<ToolOutput> {
  const [program = '', ...args] = command
  const own = Object.entries(process.env).filter(([name]) => !/^(?:npm_|pnpm_|FORCE_COLOR$)/iu.test(name))
  const result = await execa(program, args, {
    cwd: folder,
    env: { ...Object.fromEntries(own), ...nodeOnPath, NO_COLOR: '1', ...env },
    extendEnv: false,
    all: true,
    reject: false,
  })
  if (!result.failed) return result
  const output = `${result.all}`.trim() || (result.shortMessage ?? '')
  throw new Error(`${command.join(' ')} failed in ${path.basename(folder)}:\n${output.slice(-4_000)}`)
}

const nodeOnPath = { PATH: [path.dirname(process.execPath), process.env['PATH']].join(path.delimiter) }

/**
 * Runs a command quietly in the repository.
 *
 * @returns `null` if it succeeded, otherwise its output. The output is never empty, so that a tool that was killed or
 * failed silently doesn't look like a success.
 */
export async function failureOf(command: readonly string[]): Promise<string | null> {
  const [program = '', ...args] = command
  const { failed, all, shortMessage } = await execa(program, args, {
    cwd: repositoryRoot,
    env: { NO_COLOR: '1' },
    stdin: 'ignore',
    all: true,
    reject: false,
  })
  return failed ? `${all}`.trim() || (shortMessage ?? 'It failed.') : null
}
