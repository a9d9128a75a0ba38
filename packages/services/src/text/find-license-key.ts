/** The license key in a pasted text, or why there is none. */
export type FoundLicenseKey =
  | { readonly ok: true; readonly licenseKey: string }
  | {
      readonly ok: false
      readonly code: 'empty-text' | 'no-license-key' | 'several-license-keys' | 'text-too-long'
    }

/** Maximum length of a text to search, in UTF-16 units. */
const maxTextLength = 10_000

// Word processors replace hyphens with these.
const dashes = /[\u2010-\u2015\u2212\uFE58\uFE63\uFF0D]/gu

/**
 * Finds the license key in a pasted text, without changing its case. The same key twice counts as one.
 *
 * @param forms patterns, tried in this order. The first one that matches is used.
 * @param takesAnyText whether any text without white space is a key if no form matches.
 */
export function findLicenseKey(
  text: string,
  forms: readonly RegExp[],
  takesAnyText = false,
): FoundLicenseKey {
  if (text.length > maxTextLength) return { ok: false, code: 'text-too-long' }
  // Zero-width and formatting characters that mail clients and web pages leave inside a copied key.
  const invisible = ofUnicode('DI')
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
  return takesAnyText && /^\S{4,2048}$/u.test(bare)
    ? { ok: true, licenseKey: bare }
    : { ok: false, code: 'no-license-key' }
}

/**
 * Matches the characters with a property of Unicode. V8 takes a third of a millisecond for it in a literal, at every
 * launch, so it is put together when it is needed. Minifiers make a literal of `new RegExp` with a constant text.
 */
function ofUnicode(property: string): RegExp {
  return new RegExp(`\\p{${property}}`, 'gu')
}
