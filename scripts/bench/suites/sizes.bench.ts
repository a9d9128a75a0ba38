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
  report.section('Size of each subpath with all its dependencies (esbuild, minified, gzip)')
  for (const { subpath, file } of await publishedSubpaths()) {
    const { atOnce, later } = await bundle(file, browserSubpaths.has(subpath))
    const minified = `${kilobytes(size(atOnce)).toFixed(1)} kB before gzip`
    const lazy = later.length === 0 ? '' : `, ${kilobytes(gzipSize(later)).toFixed(1)} kB more on demand`
    report.figure(subpath, kilobytes(gzipSize(atOnce)), 'kB', minified + lazy)
  }
}

type Chunks = readonly Uint8Array[]

function size(chunks: Chunks): number {
  return chunks.reduce((total, chunk) => total + chunk.byteLength, 0)
}

function gzipSize(chunks: Chunks): number {
  return chunks.reduce((total, chunk) => total + gzipSync(chunk, { level: 9 }).byteLength, 0)
}

function kilobytes(bytes: number): number {
  return bytes / 1000
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

/** Chunks that load with the entry, and those that wait for a dynamic import. */
async function bundle(file: string, forBrowser: boolean): Promise<{ atOnce: Chunks; later: Chunks }> {
  const isCommonJs = file.endsWith('.cjs')
  const { outputFiles, metafile } = await build({
    entryPoints: [file],
    outdir: path.join(repositoryRoot, 'out'),
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    splitting: !isCommonJs,
    format: isCommonJs ? 'cjs' : 'esm',
    platform: forBrowser ? 'browser' : 'node',
    target: 'es2022',
    external: ['electron'],
    legalComments: 'none',
    logLevel: 'error',
    absWorkingDir: repositoryRoot,
  })
  const entry = Object.entries(metafile.outputs).find(
    ([, { entryPoint }]) => entryPoint !== undefined && path.resolve(repositoryRoot, entryPoint) === file,
  )?.[0]
  const loaded = new Set<string>()
  const load = (name: string) => {
    if (loaded.has(name)) return
    loaded.add(name)
    for (const imported of metafile.outputs[name]?.imports ?? []) {
      if (imported.kind === 'import-statement' && imported.external !== true) load(imported.path)
    }
  }
  if (entry !== undefined) load(entry)
  const isLoaded = (filePath: string) =>
    loaded.has(path.relative(repositoryRoot, filePath).split(path.sep).join('/'))
  return {
    atOnce: outputFiles.filter((output) => isLoaded(output.path)).map(({ contents }) => contents),
    later: outputFiles.filter((output) => !isLoaded(output.path)).map(({ contents }) => contents),
  }
}
