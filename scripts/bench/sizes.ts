import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import * as z from 'zod/mini'
import { type LocalRegistry, startLocalRegistry } from '../packages/local-registry.ts'
import { packPackages } from '../packages/packed-package.ts'
import { runTool } from '../workspace/run-tool.ts'
import { peers } from './peers/notebooks.ts'
import type { BenchReport } from './report.ts'

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
interface BundleOptions {
  /** The module to start with. */
  readonly entry: string
  /** A page can't use Node. */
  readonly forBrowser?: boolean
  /** Modules the app has anyway. @default electron */
  readonly external?: readonly string[]
}

/** Bundles an entry with all its imports, like an app's build would. */
async function bundleSize(options: BundleOptions): Promise<BundleSize> {
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

const lockSchema = z.object({ packages: z.record(z.string(), z.object({ version: z.optional(z.string()) })) })

/** A package installed by npm into its own folder. */
export interface InstalledForSize {
  readonly folder: string
  readonly version: string
  /** The number of packages installed with it, without itself and without what the app has anyway. */
  readonly packages: number
  /** The size of all of it on disk, in bytes. */
  readonly onDisk: number
}

/** Installs a package without its peers: this version, or the newest. Our own packages come from a local registry. */
export async function installForSize(
  root: string,
  name: string,
  registryUrl: string,
  version = 'latest',
): Promise<InstalledForSize> {
  const folder = path.join(root, name.replace('/', '-'))
  await mkdir(folder, { recursive: true })
  await writeFile(path.join(folder, 'package.json'), JSON.stringify({ name: 'size', private: true }))
  await writeFile(path.join(folder, '.npmrc'), `@latchkey:registry=${registryUrl}\n`)
  const flags = ['--no-audit', '--no-fund', '--ignore-scripts', '--legacy-peer-deps', '--prefer-offline']
  await runTool(['npm', 'install', `${name}@${version}`, ...flags], folder)

  const lockText = await readFile(path.join(folder, 'node_modules', '.package-lock.json'), 'utf8')
  const { packages } = lockSchema.parse(JSON.parse(lockText))
  return {
    folder,
    version: packages[`node_modules/${name}`]?.version ?? 'unknown',
    packages: Object.keys(packages).length - 1,
    onDisk: await sizeOf(path.join(folder, 'node_modules')),
  }
}

async function sizeOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const sizes = entries
    .filter((entry) => entry.isFile())
    .map(async (entry) => (await stat(path.join(entry.parentPath, entry.name))).size)
  return (await Promise.all(sizes)).reduce((total, size) => total + size, 0)
}

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

const latchkey = {
  name: '@latchkey/electron',
  module: '@latchkey/electron/main',
  version: undefined,
  screenFolder: undefined,
  holds: 'includes the activation window in twelve languages',
}

/** Reports what Latchkey and each peer add to the main process and to the disk. */
export async function tellPeerSizes(report: BenchReport, folder: string): Promise<void> {
  let registry: LocalRegistry | undefined
  try {
    registry = await startLocalRegistry(await packPackages(folder))
    report.section('What each package adds to the main process')
    for (const it of [
      latchkey,
      ...peers.map((peer) => ({ screenFolder: undefined, ...peer, module: peer.name })),
    ]) {
      const installed = await installForSize(folder, it.name, registry.url, it.version)
      const size = await sizeIn(installed, it.module)
      const title = `${it.name} ${installed.version}`
      tell(report, title, total(size), `bundled, everything it may load; ${it.holds}`)
      tell(report, title, size.gzip, 'the part that is loaded at every launch')
      if (it.screenFolder !== undefined) {
        const screen = path.join(installed.folder, 'node_modules', it.name, it.screenFolder)
        tell(report, title, await gzipOf(screen), 'the files of its activation window')
      }
      report.figure(title, installed.packages, '', 'dependencies at any depth, without peer dependencies')
      report.figure(title, installed.onDisk / 1_000_000, 'MB', 'on disk, installed')
    }
  } finally {
    await registry?.close()
  }
}

/** Returns the size of a folder's files, each compressed, in bytes. */
async function gzipOf(folder: string): Promise<number> {
  const names = await readdir(folder)
  const files = await Promise.all(names.map((name) => readFile(path.join(folder, name))))
  return files.reduce((size, file) => size + gzipSync(file, { level: 9 }).byteLength, 0)
}
