import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { repositoryRoot } from '../../workspace/repository.ts'
import { distributionVersion, type ElectronDistribution } from './electron-distribution.ts'

const packagePath = path.join(repositoryRoot, 'node_modules', 'electron')

/**
 * Finds the Electron that the `electron` devDependency has unpacked; `undefined` if there is none.
 *
 * Checks its files only, because importing the package would start a download.
 */
export function downloadedElectron(
  electronPackagePath: string = packagePath,
): ElectronDistribution | undefined {
  const pathFile = path.join(electronPackagePath, 'path.txt')
  if (!existsSync(pathFile)) return undefined
  const distributionPath = path.join(electronPackagePath, 'dist')
  const executablePath = path.join(distributionPath, readFileSync(pathFile, 'utf8').trim())
  if (!existsSync(executablePath)) return undefined
  return { executablePath, version: distributionVersion(distributionPath) }
}

/** Limits of one attempt to download Electron. */
export interface DownloadLimits {
  /** Give up if no byte arrives within this time. */
  readonly firstByteMs: number
  /** Give up if a download stalls for this long. */
  readonly stalledMs: number
}

const lookEveryMs = 250
const defaultLimits: DownloadLimits = { firstByteMs: 8_000, stalledMs: 30_000 }

/**
 * Lets the `electron` devDependency download its own release, like `npx install-electron` does.
 *
 * Limited by progress instead of total time, so that a slow connection can finish a hundred megabytes and a machine
 * without internet access loses only seconds.
 *
 * @returns the distribution, or `undefined` if the release is unavailable.
 */
export async function downloadElectron(
  report: (line: string) => void,
  limits: DownloadLimits = defaultLimits,
  electronPackagePath: string = packagePath,
): Promise<ElectronDistribution | undefined> {
  const installScript = path.join(electronPackagePath, 'install.js')
  if (!existsSync(installScript)) return undefined

  const temporaryPath = await mkdtemp(path.join(os.tmpdir(), 'latchkey-electron-'))
  try {
    const child = spawn(process.execPath, [installScript], {
      cwd: repositoryRoot,
      stdio: 'ignore',
      // The download goes to the temporary folder first. Its size there is the progress.
      env: { ...process.env, TMPDIR: temporaryPath, TEMP: temporaryPath, TMP: temporaryPath },
    })
    let running = true
    const exited = new Promise<void>((resolve) => {
      child.once('error', () => resolve())
      child.once('exit', () => resolve())
    }).then(() => {
      running = false
    })

    let seenBytes = 0
    let changedAt = performance.now()
    while (running) {
      await Promise.race([exited, sleep(lookEveryMs)])
      const bytes = await folderSizeInBytes(temporaryPath)
      if (bytes !== seenBytes) {
        if (seenBytes === 0) report('Downloading Electron …')
        seenBytes = bytes
        changedAt = performance.now()
      }
      const allowedMs = seenBytes === 0 ? limits.firstByteMs : limits.stalledMs
      if (running && performance.now() - changedAt > allowedMs) {
        child.kill()
        await exited
      }
    }
    return downloadedElectron(electronPackagePath)
  } finally {
    await rm(temporaryPath, { recursive: true, force: true })
  }
}

async function folderSizeInBytes(folder: string): Promise<number> {
  let total = 0
  for (const name of await readdir(folder, { recursive: true }).catch(() => [])) {
    // Files may appear and disappear during the scan.
    const stats = await stat(path.join(folder, name)).catch(() => undefined)
    if (stats?.isFile()) total += stats.size
  }
  return total
}
