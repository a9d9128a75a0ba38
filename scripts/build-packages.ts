import { runCommand } from './check/run-command.ts'
import { pnpmCommand } from './pnpm-command.ts'

/**
 * Builds all packages and examples, silently as long as nothing is wrong.
 *
 * @throws Error with the build's whole output when it fails.
 */
export async function buildPackages(): Promise<void> {
  const lines: string[] = []
  const passed = await runCommand(pnpmCommand(['run', 'build']), { NO_COLOR: '1' }, (line) =>
    lines.push(line),
  )
  if (!passed) throw new Error(`The build failed:\n${lines.join('\n')}`)
}
