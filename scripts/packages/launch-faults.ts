import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { bundleSize } from '../bench/sizes/bundle-size.ts'
import { layNodeModules } from './node-modules.ts'
import type { PackedPackage } from './packed-package.ts'

/** What an activated launch may load at most, minified and compressed, in bytes. */
const mostAtLaunch = 45_000
/** What a page with `<latchkey-activation>` in English may load at most, in the same way. */
const mostInPage = 20_000
/** How many files `require` may load at a launch: the entry, and what it loads at once. */
const mostFilesAtLaunch = 2

/** Whether the packed helper makes an app or a page load more than it promises, bundled by esbuild. */
export async function launchFaults(
  folder: string,
  packages: readonly PackedPackage[],
): Promise<readonly string[]> {
  const project = await mkdtemp(path.join(folder, 'launch-'))
  await layNodeModules(path.join(project, 'node_modules'), packages)
  const sizeOf = async (subpath: string, forBrowser: boolean) => {
    const entry = path.join(project, `${subpath}.js`)
    await writeFile(entry, `export * from '@latchkey/electron/${subpath}'\n`)
    return bundleSize({ entry, forBrowser })
  }
  const { gzip, laterGzip } = await sizeOf('main', false)
  const page = await sizeOf('dialog', true)
  const dist = path.join(project, 'node_modules', '@latchkey', 'electron', 'dist', 'commonjs')
  const files = await loadedAtOnce(dist, 'main.cjs')
  const classes = [...files.values()].flatMap((text) => text.match(unicodeClass) ?? [])
  return [
    ...(files.size > mostFilesAtLaunch
      ? [`A launch with require loads ${files.size} files: ${[...files.keys()].join(', ')}.`]
      : []),
    ...classes.map((found) => `A launch compiles ${found} of a regular expression: use unicodeClass().`),
    ...(gzip > mostAtLaunch
      ? [
          `An activated launch loads ${gzip} bytes (gzip) of @latchkey/electron/main; ${mostAtLaunch} are promised.`,
        ]
      : []),
    ...(page.gzip > mostInPage
      ? [
          `A page with <latchkey-activation> loads ${page.gzip} bytes (gzip) of @latchkey/electron/dialog; ${mostInPage} are promised.`,
        ]
      : []),
    ...(laterGzip === 0 ? ['Nothing of @latchkey/electron/main is loaded on demand.'] : []),
  ]
}

/** A class of Unicode in a regular expression, which V8 compiles with the file. */
const unicodeClass = /(?<!\\)\\[pP]\{\w+\}/gu

/**
 * The files that a CommonJS file loads as soon as it is loaded itself, with their texts. What it imports on demand is in a
 * callback.
 */
async function loadedAtOnce(
  folder: string,
  file: string,
  found = new Map<string, string>(),
): Promise<Map<string, string>> {
  if (found.has(file)) return found
  const text = await readFile(path.join(folder, file), 'utf8')
  found.set(file, text)
  for (const [, name = ''] of text.matchAll(/(?<!=>\s*)require\("\.\/([^"]+)"\)/gu)) {
    await loadedAtOnce(folder, name, found)
  }
  return found
}
