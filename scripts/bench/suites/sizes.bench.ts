import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import * as z from 'zod/mini'
import { repositoryRoot } from '../../repository.ts'
import type { BenchReport } from '../report.ts'

const manifestSchema = z.object({
  name: z.string(),
  private: z.optional(z.boolean()),
  exports: z.optional(z.record(z.string(), z.unknown())),
})
const targetSchema = z.union([
  z.string(),
  z.pipe(
    z.object({ default: z.string() }),
    z.transform((it) => it.default),
  ),
])

/** Rooms that end up in a page; all others run on Node. */
const browserSubpaths = new Set(['@latchkey/electron/renderer', '@latchkey/electron/dialog'])

/** What each subpath weighs with everything it imports, minified and gzipped, Electron and Node left out. */
export async function bench(report: BenchReport): Promise<void> {
  report.section('Size of each subpath with all its dependencies (esbuild, minified)')
  for (const { subpath, file } of await publishedSubpaths()) {
    const code = await bundle(file, browserSubpaths.has(subpath))
    const minified = `${(code.byteLength / 1000).toFixed(1)} kB before gzip`
    report.figure(subpath, gzipSync(code, { level: 9 }).byteLength / 1000, 'kB', minified)
  }
}

async function publishedSubpaths(): Promise<{ subpath: string; file: string }[]> {
  const found: { subpath: string; file: string }[] = []
  const packagesPath = path.join(repositoryRoot, 'packages')
  for (const folder of (await readdir(packagesPath)).sort()) {
    const manifestText = await readFile(path.join(packagesPath, folder, 'package.json'), 'utf8').catch(
      () => null,
    )
    if (manifestText === null) continue
    const manifest = manifestSchema.parse(JSON.parse(manifestText))
    for (const [key, target] of Object.entries(manifest.exports ?? {})) {
      const file = targetSchema.safeParse(target)
      if (!file.success || !/\.[cm]?js$/.test(file.data)) continue
      const subpath = path.posix.join(manifest.name, key)
      found.push({ subpath, file: path.join(packagesPath, folder, file.data) })
    }
  }
  return found
}

async function bundle(file: string, forBrowser: boolean): Promise<Uint8Array> {
  const result = await build({
    entryPoints: [file],
    bundle: true,
    minify: true,
    write: false,
    format: file.endsWith('.cjs') ? 'cjs' : 'esm',
    platform: forBrowser ? 'browser' : 'node',
    target: 'es2022',
    external: ['electron'],
    legalComments: 'none',
    logLevel: 'error',
  })
  return result.outputFiles[0]?.contents ?? new Uint8Array()
}
