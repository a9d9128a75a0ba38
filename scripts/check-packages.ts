import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { failureOf } from './check/failure-of.ts'
import { tellFaults } from './check/tell-faults.ts'
import { contentFaults } from './packages/content-faults.ts'
import { appDependencyFaults, engineFaults } from './packages/dependency-faults.ts'
import { loadFaults } from './packages/load-faults.ts'
import { type PackedPackage, packPackages } from './packages/packed-package.ts'
import { publishFaults } from './packages/publish-faults.ts'
import { typeFaultsFromOutside } from './packages/type-check-from-outside.ts'
import { repositoryRoot } from './workspace/repository.ts'

// `pnpm packages`: packs every package as it would be published, and checks what users install.

const modules = path.join(repositoryRoot, 'node_modules')
const publint = [process.execPath, path.join(modules, 'publint', 'src', 'cli.js')]
const attw = [process.execPath, path.join(modules, '@arethetypeswrong', 'cli', 'dist', 'index.js')]

/** Checks one packed package: its exports resolve, and its types match the loaded modules. */
function checksOf({ tarball, manifest }: PackedPackage): readonly (readonly string[])[] {
  const typesCheck = [...attw, tarball]
  return [
    [...publint, 'run', tarball, '--strict'],
    // The ready preload script is only used by its path. It isn't imported, so it has no types.
    [...typesCheck, '--profile', 'esm-only', '--exclude-entrypoints', 'preload.cjs'],
    // What a main process or a preload script without a bundler may load by `require`.
    ...(manifest.name === '@latchkey/electron'
      ? [[...typesCheck, '--profile', 'node16', '--entrypoints', '.', 'main', 'preload', 'updates']]
      : []),
  ]
}

async function commandFaults(command: readonly string[]): Promise<readonly string[]> {
  const failure = await failureOf(command, { NO_COLOR: '1' })
  return failure === null ? [] : [failure]
}

const folder = await mkdtemp(path.join(os.tmpdir(), 'latchkey-packages-'))
try {
  const packages = await packPackages(folder)
  const manifests = packages.map(({ manifest }) => manifest)
  for (const packed of packages) {
    const faults = await Promise.all([
      contentFaults(packed),
      engineFaults(packed.manifest),
      publishFaults(packed.tarball),
      ...checksOf(packed).map(commandFaults),
    ])
    tellFaults(path.basename(packed.tarball), faults.flat())
  }
  tellFaults('what an app gets', appDependencyFaults(manifests))
  tellFaults('loading and starting it', await loadFaults(folder, packages))
  tellFaults('types, seen from outside', await typeFaultsFromOutside(folder, packages))
} finally {
  await rm(folder, { recursive: true, force: true })
}
