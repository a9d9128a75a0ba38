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
export type LicenseReport = Readonly<Record<string, readonly { readonly name: string }[]>>

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
