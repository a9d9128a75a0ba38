import { type FoundLicenseKey, findLicenseKey } from './find-license-key.ts'
import { casedLetters, ofUnicode } from './of-unicode.ts'

/**
 * Finds a license key that may have any form, such as one that the vendor imported. A text that is one word is the key as
 * a whole, such as `PRO/ABCD-EFGH-1234`, except if it is a link, has a label such as `key:` or `1.`, or continues a sentence.
 *
 * @param forms patterns, tried in this order. The first one that matches is used.
 */
export function findCustomKey(text: string, forms: readonly RegExp[]): FoundLicenseKey {
  const letter = ofUnicode('IDC')
  const uncased = `(?![\\w${casedLetters()}])${letter}`
  // Part of a link, an HTML entity such as `&nbsp;`, or a letter of a sentence beside the key.
  const other = `\\.[a-z]+/|&\\w+;|${uncased}\\w|\\w${uncased}`
  const word = `(?!\\w*\\.|\\S*(?:${other}))${letter}[${letter}.&+!@/-]{2,2046}${letter}`
  return findLicenseKey(text, [onlyWord(word), ...forms, onlyWord(`[^\\s"'<(]\\S{2,2046}[^\\s"'>),;]`)])
}

/** Matches a text that is one word, without quotes and brackets around it. */
function onlyWord(pattern: string): RegExp {
  return new RegExp(`(?<=^["'<(]{0,9})${pattern}(?=["'>),;]{0,9}$)`, 'giu')
}
