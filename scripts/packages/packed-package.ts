import { execFile } from 'node:child_process'
import { mkdir, readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import * as z from 'zod/mini'
import { failureOf } from '../workspace/run-tool.ts'

const run = promisify(execFile)

/** The relevant part of a published package.json. */
interface PackedManifest {
  readonly name: string
  readonly version: string
  readonly dependencies?: Readonly<Record<string, string>> | undefined
  readonly exports?: Readonly<Record<string, unknown>> | undefined
  readonly engines?: { readonly node?: string | undefined } | undefined
  readonly [field: string]: unknown
}

/** A package as it would be published. */
export interface PackedPackage {
  readonly tarball: string
  /** The tarball's content. */
  readonly folder: string
  /** Paths of all its files, relative to the folder, with `/`. */
  readonly files: readonly string[]
  readonly manifest: PackedManifest
}

const manifestSchema: z.ZodMiniType<PackedManifest> = z.looseObject({
  name: z.string(),
  version: z.string(),
  dependencies: z.optional(z.record(z.string(), z.string())),
  exports: z.optional(z.record(z.string(), z.unknown())),
  engines: z.optional(z.object({ node: z.optional(z.string()) })),
})

/**
 * Packs every package of the repository into a folder and unpacks it there.
 *
 * @throws Error with pnpm's output if that fails, or with the missing files if a package isn't built.
 */
export async function packPackages(folder: string): Promise<readonly PackedPackage[]> {
  const pack = ['--recursive', '--filter', './packages/*', 'pack', '--pack-destination', folder]
  const failure = await failureOf(['pnpm', ...pack])
  if (failure !== null) throw new Error(`Packing failed:\n${failure}`)
  const tarballs = (await readdir(folder)).filter((name) => name.endsWith('.tgz')).sort()
  return Promise.all(tarballs.map((name) => unpack(path.join(folder, name))))
}

async function unpack(tarball: string): Promise<PackedPackage> {
  const target = tarball.replace(/\.tgz$/u, '')
  await mkdir(target)
  await run('tar', ['-xzf', tarball, '-C', target])
  const folder = path.join(target, 'package')
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)).split(path.sep).join('/'))
  const manifest = manifestSchema.parse(JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8')))
  const missing = namedFiles([manifest.exports, manifest['bin']]).filter((file) => !files.includes(file))
  if (missing.length > 0) throw new Error(`${manifest.name} isn't built: it lacks ${missing.join(', ')}.`)
  return { tarball, folder, files: files.sort(), manifest }
}

/** The files that a part of package.json refers to. */
function namedFiles(part: unknown): string[] {
  if (typeof part === 'string') return [path.posix.normalize(part)]
  return typeof part === 'object' && part !== null ? Object.values(part).flatMap(namedFiles) : []
}
