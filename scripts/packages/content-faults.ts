import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { repositoryRoot } from '../workspace/repository.ts'
import type { PackedManifest, PackedPackage } from './packed-package.ts'

const neededFiles = ['LICENSE', 'README.md', 'package.json'] as const
const neededFields = [
  'description',
  'keywords',
  'homepage',
  'bugs',
  'repository',
  'license',
  'engines',
  'type',
  'sideEffects',
  'files',
] as const
/** Packages that contain the code of others. */
const bundling: ReadonlySet<string> = new Set(['@latchkey/cli', '@latchkey/electron'])
/** Files for building or testing a package are of no use to its users. */
const strayFile =
  /(?:^|\/)(?:tests?|bench|src|scripts|node_modules)\/|\.test\.|\.map$|tsconfig|(?<!\.d)\.[cm]?ts$/u

/** Returns what is wrong with the content of a tarball, one sentence each. */
export async function contentFaults({ folder, files, manifest }: PackedPackage): Promise<readonly string[]> {
  const machinePaths = [repositoryRoot, '/node_modules/.pnpm/', 'sourceMappingURL']
  const leaks: string[] = []
  for (const file of files) {
    const text = await readFile(path.join(folder, file), 'utf8')
    for (const trace of machinePaths) {
      if (text.includes(trace)) leaks.push(`${file} contains "${trace}".`)
    }
  }
  const noticesFile = files.find((file) => file.endsWith('/third-party-licenses.txt'))
  const notices = noticesFile === undefined ? '' : await readFile(path.join(folder, noticesFile), 'utf8')
  return [
    ...(bundling.has(manifest.name) ? licenseFaults(manifest, notices) : []),
    ...neededFiles.filter((file) => !files.includes(file)).map((file) => `${file} is missing.`),
    ...files.filter((file) => strayFile.test(file)).map((file) => `${file} does not belong in it.`),
    ...leaks,
    ...manifestFaults(manifest),
  ]
}

/**
 * Returns the third-party packages whose license is missing, one sentence each.
 *
 * @param notices the licenses of what is in the package's bundles; empty without such a file.
 */
function licenseFaults(manifest: PackedManifest, notices: string): readonly string[] {
  return Object.keys(manifest.dependencies ?? {})
    .filter((name) => !name.startsWith('@latchkey/'))
    .filter((name) => !notices.split('\n').some((line) => line.startsWith(`${name} `)))
    .map((name) => `The license of ${name} is not in third-party-licenses.txt.`)
}

/** Returns what is wrong with a published package.json, one sentence each. */
export function manifestFaults(manifest: PackedManifest): readonly string[] {
  const text = JSON.stringify(manifest)
  const provenance = JSON.stringify(manifest['publishConfig'])
  return [
    ...neededFields
      .filter((field) => manifest[field] === undefined)
      .map((field) => `package.json has no ${field}.`),
    ...['workspace:', 'catalog:', 'file:', 'link:']
      .filter((protocol) => text.includes(`"${protocol}`))
      .map((protocol) => `package.json still says "${protocol}".`),
    ...(provenance === JSON.stringify({ access: 'public', provenance: true })
      ? []
      : ['package.json does not ask for public access and provenance.']),
  ]
}
