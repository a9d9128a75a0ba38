import { failureOf } from './check/failure-of.ts'
import { pnpmCommand } from './workspace/pnpm-command.ts'

/**
 * Builds all packages and examples, without output if nothing fails.
 *
 * @throws Error with the build's whole output if it fails.
 */
export async function buildPackages(): Promise<void> {
  const failure = await failureOf(pnpmCommand(['run', 'build']), { NO_COLOR: '1' })
  if (failure !== null) throw new Error(`The build failed:\n${failure}`)
}
