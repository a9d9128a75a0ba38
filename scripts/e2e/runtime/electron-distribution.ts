import { readFileSync } from 'node:fs'
import path from 'node:path'

/** An unpacked Electron, found on this machine. */
export interface ElectronDistribution {
  readonly executablePath: string
  /** For example `45.4.1`; `unknown` if the folder doesn't say. */
  readonly version: string
}

/** Path of the executable in an Electron distribution, as in its release archives. */
export function executableInDistribution(platform: NodeJS.Platform): string {
  if (platform === 'darwin') return path.join('Electron.app', 'Contents', 'MacOS', 'Electron')
  return platform === 'win32' ? 'electron.exe' : 'electron'
}

/** Reads the `version` file of a distribution, without the leading `v` of old releases. */
export function distributionVersion(distributionPath: string): string {
  try {
    return readFileSync(path.join(distributionPath, 'version'), 'utf8').trim().replace(/^v/, '') || 'unknown'
  } catch {
    return 'unknown'
  }
}
