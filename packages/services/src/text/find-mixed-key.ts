import { findCustomKey } from './find-custom-key.ts'
import { type FoundLicenseKey, findLicenseKey } from './find-license-key.ts'

/** Words that introduce a license key, in the languages of the activation window. "licen" covers eight of them. */
const licenseWords =
  'licen|lizenz|\u30e9\u30a4\u30bb\u30f3\u30b9|\u8bb8\u53ef|\u6388\u6743|\u6fc0\u6d3b|\ub77c\uc774\uc120\uc2a4|\ub77c\uc774\uc13c\uc2a4|\u062a\u0631\u062e\u064a\u0635'

/**
 * Finds a license key of one of several forms, or of any other. The only one that a word such as "license" introduces
 * wins, on its line or on the line above: an order number may have one of the other forms.
 *
 * @param forms patterns, tried in this order. The first one that matches is used.
 */
export function findMixedKey(text: string, forms: readonly RegExp[]): FoundLicenseKey {
  // With a digit between them, the word may introduce something else.
  const before = `(?<=(?:${licenseWords})[^\\r\\n\\d]{0,99}[\\r\\n]*[^\\S\\r\\n]*)`
  const introduced = findLicenseKey(
    text,
    // Looks back only from where a key begins. From every character, it would take ten times as long.
    forms.map(({ source }) => new RegExp(`(?=${source})${before}${source}`, 'giu')),
  )
  return introduced.ok ? introduced : findCustomKey(text, forms)
}
