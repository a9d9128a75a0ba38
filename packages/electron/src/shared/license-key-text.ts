/** Longest text that is searched for a license key, in UTF-16 units. */
export const maxLicenseTextLength = 10_000

/** What a pasted text holds. */
export type LicenseKeyText =
  | { readonly ok: true; readonly licenseKey: string }
  | {
      readonly ok: false
      readonly code: 'empty-text' | 'no-license-key' | 'several-license-keys' | 'text-too-long'
    }

// Zero-width and formatting characters that mail clients and web pages leave inside a copied key.
const invisible = /\p{Default_Ignorable_Code_Point}/gu
// Word processors turn hyphens into these.
const dashes = /[\u2010-\u2015\u2212\uFE58\uFE63\uFF0D]/gu
const uuid = /(?<![0-9a-f])[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(?![0-9a-f])/giu
// The same, broken by white space anywhere, as a narrow e-mail column does.
const brokenUuid = new RegExp(
  `(?<![0-9a-f])${[8, 4, 4, 4, 12].map((digits) => '[0-9a-f]\\s*'.repeat(digits)).join('-\\s*')}(?![0-9a-f])`,
  'giu',
)

/**
 * Takes the license key (a UUID) out of whatever was pasted: spaces, line breaks, zero-width characters, a
 * sentence or a link around it. The same key twice counts as one. The key comes back in lower case.
 */
export function readLicenseKeyText(text: string): LicenseKeyText {
  if (text.length > maxLicenseTextLength) return { ok: false, code: 'text-too-long' }
  const visible = text.normalize('NFKC').replace(invisible, '').replace(dashes, '-')
  if (visible.trim() === '') return { ok: false, code: 'empty-text' }

  const whole = distinctKeys(visible, uuid)
  const [licenseKey, ...others] = whole.length > 0 ? whole : distinctKeys(visible, brokenUuid)
  if (licenseKey === undefined) return { ok: false, code: 'no-license-key' }
  return others.length > 0 ? { ok: false, code: 'several-license-keys' } : { ok: true, licenseKey }
}

function distinctKeys(text: string, pattern: RegExp): readonly string[] {
  return [...new Set(Array.from(text.matchAll(pattern), ([key]) => key.replace(/\s/gu, '').toLowerCase()))]
}

/** First and last characters of a license key, enough to recognise it and too few to use it. */
export function maskLicenseKey(licenseKey: string): string {
  return `${licenseKey.slice(0, 4)}••••${licenseKey.slice(-4)}`
}
