import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { repositoryRoot } from '../workspace/repository.ts'

/** Runs a command, forwards every line of its output, and returns whether it succeeded. */
export async function runCommand(
  command: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  onLine: (line: string) => void,
): Promise<boolean> {
  const [program = '', ...args] = command
  const child = spawn(program, args, {
    cwd: repositoryRoot,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const stop = () => child.kill()
  process.once('exit', stop)
  for (const stream of [child.stdout, child.stderr]) createInterface({ input: stream }).on('line', onLine)
  const hasPassed = await new Promise<boolean>((resolve) => {
    child.once('error', (error) => {
      onLine(`${program} could not be started: ${error.message}`)
      resolve(false)
    })
    child.once('close', (exitCode, signal) => {
      if (signal !== null) onLine(`${program} was ended by ${signal}.`)
      resolve(exitCode === 0)
    })
  })
  process.off('exit', stop)
  return hasPassed
}
