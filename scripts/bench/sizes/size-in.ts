import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { BenchReport } from '../report.ts'
import { type BundleOptions, type BundleSize, bundleSize } from './bundle-size.ts'
import type { InstalledForSize } from './install-for-size.ts'

/** Modules an app has without any of the measured packages. */
export const hasAnyway: readonly string[] = ['electron', 'electron-updater']

/** Bundles everything a module exports, from where the package is installed. */
export async function sizeIn(
  { folder }: InstalledForSize,
  name: string,
  options: Omit<BundleOptions, 'entry'> = {},
): Promise<BundleSize> {
  const isCommonJs = name.endsWith('.cjs')
  const entry = path.join(folder, isCommonJs ? 'entry.cjs' : 'entry.js')
  const specifier = JSON.stringify(name)
  // Some packages only have a default export, and the exports of CommonJS ones vary.
  const exportAll = name.startsWith('@latchkey/')
    ? `export * from ${specifier}`
    : `import * as all from ${specifier}\nexport { all }`
  const code = isCommonJs ? `module.exports = require(${specifier})` : exportAll
  await writeFile(entry, code)
  return bundleSize({ entry, external: hasAnyway, ...options })
}

/** The whole compressed size in bytes, including what loads later. */
export function total({ gzip, laterGzip }: BundleSize): number {
  return gzip + laterGzip
}

/** Formats a size in kB. */
export function tell(report: BenchReport, name: string, bytes: number, note: string): void {
  report.figure(name, Number((bytes / 1000).toFixed(1)), 'kB', note)
}

/** Formats a size for a sentence. */
export function kilobytes(bytes: number): string {
  return `${(bytes / 1000).toFixed(1)} kB`
}
