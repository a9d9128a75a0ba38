import { readFileSync } from 'node:fs'
import path from 'node:path'

/** An unpacked Electron, found on this machine. */
export interface ElectronDistribution {
  readonly executablePath: string
  /** For example `45.4.1`; `unknown` where the folder does not say. */
  readonly version: string
}

/** Where the executable lies inside an Electron distribution, as in its release archives. */
export function executableInDistribution(platform: NodeJS.Platform): string {
  if (platform === 'darwin') return path.join('Electron.app', 'Contents', 'MacOS', 'Electron')
  return platform === 'win32' ? 'electron.exe' : 'electron'
}

/** What the `version` file of a distribution says, without the leading `v` that old releases have. */
export function distributionVersion(distributionPath: string): string {
  try {
    return readFileSync(path.join(distributionPath, 'version'), 'utf8').trim().replace(/^v/, '') || 'unknown'
  } catch {
    return 'unknown'
  }
}
