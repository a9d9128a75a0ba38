import { ofUnicode } from './of-unicode.ts'

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
 */
export function findLicenseKey(text: string, forms: readonly RegExp[]): FoundLicenseKey {
  if (text.length > maxTextLength) return { ok: false, code: 'text-too-long' }
  // Zero-width and formatting characters that mail clients and web pages leave inside a copied key.
  const invisible = new RegExp(ofUnicode('DI'), 'gu')
  const visible = text.replace(invisible, '').replace(dashes, '-').trim()
  if (visible === '') return { ok: false, code: 'empty-text' }
  for (const form of forms) {
    const keys = new Set(Array.from(visible.matchAll(form), ([key]) => key.replace(/\s/gu, '')))
    const [licenseKey, ...others] = keys
    if (licenseKey !== undefined) {
      return others.length > 0 ? { ok: false, code: 'several-license-keys' } : { ok: true, licenseKey }
    }
  }
  return { ok: false, code: 'no-license-key' }
}
