import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { type LocalRegistry, startLocalRegistry } from '../../packages/local-registry.ts'
import { type PackedPackage, packPackages } from '../../packages/packed-package.ts'
import type { BenchReport } from '../report.ts'
import { type BundleOptions, type BundleSize, bundleSize } from '../sizes/bundle-size.ts'
import { type InstalledForSize, installForSize } from '../sizes/install-for-size.ts'

/** What lands in an app; the other packages run on a server or a developer's machine. */
const inAnApp = ['@latchkey/electron', '@latchkey/commerce']
const inAPage = new Set(['@latchkey/electron/renderer', '@latchkey/electron/dialog'])
const mainSubpath = '@latchkey/electron/main'
const runtimeDependencies = ['ky', 'node-machine-id', 'zod/mini']
/** What others offer for the same purpose, as it is on the registry. */
const alternatives = [
  {
    name: '@anystack/electron-license',
    holds: 'excludes its window, a page that is loaded from files',
  },
  { name: 'electron-license-kit', holds: 'it has no activation window' },
]
const hasAnyway = ['electron', 'electron-updater']

/** What Latchkey weighs, whole and in parts, beside others measured in the same way. */
export async function bench(report: BenchReport): Promise<void> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'latchkey-sizes-'))
  let registry: LocalRegistry | undefined
  try {
    const packages = await packPackages(folder)
    registry = await startLocalRegistry(packages)
    const ours = await installForSize(folder, '@latchkey/electron', registry.url)
    const main = await sizeIn(ours, mainSubpath)

    await tellSubpaths(report, packages, ours)
    await tellDependencies(report, ours, main)
    await tellAlternatives(report, folder, registry.url, ours, main)
  } finally {
    await registry?.close()
    await rm(folder, { recursive: true, force: true })
  }
}

async function tellSubpaths(
  report: BenchReport,
  packages: readonly PackedPackage[],
  ours: InstalledForSize,
): Promise<void> {
  report.section('Each subpath with everything it imports')
  for (const { manifest } of packages.filter(({ manifest: { name } }) => inAnApp.includes(name))) {
    for (const key of Object.keys(manifest.exports ?? {})) {
      const subpath = path.posix.join(manifest.name, key)
      // The root entry only says which subpath to take.
      if (subpath === '@latchkey/electron' || key.endsWith('.json')) continue
      const size = await sizeIn(ours, subpath, { forBrowser: inAPage.has(subpath) })
      const later = size.laterGzip === 0 ? '' : `; ${kilobytes(size.laterGzip)} more on demand`
      tell(report, subpath, size.gzip, `${kilobytes(size.minified)} before gzip${later}`)
    }
  }
  report.say(
    'Loaded on demand: what only the first write needs, and in your own pages every language except English.',
  )
}

async function tellDependencies(
  report: BenchReport,
  ours: InstalledForSize,
  main: BundleSize,
): Promise<void> {
  report.section('What each runtime dependency adds')
  for (const name of runtimeDependencies) {
    const without = await sizeIn(ours, mainSubpath, { external: [...hasAnyway, name] })
    const added = total(main) - total(without)
    const whole = await sizeIn(ours, name)
    tell(report, name, added, `to ${mainSubpath}; ${kilobytes(total(whole))} with everything it has`)
  }
}

async function tellAlternatives(
  report: BenchReport,
  folder: string,
  registryUrl: string,
  ours: InstalledForSize,
  main: BundleSize,
): Promise<void> {
  report.section('What each package adds to the main process')
  const latchkey = {
    name: '@latchkey/electron',
    holds: 'includes the activation window in twelve languages',
    installed: ours,
    size: main,
  }
  const others: (typeof latchkey)[] = []
  for (const { name, holds } of alternatives) {
    const installed = await installForSize(folder, name, registryUrl)
    others.push({ name, holds, installed, size: await sizeIn(installed, name) })
  }
  for (const { name, holds, installed, size } of [latchkey, ...others]) {
    const title = `${name} ${installed.version}`
    tell(report, title, total(size), `bundled, everything it may load; ${holds}`)
    report.figure(title, installed.packages, '', 'dependencies at any depth, without peer dependencies')
    report.figure(title, installed.onDisk / 1_000_000, 'MB', 'on disk, installed')
  }
}

function total({ gzip, laterGzip }: BundleSize): number {
  return gzip + laterGzip
}

/** Bundles everything a module exports, from where the package is installed. */
async function sizeIn(
  { folder }: InstalledForSize,
  name: string,
  options: Omit<BundleOptions, 'entry'> = {},
): Promise<BundleSize> {
  const isCommonJs = name.endsWith('.cjs')
  const entry = path.join(folder, isCommonJs ? 'entry.cjs' : 'entry.js')
  const specifier = JSON.stringify(name)
  // Some have but a default export, and those that are CommonJS have whatever they have.
  const exportAll = name.startsWith('@latchkey/')
    ? `export * from ${specifier}`
    : `import * as all from ${specifier}\nexport { all }`
  const code = isCommonJs ? `module.exports = require(${specifier})` : exportAll
  await writeFile(entry, code)
  return bundleSize({ entry, external: hasAnyway, ...options })
}

function tell(report: BenchReport, name: string, bytes: number, note: string): void {
  report.figure(name, Number((bytes / 1000).toFixed(1)), 'kB', note)
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1000).toFixed(1)} kB`
}
