import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { Rolldown } from 'tsdown'
import { disallowedLicenses } from '../check/disallowed-licenses.ts'

/**
 * Writes the licenses of all packages in a bundle into a file beside it: their notices belong into every copy.
 *
 * @param embedded folders of packages inside the texts that a module contains, which the bundler doesn't see, by the
 * module's ID. Default: none.
 * @throws Error if a package has no license file, or if its license requires more than a notice.
 */
export function thirdPartyLicenses(
  fileName: string,
  embedded: Readonly<Record<string, readonly string[]>> = {},
): Rolldown.Plugin {
  return {
    name: 'latchkey-third-party-licenses',
    generateBundle(_options, bundle) {
      const folders = new Set<string>()
      for (const output of Object.values(bundle)) {
        if (output.type !== 'chunk') continue
        for (const id of output.moduleIds) {
          const own = packageFolder(id)
          if (own !== undefined) folders.add(own)
          for (const folder of embedded[id] ?? []) folders.add(folder)
        }
      }
      // Declarations are a build of their own, with nothing in it that runs.
      if (folders.size === 0) return
      const notices = [...folders].map(noticeOf).sort()
      this.emitFile({ type: 'asset', fileName, source: `${notices.join(`\n${'-'.repeat(80)}\n\n`)}` })
    },
  }
}

/** The innermost installed package a module belongs to; none for this repository's own modules. */
function packageFolder(id: string): string | undefined {
  return /^(?:\0)?(.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+)[\\/]/u.exec(id)?.[1]
}

function noticeOf(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'))
  if (disallowedLicenses({ [String(license)]: [{ name }] }).length > 0) {
    throw new Error(`${name} is under ${license}, which scripts/check/disallowed-licenses.ts does not list.`)
  }
  const file = readdirSync(folder).find((entry) =>
    /^(?:license|licence|copying)(?:[-.][\w.-]+)?$/iu.test(entry),
  )
  if (file === undefined) throw new Error(`${name} has no license file: it can't be bundled.`)
  return `${name} ${version}\n\n${readFileSync(path.join(folder, file), 'utf8').trim()}\n`
}
