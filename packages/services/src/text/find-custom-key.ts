import { type FoundLicenseKey, findLicenseKey } from './find-license-key.ts'
import { ofUnicode } from './of-unicode.ts'

/**
 * Finds a license key that may have any form, such as one that the vendor imported. A text that is one word is the key as
 * a whole, such as `PRO/ABCD-EFGH-1234`, except if it is a link, has a label such as `key=`, or continues a sentence.
 *
 * @param forms patterns, tried in this order. The first one that matches is used.
 */
export function findCustomKey(text: string, forms: readonly RegExp[]): FoundLicenseKey {
  const letter = ofUnicode('IDC')
  // Of scripts without upper case. Many of them write sentences without spaces, also before and after a key.
  const uncased = ofUnicode('Lo')
  const label = `://|=|\\.[a-z]+/|(?:key|code|licen.e|[^\\0-\\x7F]\\w*):|${uncased}\\w|\\w${uncased}`
  // A UUID, or a key that Keygen created, may follow any label.
  const labeledKey = '[^\\s:]*:\\S*(?:[\\da-f]{12}|-v\\d)'
  const word = `(?!\\S*(?:${label})|${labeledKey})${letter}[${letter}.&+!@/:#-]{2,2046}${letter}`
  return findLicenseKey(text, [onlyWord(word), ...forms, onlyWord(`[^\\s"'<(]\\S{2,2046}[^\\s"'>),;]`)])
}

/** Matches a text that is one word, without quotes and brackets around it. */
function onlyWord(pattern: string): RegExp {
  return new RegExp(`(?<=^["'<(]{0,9})${pattern}(?=["'>),;]{0,9}$)`, 'giu')
}
