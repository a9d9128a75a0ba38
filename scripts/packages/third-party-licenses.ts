import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { Rolldown } from 'tsdown'
import { disallowedLicenses } from '../check/disallowed-licenses.ts'

/**
 * Writes the licenses of all packages in a bundle into a file beside it: their notices belong into every copy.
 *
 * @throws Error if a package has no license file, or if its license requires more than a notice.
 */
export function thirdPartyLicenses(fileName: string): Rolldown.Plugin {
  return {
    name: 'latchkey-third-party-licenses',
    generateBundle(_options, bundle) {
      const folders = new Set<string>()
      for (const output of Object.values(bundle)) {
        if (output.type !== 'chunk') continue
        for (const id of output.moduleIds) {
          const folder = packageFolder(id)
          if (folder !== undefined) folders.add(folder)
          for (const name of embedded[id] ?? []) folders.add(installedFolder(name))
        }
      }
      // Declarations are a build of their own, with nothing in it that runs.
      if (folders.size === 0) return
      const notices = [...folders].map(noticeOf).sort()
      this.emitFile({ type: 'asset', fileName, source: `${notices.join(`\n${'-'.repeat(80)}\n\n`)}` })
    },
  }
}

/** Packages inside the texts that `embeddedTexts` adds, by module. The bundler doesn't see them. */
const embedded: Readonly<Record<string, readonly string[]>> = {
  '\0virtual:latchkey/offline-script': ['qr'],
}

function installedFolder(name: string): string {
  return path.join(import.meta.dirname, 'node_modules', name)
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
