/** What a pasted text holds. */
export type FoundLicenseKey =
  | { readonly ok: true; readonly licenseKey: string }
  | {
      readonly ok: false
      readonly code: 'empty-text' | 'no-license-key' | 'several-license-keys' | 'text-too-long'
    }

/** Longest text that is searched, in UTF-16 units. */
const maxTextLength = 10_000

// Zero-width and formatting characters that mail clients and web pages leave inside a copied key.
const invisible = /\p{Default_Ignorable_Code_Point}/gu
// Word processors turn hyphens into these.
const dashes = /[\u2010-\u2015\u2212\uFE58\uFE63\uFF0D]/gu

/** A UUID; `space` is what may stand between its characters. */
function uuid(space: string): string {
  return [8, 4, 4, 4, 12].map((digits) => `[\\da-fA-F]${space}`.repeat(digits)).join(`-${space}`)
}

function standingAlone(pattern: string): RegExp {
  return new RegExp(`(?<![\\w-])${pattern}(?![\\w-])`, 'gu')
}

/** A UUID by itself, then one broken by white space, as a narrow e-mail column does. */
export const uuidForms: readonly RegExp[] = [standingAlone(uuid('')), standingAlone(uuid('\\s*'))]

/** The same after a prefix such as `INKWELL-`. */
export const prefixedUuidForms: readonly RegExp[] = [
  standingAlone(`(?:[\\w.]{1,40}-){0,4}?${uuid('')}`),
  standingAlone(`(?:[\\w.]{1,40}-){0,4}?${uuid('\\s*')}`),
]

/** Groups of letters and digits, for keys of no known form: at least 12 characters with both of them. */
export const groupedForm: RegExp = standingAlone(
  '(?=[\\w-]{12})(?=[\\w-]*\\d)(?=[\\w-]*[A-Za-z])[A-Za-z\\d]+(?:-[A-Za-z\\d]+)+',
)

/**
 * Takes the license key out of a pasted text, never changing its case. The same key twice counts as one.
 *
 * @param forms tried in this order; the first one that occurs decides.
 * @param takesAnyText whether a text without white space that has none of the forms is a key all the same.
 */
export function findLicenseKey(
  text: string,
  forms: readonly RegExp[],
  takesAnyText = false,
): FoundLicenseKey {
  if (text.length > maxTextLength) return { ok: false, code: 'text-too-long' }
  const visible = text.replace(invisible, '').replace(dashes, '-').trim()
  if (visible === '') return { ok: false, code: 'empty-text' }
  for (const form of forms) {
    const keys = new Set(Array.from(visible.matchAll(form), ([key]) => key.replace(/\s/gu, '')))
    const [licenseKey, ...others] = keys
    if (licenseKey !== undefined) {
      return others.length > 0 ? { ok: false, code: 'several-license-keys' } : { ok: true, licenseKey }
    }
  }
  const bare = visible.replace(/^["'<(]+|["'>),;]+$/gu, '')
  return takesAnyText && /^\S{4,}$/u.test(bare)
    ? { ok: true, licenseKey: bare }
    : { ok: false, code: 'no-license-key' }
}
