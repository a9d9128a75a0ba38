import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import * as z from 'zod/mini'
import { runTool } from '../../packages/run-tool.ts'

const lockSchema = z.object({ packages: z.record(z.string(), z.object({ version: z.optional(z.string()) })) })

/** A package installed by npm into its own folder. */
export interface InstalledForSize {
  readonly folder: string
  readonly version: string
  /** The number of packages installed with it, without itself and without what the app has anyway. */
  readonly packages: number
  /** The size of all of it on disk, in bytes. */
  readonly onDisk: number
}

/** Installs a package without its peers: this version, or the newest. Our own packages come from a local registry. */
export async function installForSize(
  root: string,
  name: string,
  registryUrl: string,
  version = 'latest',
): Promise<InstalledForSize> {
  const folder = path.join(root, name.replace('/', '-'))
  await mkdir(folder, { recursive: true })
  await writeFile(path.join(folder, 'package.json'), JSON.stringify({ name: 'size', private: true }))
  await writeFile(path.join(folder, '.npmrc'), `@latchkey:registry=${registryUrl}\n`)
  const flags = ['--no-audit', '--no-fund', '--ignore-scripts', '--legacy-peer-deps', '--prefer-offline']
  await runTool(['npm', 'install', `${name}@${version}`, ...flags], folder)

  const lockText = await readFile(path.join(folder, 'node_modules', '.package-lock.json'), 'utf8')
  const { packages } = lockSchema.parse(JSON.parse(lockText))
  return {
    folder,
    version: packages[`node_modules/${name}`]?.version ?? 'unknown',
    packages: Object.keys(packages).length - 1,
    onDisk: await sizeOf(path.join(folder, 'node_modules')),
  }
}

async function sizeOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const sizes = entries
    .filter((entry) => entry.isFile())
    .map(async (entry) => (await stat(path.join(entry.parentPath, entry.name))).size)
  return (await Promise.all(sizes)).reduce((total, size) => total + size, 0)
}
