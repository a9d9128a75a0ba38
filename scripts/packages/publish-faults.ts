import path from 'node:path'
import { runTool } from './run-tool.ts'

/** Returns what npm would report when publishing a tarball. Nothing is sent. */
export async function publishFaults(tarball: string): Promise<readonly string[]> {
  const command = ['npm', 'publish', tarball, '--dry-run', '--loglevel', 'warn']
  try {
    const { stderr } = await runTool(command, path.dirname(tarball))
    // A missing login or this machine's npm settings aren't faults of the package.
    return stderr
      .split('\n')
      .filter((line) => /npm (?:warn|error) publish/iu.test(line) && !/logged in/iu.test(line))
  } catch (error) {
    return [String(error)]
  }
}
