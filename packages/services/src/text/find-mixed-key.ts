import { findCustomKey } from './find-custom-key.ts'
import { type FoundLicenseKey, findLicenseKey } from './find-license-key.ts'
import { groupedForm } from './grouped-form.ts'

/** Words that introduce a license key, in the languages of the activation window. "licen" covers eight of them. */
const licenseWords =
  'licen|lizenz|\u30e9\u30a4\u30bb\u30f3\u30b9|\u8bb8\u53ef|\u6388\u6743|\u6fc0\u6d3b|\ub77c\uc774\uc120\uc2a4|\ub77c\uc774\uc13c\uc2a4|\u062a\u0631\u062e\u064a\u0635'

/**
 * Finds a license key that has one of several forms, or any other. An order number may have one of them, too. So the only
 * key that a word such as "license" introduces wins, on its line or on the line above.
 *
 * @param forms patterns that only keys have, tried in this order.
 */
export function findMixedKey(text: string, forms: readonly RegExp[]): FoundLicenseKey {
  const found = findCustomKey(text, [...forms, groupedForm()])
  if (!new RegExp(licenseWords, 'iu').test(text)) return found
  const clear = findLicenseKey(text, forms.map(introduced))
  if (clear.ok) return clear
  const grouped = findLicenseKey(text, [introduced(groupedForm())])
  if (!grouped.ok || (found.ok && found.licenseKey === grouped.licenseKey)) return found
  // The name of a product may have groups, too.
  return found.ok ? { ok: false, code: 'several-license-keys' } : grouped
}

/** Matches a key only after a license word. With a digit between them, the word may introduce something else. */
function introduced({ source }: RegExp): RegExp {
  const before = `(?<=(?:${licenseWords})[^\\r\\n\\d]{0,99}[\\r\\n]*[^\\S\\r\\n]*)`
  // Looks back only from where a key begins. From every character, it would take ten times as long.
  return new RegExp(`(?=${source})${before}${source}`, 'giu')
}
