import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import * as z from 'zod/mini'
import { applyDiff } from '../docs/apply-diff.ts'
import type { Generator } from './generated-app.ts'
import { copyElectron, zipFolder } from './packaging-electron.ts'
import { runTool } from './run-tool.ts'

/** An app as users get it. */
export interface PackagedFiles {
  readonly executable: string
  /** The output of the build. */
  readonly output: string
}

/** What the pages put into the `build` of a `package.json`. */
export interface DocumentedBuild {
  readonly fuses: Readonly<Record<string, boolean>>
  /** What the first page's app needs at run time. The templates have lists of their own. */
  readonly files: readonly string[]
  /** The configuration with which Forge packages the first page's app. */
  readonly forgeConfig: string
}

/**
 * Builds a generated app and packages it into an archive with its fuses set, using the template's own tools.
 *
 * @throws Error with the output of the command that failed.
 */
export async function packageApp(
  app: string,
  generator: Generator,
  documented: DocumentedBuild,
): Promise<PackagedFiles> {
  if (generator.tool === 'create-electron-app') return await packageWithForge(app)
  if (generator.template === 'electron-forge') {
    await writeFile(path.join(app, 'forge.config.ts'), documented.forgeConfig)
    return await packageWithForgeAlone(app)
  }
  return await packageWithBuilder(app, generator, documented)
}

async function packageWithBuilder(
  app: string,
  { template, tool }: Generator,
  { fuses, files }: DocumentedBuild,
): Promise<PackagedFiles> {
  // The Svelte template's own `build` already fails its type check before our changes.
  const build = template === 'svelte-ts' ? ['npx', 'electron-vite', 'build'] : ['npm', 'run', 'build']
  const { stdout, stderr } = await runTool(build, app)
  const electronDist = path.join(app, 'electron')
  await copyElectron(electronDist)
  const settings = {
    ...(tool === 'none' ? {} : { extends: './electron-builder.yml' }),
    electronDist,
    electronVersion: await electronVersionOf(app),
    electronFuses: fuses,
    linux: { executableName: 'app' },
    files: tool === 'none' ? files : ['!electron', '!electron-builder.json'],
  }
  await writeFile(path.join(app, 'electron-builder.json'), JSON.stringify(settings))
  await runTool(['npx', 'electron-builder', '--dir', '--config', 'electron-builder.json'], app)
  const folder = path.join(app, 'dist', 'linux-unpacked')
  return { executable: path.join(folder, 'app'), output: stdout + stderr }
}

async function packageWithForge(app: string): Promise<PackagedFiles> {
  await useOwnElectron(app)
  await runTool(['npm', 'run', 'lint'], app)
  // `make` packages the app first, and fails if its zip can't be made.
  const make = ['npm', 'run', 'make', '--', '--targets', '@electron-forge/maker-zip']
  const { stdout, stderr } = await runTool(make, app)
  const folder = await packagedFolder(path.join(app, 'out'))
  return { executable: path.join(folder, path.basename(app)), output: stdout + stderr }
}

async function packageWithForgeAlone(app: string): Promise<PackagedFiles> {
  await useOwnElectron(app)
  const { stdout, stderr } = await runTool(['npm', 'run', 'build'], app)
  await runTool(['npx', 'electron-forge', 'make'], app)
  const folder = await packagedFolder(path.join(app, 'release'))
  return { executable: path.join(folder, 'Notes'), output: stdout + stderr }
}

async function packagedFolder(result: string): Promise<string> {
  return path.join(result, (await readdir(result)).find((name) => name !== 'make') ?? '')
}

/** Changes Forge's configuration so that it packages the tests' Electron instead of downloading one. */
async function useOwnElectron(app: string): Promise<void> {
  const zips = path.join(app, '..', `${path.basename(app)}-electron`)
  await mkdir(zips)
  await copyElectron(path.join(zips, 'unpacked'))
  const name = `electron-v${await electronVersionOf(app)}-${process.platform}-${process.arch}.zip`
  await zipFolder(path.join(zips, 'unpacked'), path.join(zips, name))
  const config = path.join(app, 'forge.config.ts')
  const setting = `     asar: true,\n+    electronZipDir: ${JSON.stringify(zips)},\n`
  await writeFile(config, applyDiff(await readFile(config, 'utf8'), setting))
}

const manifestSchema = z.object({ version: z.string() })

async function electronVersionOf(app: string): Promise<string> {
  const file = path.join(app, 'node_modules', 'electron', 'package.json')
  return manifestSchema.parse(JSON.parse(await readFile(file, 'utf8'))).version
}
