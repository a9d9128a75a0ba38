import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import * as z from 'zod/mini'
import { repositoryRoot } from '../../workspace/repository.ts'
import type { BenchReport } from '../report.ts'

/** What becomes part of an app. The other packages run on a server or a developer's machine. */
const inAnApp = ['electron', 'commerce']
const inAPage = new Set(['@latchkey/electron/renderer', '@latchkey/electron/dialog'])
const manifestSchema = z.object({ name: z.string(), exports: z.record(z.string(), z.unknown()) })

/** The size of each subpath with everything it imports, as an app's bundler would minify it. */
export async function bench(report: BenchReport): Promise<void> {
  report.section('Each subpath with everything it imports')
  for (const folder of inAnApp) {
    const file = path.join(repositoryRoot, 'packages', folder, 'package.json')
    const manifest = manifestSchema.parse(JSON.parse(await readFile(file, 'utf8')))
    for (const key of Object.keys(manifest.exports)) {
      const subpath = path.posix.join(manifest.name, key)
      // The root entry only says which subpath to use. A ready file isn't bundled.
      if (subpath === '@latchkey/electron' || /\.(?:json|cjs)$/u.test(key)) continue
      const { atOnce, later } = await bundleSize(subpath)
      const note = later === 0 ? undefined : `${kilobytes(later)} kB more on demand`
      report.figure(subpath, kilobytes(atOnce), 'kB', note)
    }
  }
  report.say(
    'Loaded on demand: the activation window, its languages and the requests; in your own pages, every language except English.',
  )
}

/** Bundles everything a module exports. Returns the compressed sizes in bytes: what loads with it, and what loads later. */
async function bundleSize(subpath: string): Promise<{ readonly atOnce: number; readonly later: number }> {
  const { outputFiles, metafile } = await build({
    stdin: { contents: `export * from '${subpath}'`, resolveDir: path.join(repositoryRoot, 'docs') },
    outdir: path.join(repositoryRoot, 'bundle-size'),
    absWorkingDir: repositoryRoot,
    bundle: true,
    minify: true,
    splitting: true,
    write: false,
    metafile: true,
    format: 'esm',
    platform: inAPage.has(subpath) ? 'browser' : 'node',
    // The oldest supported Electron.
    target: ['chrome114', 'node18.15'],
    charset: 'utf8',
    external: ['electron', 'electron-updater'],
    legalComments: 'none',
    logLevel: 'error',
  })
  const loaded = new Set<string>()
  const load = (name: string): void => {
    if (loaded.has(name)) return
    loaded.add(name)
    for (const { kind, path: imported, external } of metafile.outputs[name]?.imports ?? []) {
      if (kind === 'import-statement' && external !== true) load(imported)
    }
  }
  const entries = Object.entries(metafile.outputs)
  load(entries.find(([, { entryPoint }]) => entryPoint === '<stdin>')?.[0] ?? '')
  const sizes = { atOnce: 0, later: 0 }
  for (const file of outputFiles) {
    const name = path.relative(repositoryRoot, file.path).split(path.sep).join('/')
    sizes[loaded.has(name) ? 'atOnce' : 'later'] += gzipSync(file.contents, { level: 9 }).byteLength
  }
  return sizes
}

function kilobytes(bytes: number): number {
  return Number((bytes / 1000).toFixed(1))
}
