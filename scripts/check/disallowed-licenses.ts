/** Licenses (SPDX) that ask no more of an app's vendor than to keep a notice. */
const allowed: ReadonlySet<string> = new Set([
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
])

/** Packages by license, as `pnpm licenses list --json` groups them. */
export type LicenseReport = Readonly<Record<string, readonly { readonly name: string }[]>>

/** Every package under a license that is not allowed; of several to choose from, one has to be. */
export function disallowedLicenses(report: LicenseReport): { name: string; license: string }[] {
  return Object.entries(report)
    .filter(([license]) => !isAllowed(license))
    .flatMap(([license, packages]) => packages.map(({ name }) => ({ name, license })))
}

// No parser of whole SPDX expressions: what it does not understand, somebody has to look at.
function isAllowed(license: string): boolean {
  const alternatives = license.replace(/^\((.*)\)$/u, '$1').split(' OR ')
  return alternatives.some((alternative) => allowed.has(alternative))
}
