import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { glob, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import * as z from 'zod/mini'
import { cachePath, repositoryRoot } from '../workspace/repository.ts'
import { runTool } from '../workspace/run-tool.ts'

const manifestSchema = z.object({
  bin: z.optional(z.record(z.string(), z.string())),
  dependencies: z.optional(z.record(z.string(), z.string())),
})

/** What a package is built from, besides its sources. */
const workspaceFiles = ['package.json', 'pnpm-workspace.yaml', 'pnpm-lock.yaml', 'tsconfig.base.json']

/** A command like its users have it: built, packed and installed with its dependencies. */
interface InstalledCommand {
  /** The folder where it is installed. */
  readonly folder: string
  /** The script for Node to run. */
  readonly script: string
  /** The file for a shell to run: the entry in `node_modules/.bin`. */
  readonly bin: string
}

/**
 * Builds and packs a package and the workspace packages it depends on, and installs the tarballs with npm, like a user
 * would. Done once for each state of the sources, and cached.
 *
 * @param name the package's folder in `packages`.
 * @param beside further packages to install, such as optional peer dependencies.
 */
export async function installedCommand(
  name: string,
  beside: readonly string[] = [],
): Promise<InstalledCommand> {
  const key = JSON.stringify([name, ...beside])
  const command = commands.get(key) ?? install(name, beside)
  commands.set(key, command)
  return await command
}

/** Installed by this process. A test file starts the same command many times. */
const commands = new Map<string, Promise<InstalledCommand>>()

async function install(name: string, beside: readonly string[]): Promise<InstalledCommand> {
  const names = await withWorkspaceDependencies(name)
  const digest = await digestOf(names, beside)
  const folder = await madeOnce(`installed-${name}-${digest}`, async (target) => {
    const tarballs = await pack(names, target)
    await writeFile(path.join(target, 'package.json'), '{"private":true}')
    const install = ['npm', 'install', '--no-audit', '--no-fund', '--strict-peer-deps', '--prefer-offline']
    await runTool([...install, ...tarballs, ...beside], target)
  })
  const { bin = {} } = await readManifest(path.join(folder, 'node_modules', '@latchkey', name))
  const [command, script] = Object.entries(bin)[0] ?? []
  if (command === undefined || script === undefined) throw new Error(`@latchkey/${name} has no command.`)
  return {
    folder,
    script: path.join(folder, 'node_modules', '@latchkey', name, script),
    bin: path.join(folder, 'node_modules', '.bin', command),
  }
}

async function readManifest(folder: string): Promise<z.infer<typeof manifestSchema>> {
  return manifestSchema.parse(JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8')))
}

async function withWorkspaceDependencies(name: string, found = new Set<string>()): Promise<string[]> {
  found.add(name)
  const { dependencies = {} } = await readManifest(path.join(repositoryRoot, 'packages', name))
  for (const [dependency, version] of Object.entries(dependencies)) {
    const other = dependency.replace('@latchkey/', '')
    if (version.startsWith('workspace:') && !found.has(other)) await withWorkspaceDependencies(other, found)
  }
  return [...found].sort()
}

/** Identifies what the packages are built from, without tests and benches. */
async function digestOf(names: readonly string[], beside: readonly string[]): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify([names, beside]))
  const ofPackages = `packages/{${names},}/{package.json,tsconfig.json,src/**/*.*}`
  const files: string[] = []
  for await (const file of glob([...workspaceFiles, ofPackages], { cwd: repositoryRoot })) files.push(file)
  for (const file of files.sort())
    hash.update(`\0${file}\0`).update(await readFile(path.join(repositoryRoot, file)))
  return hash.digest('hex').slice(0, 16)
}

/** Packs packages into a folder. The build is a no-op if it is up to date, so that no stale one is packed. */
async function pack(names: readonly string[], folder: string): Promise<string[]> {
  await runTool(['pnpm', 'run', 'build'], repositoryRoot)
  const filters = names.map((name) => `--filter=./packages/${name}`)
  await runTool(['pnpm', '--recursive', ...filters, 'pack', '--pack-destination', folder], repositoryRoot)
  return (await readdir(folder))
    .filter((name) => name.endsWith('.tgz'))
    .map((name) => path.join(folder, name))
}

/** The age at which a lock is assumed to be left by a process that died. */
const staleLockMs = 180_000

/**
 * Returns a cached folder that is created at most once, even if several processes need it at the same time.
 *
 * @param name of the folder; it must change with everything the content depends on.
 * @param make fills an empty folder, which is moved to its place once that succeeded.
 */
export async function madeOnce(name: string, make: (folder: string) => Promise<void>): Promise<string> {
  const target = path.join(cachePath, name)
  const lock = `${target}.lock`
  await mkdir(path.dirname(target), { recursive: true })
  while (!existsSync(target)) {
    if (!(await tryLock(lock))) {
      await pause(100)
      continue
    }
    try {
      if (existsSync(target)) break
      const folder = await mkdtemp(`${target}-`)
      try {
        await make(folder)
        await rename(folder, target)
      } finally {
        await rm(folder, { recursive: true, force: true })
      }
    } finally {
      await rm(lock, { recursive: true, force: true })
    }
  }
  return target
}

async function tryLock(lock: string): Promise<boolean> {
  try {
    await mkdir(lock)
    return true
  } catch {
    const age = await stat(lock).then(
      ({ mtimeMs }) => Date.now() - mtimeMs,
      () => 0,
    )
    if (age > staleLockMs) await rm(lock, { recursive: true, force: true })
    return false
  }
}
