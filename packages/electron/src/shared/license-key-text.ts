import { unicodeClass } from './unicode-class.ts'

/** Longest text that is searched for a license key, in UTF-16 units. */
export const maxLicenseTextLength = 10_000

/** Longest text that is searched for an answer to an offline request, in UTF-16 units. */
export const maxOfflineTextLength = 50_000

/** The result of searching pasted text for a license key. */
export type LicenseKeyText =
  | { readonly ok: true; readonly licenseKey: string }
  | {
      readonly ok: false
      readonly code: 'empty-text' | 'no-license-key' | 'several-license-keys' | 'text-too-long'
    }

// Word processors replace hyphens with these.
const dashes = /[\u2010-\u2015\u2212\uFE58\uFE63\uFF0D]/gu
/** Matches a UUID; `gap` may follow each of its characters. Every launch loads this file, so it is created when needed. */
const uuidWith = (gap: string): RegExp => {
  const groups = [8, 4, 4, 4, 12].map((digits) => `(?:[0-9a-f]${gap}){${digits}}`)
  return new RegExp(`(?<![0-9a-f])${groups.join(`-${gap}`)}(?![0-9a-f])`, 'giu')
}
// Words that introduce a license key, in the languages of the activation window. "licen" covers eight of them. As
// strings, because bundlers escape those: with one such letter in a bundle, V8 needs two bytes for each of its letters.
const licenseWords = [
  'licen',
  'lizenz',
  'ライセンス',
  '许可',
  '授权',
  '激活',
  '라이선스',
  '라이센스',
  'ترخيص',
]

/** A key in a text, and the text before it. */
export interface FoundLicenseKey {
  readonly licenseKey: string
  /** The text before the key on its line, or the line above if there is none; may be empty. */
  readonly label: string
}

/**
 * Finds the license key (a UUID) in pasted text, despite spaces, line breaks, zero-width characters, or a sentence or
 * link around it. The same key twice counts as one. If there are several keys, as in an email with an order number, it
 * picks the only one introduced by a word such as "license". Returns the key in lower case.
 */
export function readLicenseKeyText(text: string): LicenseKeyText {
  if (text.length > maxLicenseTextLength) return { ok: false, code: 'text-too-long' }
  if (visibleText(text).trim() === '') return { ok: false, code: 'empty-text' }

  const found = findLicenseKeys(text)
  const labeled = found.filter(({ label }) => hasLicenseWord(label))
  const [only, ...others] = labeled.length === 1 ? labeled : found
  if (only === undefined) return { ok: false, code: 'no-license-key' }
  return others.length > 0
    ? { ok: false, code: 'several-license-keys' }
    : { ok: true, licenseKey: only.licenseKey }
}

/** Finds every license key in a text, each once, in the order of the text. */
export function findLicenseKeys(text: string): readonly FoundLicenseKey[] {
  const visible = visibleText(text)
  const whole = [...visible.matchAll(uuidWith(''))]
  const found = new Map<string, string>()
  let end = 0
  // White space may break a key anywhere, as in a narrow column of an email.
  for (const { 0: match, index } of whole.length > 0 ? whole : visible.matchAll(uuidWith('\\s*'))) {
    const licenseKey = match.replace(/\s/gu, '').toLowerCase()
    const label = labelIn(visible.slice(end, index))
    // If a key appears twice, keep the place that introduces it as a license.
    if (!found.has(licenseKey) || hasLicenseWord(label)) found.set(licenseKey, label)
    end = index + match.length
  }
  return Array.from(found, ([licenseKey, label]) => ({ licenseKey, label }))
}

function hasLicenseWord(text: string): boolean {
  return new RegExp(licenseWords.join('|'), 'iu').test(text)
}

/** Returns the last line that contains letters or digits, without the punctuation around it. */
function labelIn(text: string): string {
  const line =
    text
      .trimEnd()
      .split(/[\r\n]/u)
      .at(-1) ?? ''
  const seen = `[${unicodeClass('L')}${unicodeClass('N')}]`
  // From the first to the last of them. Removing what is around them would try every character of a long row of dashes.
  return new RegExp(`${seen}(?:.*${seen})?`, 'su').exec(line)?.[0] ?? ''
}

function visibleText(text: string): string {
  // Default ignorable code points: zero-width and formatting characters that mail clients and web pages leave inside a
  // copied key.
  const invisible = new RegExp(unicodeClass('DI'), 'gu')
  return text.normalize('NFKC').replace(invisible, '').replace(dashes, '-')
}

/**
 * Shows the first and last characters of a license key: enough to recognize it, too few to use it. Fewer for short
 * keys.
 */
export function maskLicenseKey(licenseKey: string): string {
  const shown = Math.min(4, Math.floor(licenseKey.length / 6))
  return shown === 0 ? '••••' : `${licenseKey.slice(0, shown)}••••${licenseKey.slice(-shown)}`
}
