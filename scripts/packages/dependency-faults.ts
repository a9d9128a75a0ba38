import { readFile } from 'node:fs/promises'
import path from 'node:path'
import semver from 'semver'
import * as z from 'zod/mini'
import { repositoryRoot } from '../workspace/repository.ts'
import type { PackedManifest } from './packed-package.ts'

const ownScope = '@latchkey/'
/** The only third-party packages that an app gets by installing the helper. */
const mostDependenciesInAnApp = 5

const enginesSchema = z.object({ engines: z.optional(z.object({ node: z.optional(z.string()) })) })

/**
 * Returns the names of all third-party packages that a package depends on, directly or through our own packages.
 *
 * @throws Error if one of our own packages is missing from those given.
 */
export function dependenciesOfOthers(
  name: string,
  manifests: readonly PackedManifest[],
): ReadonlySet<string> {
  const manifest = manifests.find((candidate) => candidate.name === name)
  if (manifest === undefined) throw new Error(`${name} was not packed.`)
  const names = Object.keys(manifest.dependencies ?? {})
  const nested = names
    .filter((dependency) => dependency.startsWith(ownScope))
    .flatMap((dependency) => [...dependenciesOfOthers(dependency, manifests)])
  return new Set([...names.filter((dependency) => !dependency.startsWith(ownScope)), ...nested])
}

/** Whether the helper brings more into an app than it promises. */
export function appDependencyFaults(manifests: readonly PackedManifest[]): readonly string[] {
  const names = [...dependenciesOfOthers('@latchkey/electron', manifests)].sort()
  if (names.length <= mostDependenciesInAnApp) return []
  return [`@latchkey/electron brings ${names.length} runtime dependencies into an app: ${names.join(', ')}.`]
}

/** Returns the dependencies that need a newer Node than the package that depends on them. */
export async function engineFaults(manifest: PackedManifest): Promise<readonly string[]> {
  const range = manifest.engines?.node
  const floor = range === undefined ? null : semver.minVersion(range)
  if (floor === null) return ['package.json does not say which Node it needs.']
  const faults: string[] = []
  for (const dependency of Object.keys(manifest.dependencies ?? {})) {
    const needed = await nodeNeededBy(manifest.name, dependency)
    if (needed === undefined || semver.satisfies(floor, needed)) continue
    faults.push(`It claims to run on Node ${range}, and its dependency ${dependency} on ${needed} only.`)
  }
  return faults
}

async function nodeNeededBy(name: string, dependency: string): Promise<string | undefined> {
  const folder = path.join(
    repositoryRoot,
    'packages',
    name.slice(ownScope.length),
    'node_modules',
    dependency,
  )
  const text = await readFile(path.join(folder, 'package.json'), 'utf8')
  return enginesSchema.parse(JSON.parse(text)).engines?.node
}
