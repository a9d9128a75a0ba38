import { cp, mkdir, symlink } from 'node:fs/promises'
import path from 'node:path'
import { repositoryRoot } from '../workspace/repository.ts'
import type { PackedPackage } from './packed-package.ts'

/** Creates `node_modules` without a registry: the packed packages, and their dependencies from this repository. */
export async function layNodeModules(modules: string, packages: readonly PackedPackage[]): Promise<void> {
  const linked = new Map<string, string>()
  for (const { folder, manifest } of packages) {
    await mkdir(path.join(modules, path.dirname(manifest.name)), { recursive: true })
    await cp(folder, path.join(modules, manifest.name), { recursive: true })
    const source = path.join(repositoryRoot, 'packages', path.basename(manifest.name), 'node_modules')
    for (const name of Object.keys(manifest.dependencies ?? {})) linked.set(name, path.join(source, name))
  }
  for (const name of ['electron', '@types/node']) {
    linked.set(name, path.join(repositoryRoot, 'node_modules', name))
  }
  for (const { manifest } of packages) linked.delete(manifest.name)
  for (const [name, target] of linked) {
    await mkdir(path.dirname(path.join(modules, name)), { recursive: true })
    await symlink(target, path.join(modules, name), 'junction')
  }
}
