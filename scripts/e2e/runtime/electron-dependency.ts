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
 * The Electron that the `electron` devDependency has unpacked beside itself, or `undefined`.
 *
 * Looked up by its files: importing the package would start a download.
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
  /** Give up when not one byte came in this time. */
  readonly firstByteMs: number
  /** Give up when a download that had begun stands still for this long. */
  readonly stalledMs: number
}

const lookEveryMs = 250
const defaultLimits: DownloadLimits = { firstByteMs: 8_000, stalledMs: 30_000 }

/**
 * Lets the `electron` devDependency fetch its own release, as `npx install-electron` does.
 *
 * Bounded by progress and not by a total time, so that a slow line can still finish a hundred megabytes and a
 * machine without internet loses only seconds.
 *
 * @returns the distribution, or `undefined` when the release cannot be had.
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
      // The download lands in the temporary folder first: its size there is the progress.
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
    // Files come and go while we look.
    const stats = await stat(path.join(folder, name)).catch(() => undefined)
    if (stats?.isFile()) total += stats.size
  }
  return total
}
