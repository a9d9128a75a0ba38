import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'

/** The size of something in an app, in bytes. */
export interface BundleSize {
  /** What loads with it immediately, minified and compressed. */
  readonly gzip: number
  /** The same before compression. */
  readonly minified: number
  /** What a dynamic import loads later, minified and compressed. */
  readonly laterGzip: number
}

/** What to bundle. */
export interface BundleOptions {
  /** The module to start with. */
  readonly entry: string
  /** A page can't use Node. */
  readonly forBrowser?: boolean
  /** Modules the app has anyway. @default electron */
  readonly external?: readonly string[]
}

/** Bundles an entry with all its imports, like an app's build would. */
export async function bundleSize(options: BundleOptions): Promise<BundleSize> {
  const { entry, forBrowser = false, external = ['electron'] } = options
  const root = path.dirname(entry)
  const isCommonJs = entry.endsWith('.cjs')
  const { outputFiles, metafile } = await build({
    entryPoints: [entry],
    outdir: path.join(root, 'bundle-size'),
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    splitting: !isCommonJs,
    format: isCommonJs ? 'cjs' : 'esm',
    platform: forBrowser ? 'browser' : 'node',
    // The oldest supported Electron.
    target: ['chrome114', 'node18.15'],
    charset: 'utf8',
    external: [...external],
    legalComments: 'none',
    logLevel: 'error',
    absWorkingDir: root,
  })
  const outputs = metafile.outputs
  const first = Object.entries(outputs).find(
    ([, { entryPoint }]) => entryPoint !== undefined && path.resolve(root, entryPoint) === entry,
  )?.[0]
  if (first === undefined) throw new Error(`esbuild made nothing of ${entry}.`)

  const atOnce = new Set<string>()
  const load = (name: string): void => {
    if (atOnce.has(name)) return
    atOnce.add(name)
    for (const imported of outputs[name]?.imports ?? []) {
      if (imported.kind === 'import-statement' && imported.external !== true) load(imported.path)
    }
  }
  load(first)

  const isAtOnce = (file: string): boolean => atOnce.has(path.relative(root, file).split(path.sep).join('/'))
  const loaded = outputFiles.filter((file) => isAtOnce(file.path))
  const later = outputFiles.filter((file) => !isAtOnce(file.path))
  const gzip = (files: typeof outputFiles): number =>
    files.reduce((total, { contents }) => total + gzipSync(contents, { level: 9 }).byteLength, 0)

  return {
    gzip: gzip(loaded),
    minified: loaded.reduce((total, { contents }) => total + contents.byteLength, 0),
    laterGzip: gzip(later),
  }
}
