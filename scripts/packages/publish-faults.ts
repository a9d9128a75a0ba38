import path from 'node:path'
import { runTool } from './run-tool.ts'

/** What npm would complain of when publishing a tarball; nothing is sent. */
export async function publishFaults(tarball: string): Promise<readonly string[]> {
  const command = ['npm', 'publish', tarball, '--dry-run', '--loglevel', 'warn']
  try {
    const { stderr } = await runTool(command, path.dirname(tarball))
    // That nobody is logged in is no fault of the package, and neither is how this machine sets up npm.
    return stderr
      .split('\n')
      .filter((line) => /npm (?:warn|error) publish/iu.test(line) && !/logged in/iu.test(line))
  } catch (error) {
    return [String(error)]
  }
}
