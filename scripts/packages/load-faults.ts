import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import * as z from 'zod/mini'
import { failureOf } from '../check/failure-of.ts'
import { layNodeModules } from './node-modules.ts'
import type { PackedPackage } from './packed-package.ts'

const loadingPath = path.join(import.meta.dirname, 'loading')
const binSchema = z.optional(z.record(z.string(), z.string()))

/**
 * Loads the helper's subpaths on Node, by `import` and by `require`, and starts every command with `--help`.
 *
 * ES modules in the main process need Electron 28 or newer. On Node, this at least shows that they load.
 *
 * @returns what went wrong, one output each.
 */
export async function loadFaults(
  folder: string,
  packages: readonly PackedPackage[],
): Promise<readonly string[]> {
  const project = await mkdtemp(path.join(folder, 'loading-'))
  const modules = path.join(project, 'node_modules')
  await layNodeModules(modules, packages)
  const electron = path.join(modules, 'electron')
  await rm(electron)
  await mkdir(electron)
  await writeFile(
    path.join(electron, 'package.json'),
    JSON.stringify({ name: 'electron', type: 'module', main: 'electron-stand-in.js' }),
  )
  await cp(path.join(loadingPath, 'electron-stand-in.js'), path.join(electron, 'electron-stand-in.js'))
  await cp(path.join(loadingPath, 'load.mjs'), path.join(project, 'load.mjs'))

  const commands = packages.flatMap(({ manifest }) =>
    Object.values(binSchema.parse(manifest['bin']) ?? {}).map((file) => [
      path.join(modules, manifest.name, file),
      '--help',
    ]),
  )
  const faults: string[] = []
  for (const command of [[path.join(project, 'load.mjs')], ...commands]) {
    const failure = await failureOf([process.execPath, ...command], { NO_COLOR: '1' })
    if (failure !== null) faults.push(failure)
  }
  return faults
}
