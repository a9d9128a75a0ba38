import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { type LocalRegistry, startLocalRegistry } from '../../packages/local-registry.ts'
import { type PackedPackage, packPackages } from '../../packages/packed-package.ts'
import type { BenchReport } from '../report.ts'
import {
  type BundleSize,
  hasAnyway,
  type InstalledForSize,
  installForSize,
  kilobytes,
  sizeIn,
  tell,
  total,
} from '../sizes.ts'

/** What becomes part of an app. The other packages run on a server or a developer's machine. */
const inAnApp = ['@latchkey/electron', '@latchkey/commerce']
const inAPage = new Set(['@latchkey/electron/renderer', '@latchkey/electron/dialog'])
const mainSubpath = '@latchkey/electron/main'
const runtimeDependencies = ['node-machine-id', 'zod/mini']

/** The size of Latchkey and of its parts; `peers.bench.ts` measures other packages in the same way. */
export async function bench(report: BenchReport): Promise<void> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'latchkey-sizes-'))
  let registry: LocalRegistry | undefined
  try {
    const packages = await packPackages(folder)
    registry = await startLocalRegistry(packages)
    const ours = await installForSize(folder, '@latchkey/electron', registry.url)
    const main = await sizeIn(ours, mainSubpath)

    report.section('What an activated launch loads')
    tell(report, 'before the first window', main.gzip, 'the goal is 45 kB at most')
    tell(report, 'everything it may load', total(main), 'includes the activation window in twelve languages')
    report.figure('on disk, with dependencies', ours.onDisk / 1_000_000, 'MB', 'the goal is less than 8 MB')

    await tellSubpaths(report, packages, ours)
    await tellDependencies(report, ours, main)
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
      // The root entry only says which subpath to use.
      if (subpath === '@latchkey/electron' || key.endsWith('.json')) continue
      const size = await sizeIn(ours, subpath, { forBrowser: inAPage.has(subpath) })
      const later = size.laterGzip === 0 ? '' : `; ${kilobytes(size.laterGzip)} more on demand`
      tell(report, subpath, size.gzip, `${kilobytes(size.minified)} before gzip${later}`)
    }
  }
  report.say(
    'Loaded on demand: the activation window, its languages and the requests; in your own pages, every language except English.',
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
