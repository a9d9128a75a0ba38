import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { Rolldown } from 'tsdown'

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
    throw new Error(
      `${name} is under ${license}, which scripts/packages/third-party-licenses.ts doesn’t allow.`,
    )
  }
  const file = readdirSync(folder).find((entry) =>
    /^(?:license|licence|copying)(?:[-.][\w.-]+)?$/iu.test(entry),
  )
  if (file === undefined) throw new Error(`${name} has no license file: it can't be bundled.`)
  return `${name} ${version}\n\n${readFileSync(path.join(folder, file), 'utf8').trim()}\n`
}

/** Licenses (SPDX) that only require an app's vendor to keep a notice. */
const allowed: ReadonlySet<string> = new Set([
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
])

/** Packages by license, in the format of `pnpm licenses list --json`. */
type LicenseReport = Readonly<Record<string, readonly { readonly name: string }[]>>

/** Returns every package whose license isn't allowed. If a package has a choice, one allowed license is enough. */
export function disallowedLicenses(report: LicenseReport): { name: string; license: string }[] {
  return Object.entries(report)
    .filter(([license]) => !isAllowed(license))
    .flatMap(([license, packages]) => packages.map(({ name }) => ({ name, license })))
}

// This isn't a complete SPDX parser. A person has to review what it doesn't understand.
function isAllowed(license: string): boolean {
  const alternatives = license.replace(/^\((.*)\)$/u, '$1').split(' OR ')
  return alternatives.some((alternative) => allowed.has(alternative))
}
