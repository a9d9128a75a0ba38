import { mkdtemp, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { bundleSize } from '../bench/sizes/bundle-size.ts'
import { layNodeModules } from './node-modules.ts'
import type { PackedPackage } from './packed-package.ts'

/** What an activated launch may load at most, minified and compressed, in bytes. The goal is 45,000. */
const mostAtLaunch = 46_000

/** Whether the packed helper makes an app load more at its launch than it promises, bundled by esbuild. */
export async function launchFaults(
  folder: string,
  packages: readonly PackedPackage[],
): Promise<readonly string[]> {
  const project = await mkdtemp(path.join(folder, 'launch-'))
  await layNodeModules(path.join(project, 'node_modules'), packages)
  const entry = path.join(project, 'entry.js')
  await writeFile(entry, "export * from '@latchkey/electron/main'\n")
  const { gzip, laterGzip } = await bundleSize({ entry })
  return [
    ...(gzip > mostAtLaunch
      ? [
          `An activated launch loads ${gzip} bytes (gzip) of @latchkey/electron/main; ${mostAtLaunch} are promised.`,
        ]
      : []),
    ...(laterGzip === 0 ? ['Nothing of @latchkey/electron/main is loaded on demand.'] : []),
  ]
}
