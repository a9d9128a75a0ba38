import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** The output of a command. */
export interface ToolOutput {
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
  return await run(program, args, {
    cwd: folder,
    env: { ...toolEnvironment(), ...env },
    maxBuffer: 64 * 1024 * 1024,
    // On Windows, npm and similar commands are scripts.
    shell: process.platform === 'win32',
  }).catch((error: unknown) => {
    const told = error instanceof Error && 'stdout' in error && 'stderr' in error
    const output = told ? `${error.stdout}${error.stderr}` : String(error)
    throw new Error(`${command.join(' ')} failed in ${path.basename(folder)}:\n${output.slice(-4_000)}`)
  })
}

function toolEnvironment(): NodeJS.ProcessEnv {
  const entries = Object.entries(process.env).filter(([name]) => !/^(?:npm_|pnpm_)/iu.test(name))
  const searchPath = [path.dirname(process.execPath), process.env['PATH']].join(path.delimiter)
  return { ...Object.fromEntries(entries), PATH: searchPath, NO_COLOR: '1', FORCE_COLOR: undefined }
}
