import { readKeyAt } from './signed-key.ts'

/** The license key in a pasted text, or why there is none. */
export type FoundLicenseKey =
  | { readonly ok: true; readonly licenseKey: string }
  | {
      readonly ok: false
      readonly code:
        | 'empty-text'
        | 'no-license-key'
        | 'several-license-keys'
        | 'text-too-long'
        | 'incomplete-license-key'
        | 'newer-license-key'
    }
  | {
      readonly ok: false
      readonly code: 'foreign-character'
      /** The character that can't be part of the key, such as a Cyrillic `а` beside Latin letters. */
      readonly character: string
    }

/**
 * What a service's license keys look like:
 *
 * - `uuid`: a UUID.
 * - `prefixed-uuid`: a UUID after an optional prefix such as `INKWELL-`.
 * - `keygen`: a key of Keygen, signed or not, or one that the vendor imported.
 * - `signed`: a key that the vendor signed with `issueLicenseKey`.
 * - `any`: a key of any service.
 */
export type LicenseKeyForm = 'uuid' | 'prefixed-uuid' | 'keygen' | 'signed' | 'any'

/** A key in a text, and the text before it. */
export interface LabeledLicenseKey {
  readonly licenseKey: string
  /** The text before the key on its line, or the line above if there is none; may be empty. */
  readonly label: string
}

/** Maximum length of a text to search, in UTF-16 units. */
export const maxLicenseTextLength = 10_000

/**
 * Finds the license key in a pasted text, without changing its case. White space, quote marks of replies (`> `) and
 * quoted-printable may be inside the key. A key that is cut, or that may be, is refused. The same key twice counts as
 * one. If there are several, it takes the only one that a word such as "license" introduces.
 */
export function findLicenseKey(text: string, form: LicenseKeyForm): FoundLicenseKey {
  if (text.length > maxLicenseTextLength) return { ok: false, code: 'text-too-long' }
  const folded = foldPastedText(text)
  if (folded === '') return { ok: false, code: 'empty-text' }
  const found = search(folded, form)
  const decoded = decodeQuotedPrintable(folded)
  if (decoded === folded) return found
  const foundDecoded = search(decoded, form)
  // The padding of a signed key looks like a soft line break.
  if (found.ok && found.licenseKey.startsWith('key/')) return found
  if (!foundDecoded.ok) return isSurelyEncoded(folded) ? foundDecoded : found
  const isClear = !found.ok || found.licenseKey === foundDecoded.licenseKey || isSurelyEncoded(folded)
  return isClear ? foundDecoded : several
}

/**
 * Finds a license key of any service in pasted text. An app behind a gateway uses it, because only the gateway knows
 * which service sold the key.
 *
 * @param text up to 10,000 characters.
 */
export function findAnyLicenseKey(text: string): FoundLicenseKey {
  return findLicenseKey(text, 'any')
}

/** Finds every UUID in a text, each once, in the order of the text, for the user to choose one. */
export function findLicenseKeys(text: string): readonly LabeledLicenseKey[] {
  const folded = foldPastedText(text)
  const found = new Map<string, string>()
  let end = 0
  for (const { key, index, end: after } of uuidsIn(folded, uuidStart)) {
    const licenseKey = key.toLowerCase()
    const label = labelIn(folded.slice(end, index))
    // If a key appears twice, keep the place that introduces it as a license.
    if (!found.has(licenseKey) || hasLicenseWord(label)) found.set(licenseKey, label)
    end = after
  }
  return Array.from(found, ([licenseKey, label]) => ({ licenseKey, label }))
}

const none: FoundLicenseKey = { ok: false, code: 'no-license-key' }
const several: FoundLicenseKey = { ok: false, code: 'several-license-keys' }
const newer: FoundLicenseKey = { ok: false, code: 'newer-license-key' }
const incomplete: FoundLicenseKey = { ok: false, code: 'incomplete-license-key' }

// Folding what people paste

/**
 * Returns the part of a pattern that matches the characters with a property of Unicode. V8 takes a third of a
 * millisecond for it in a literal, at every launch, so a pattern with it is put together when it is needed. Minifiers
 * make a literal of `new RegExp` with a constant text.
 */
function ofUnicode(property: string): string {
  return `\\p{${property}}`
}

/** Letters of scripts with upper case, and their accents. Many other scripts write sentences without spaces. */
function casedLetters(): string {
  return `${ofUnicode('LC')}\u0300-\u036f`
}

/** Folds full-width letters, every dash and white space, and removes invisible characters and quote marks of replies. */
function foldPastedText(text: string): string {
  const dashes = new RegExp(`[${ofUnicode('Pd')}\u02d7\u2043\u2212\u2500\u2501\u2796]`, 'gu')
  const invisible = new RegExp(`[${ofUnicode('DI')}\ufff9-\ufffb]`, 'gu')
  return (
    text
      // One by one, because a key may have an accent as a character of its own, and services compare keys exactly.
      .replace(/[^\0-\x7f]/gu, (character) => character.normalize('NFKC'))
      .replace(invisible, '')
      .replace(dashes, '-')
      .replace(/\r\n?|\u0085/gu, '\n')
      .replace(/\u2800/gu, ' ')
      .replace(/^(?:[^\S\n]*>)+[^\S\n]?/gmu, '')
      .trim()
  )
}

/** Joins the lines that quoted-printable breaks with `=`, and decodes `=3D`. */
function decodeQuotedPrintable(folded: string): string {
  return folded.replace(/(?<!=)=[^\S\n]*\n/gu, '').replace(/=3D/giu, '=')
}

function isSurelyEncoded(folded: string): boolean {
  return /(?<!=)=[^\S\n]*\n/u.test(folded)
}

// What introduces a license key

/** Words that introduce a license key, in the languages of the activation window. "licen" covers eight of them. */
const licenseWords =
  'licen|lizenz|\u30e9\u30a4\u30bb\u30f3\u30b9|\u8bb8\u53ef|\u6388\u6743|\u6fc0\u6d3b|\ub77c\uc774\uc120\uc2a4|\ub77c\uc774\uc13c\uc2a4|\u062a\u0631\u062e\u064a\u0635'

function hasLicenseWord(text: string): boolean {
  return new RegExp(licenseWords, 'iu').test(text)
}

/** Whether a license word is before a key, on its line or on the line above. A digit between may be something else. */
function isIntroduced(folded: string, { index }: Candidate): boolean {
  const before = folded.slice(Math.max(0, index - 200), index)
  return new RegExp(`(?:${licenseWords})[^\\n\\d]{0,99}\\s*$`, 'iu').test(before)
}

/** Returns the last line that contains letters or digits, without the punctuation around it. */
function labelIn(text: string): string {
  const line = text.trimEnd().split('\n').at(-1) ?? ''
  const seen = `[${ofUnicode('L')}${ofUnicode('N')}]`
  // From the first to the last of them. Removing what is around them would try every character of a long row of dashes.
  return new RegExp(`${seen}(?:.*${seen})?`, 'su').exec(line)?.[0] ?? ''
}

// Searching for each form

/** A key that was found, and its place in the text. */
interface Candidate {
  readonly key: string
  readonly index: number
  readonly end: number
}

/** The keys of a form, and whether a part of one is missing. */
interface Candidates {
  readonly whole: readonly Candidate[]
  readonly hasCut: boolean
}

function search(folded: string, form: LicenseKeyForm): FoundLicenseKey {
  if (form === 'uuid') {
    const uuids = uuidsIn(folded, uuidStart)
    if (uuids.length > 0) return choose(folded, uuids)
    // After a prefix, it is a key of another form.
    return failure(folded, hasCutUuid(folded, uuidStart))
  }
  if (form === 'prefixed-uuid') {
    const { whole, hasCut } = prefixedUuidsIn(folded)
    if (whole.length > 0 && !hasCut) return checked(folded, choose(folded, whole), whole)
    return failure(folded, hasCut || hasCutUuid(folded))
  }
  if (form === 'signed' || form === 'any') {
    const own = vendorKeysIn(folded, form === 'signed')
    if (own.isNewer) return newer
    if (own.hasCut) return failure(folded, true)
    if (own.whole.length > 0 || form === 'signed')
      return checked(folded, choose(folded, own.whole), own.whole)
  }
  return searchMixed(folded, form === 'any')
}

/**
 * Finds a key that has one of several forms, or any other. An order number may have one of them, too. So the only key
 * that a word such as "license" introduces wins.
 */
function searchMixed(folded: string, takesUuids: boolean): FoundLicenseKey {
  const signed = signedKeysIn(folded)
  if (signed.hasCut) return failure(folded, true)
  if (signed.whole.length > 0) return checked(folded, choose(folded, signed.whole), signed.whole)

  const word = oneWord(folded, strictWord())
  if (word !== null) return checked(folded, word.hasCut ? incomplete : choose(folded, word.whole), word.whole)

  const uuids = takesUuids ? prefixedUuidsIn(folded) : { whole: [], hasCut: false }
  const clear = [...uuids.whole, ...keygenKeysIn(folded)]
  const grouped = groupedKeysIn(folded)
  const introducedGroups = grouped.whole.filter((candidate) => isIntroduced(folded, candidate))
  const introducedClear = clear.filter((candidate) => isIntroduced(folded, candidate))
  if (clear.length > 0) {
    if (uuids.hasCut) return failure(folded, true)
    const unclear = introducedGroups.filter(({ index, end }) =>
      clear.every((one) => one.end <= index || one.index >= end),
    )
    const found = choose(folded, clear)
    if (unclear.length === 0 || distinct(introducedClear).length === 1) return checked(folded, found, clear)
    // The name of a product may have groups, too.
    return found.ok ? several : choose(folded, unclear)
  }
  if (uuids.hasCut || grouped.hasCut || hasCutUuid(folded)) return failure(folded, true)
  if (grouped.whole.length > 0) return checked(folded, choose(folded, grouped.whole), grouped.whole)
  if (hasCutKeygenKey(folded)) return failure(folded, true)
  const any = oneWord(folded, `[^\\s"'<(]\\S{2,2046}[^\\s"'>),;]`)
  if (any === null) return failure(folded, false)
  return checked(folded, any.hasCut ? incomplete : choose(folded, any.whole), any.whole)
}

function distinct(candidates: readonly Candidate[]): readonly string[] {
  return [...new Set(candidates.map(({ key }) => key))]
}

/** Returns the only key, or the only one that is introduced. UUIDs are the same in any case. */
function choose(folded: string, candidates: readonly Candidate[]): FoundLicenseKey {
  const byKey = new Map(candidates.map((candidate) => [sameKey(candidate.key), candidate.key]))
  const [licenseKey, ...others] = byKey.values()
  if (licenseKey === undefined) return none
  if (others.length === 0) return { ok: true, licenseKey }
  const [introduced, ...moreIntroduced] = distinct(
    candidates.filter((candidate) => isIntroduced(folded, candidate)),
  )
  return introduced === undefined || moreIntroduced.length > 0
    ? several
    : { ok: true, licenseKey: introduced }
}

function sameKey(key: string): string {
  return new RegExp(`^${uuidPattern('')}$`, 'iu').test(key) ? key.toLowerCase() : key
}

function failure(folded: string, isCut: boolean): FoundLicenseKey {
  const [foreign] = foreignCharacters(folded)
  if (foreign !== undefined) return { ok: false, code: 'foreign-character', character: foreign.character }
  return isCut ? incomplete : none
}

/** Refuses a key with a character that doesn't belong, inside it or directly beside it. */
function checked(folded: string, found: FoundLicenseKey, candidates: readonly Candidate[]): FoundLicenseKey {
  if (!found.ok) return found
  for (const { character, index, end } of foreignCharacters(folded)) {
    const isBeside = candidates.some(
      (one) =>
        one.key === found.licenseKey &&
        folded.slice(Math.min(end, one.end), Math.max(index, one.index)).trim() === '',
    )
    if (isBeside || new RegExp(ofUnicode('Cc'), 'u').test(character))
      return { ok: false, code: 'foreign-character', character }
  }
  return found
}

/**
 * Returns the characters that can't be part of a key, each with the word that it is in: control characters, U+FFFD, a
 * long vowel mark (ー) typed for a hyphen, and letters of another script than the Latin letters beside them.
 */
function foreignCharacters(
  folded: string,
): readonly { readonly character: string; readonly index: number; readonly end: number }[] {
  const words = new RegExp(`(?:(?!\\s)[${['L', 'M', 'N', 'C'].map(ofUnicode).join('')}\ufffd_-])+`, 'gu')
  const broken = new RegExp(`[${ofUnicode('C')}\ufffd]|(?<=[\\da-z])\u30fc(?=[\\da-z])`, 'iu')
  const control = new RegExp(ofUnicode('Cc'), 'u')
  const latin = new RegExp(ofUnicode('Script=Latin'), 'u')
  const other = new RegExp(`(?!${ofUnicode('Script=Latin')})${ofUnicode('LC')}`, 'u')
  return [...folded.matchAll(words)].flatMap(({ 0: word, index }) => {
    const isKey = /[\d-]/u.test(word) || control.test(word) || word === folded
    if (!isKey || !/[\da-z]/iu.test(word)) return []
    const mixed = word
      .split('-')
      .find((group, position) => other.test(group) && latin.test(position === 0 ? group : word))
    const [character] = broken.exec(word) ?? other.exec(mixed ?? '') ?? []
    return character === undefined ? [] : [{ character, index, end: index + word.length }]
  })
}

// UUIDs

const uuidStart = '(?<!\\w|\\w-)'

function uuidPattern(gap: string): string {
  return [8, 4, 4, 4, 12].map((digits) => `(?:[\\da-f]${gap}){${digits}}`).join(`-${gap}`)
}

/** Finds UUIDs, and then those that white space breaks, as in a narrow column of an email. */
function uuidsIn(folded: string, start: string): readonly Candidate[] {
  const matchIn = (text: string, gap: string): readonly Candidate[] =>
    [...text.matchAll(new RegExp(`${start}${uuidPattern(gap)}(?!\\w|-\\w)`, 'giu'))].map(
      ({ 0: match, index }) => ({
        key: match.replace(/\s/gu, ''),
        index,
        end: index + match.trimEnd().length,
      }),
    )
  const plain = matchIn(folded, '')
  let rest = folded
  for (const { index, end } of plain) {
    rest = rest.slice(0, index) + '|'.repeat(end - index) + rest.slice(end)
  }
  return [...plain, ...matchIn(rest, '\\s*')].sort((one, other) => one.index - other.index)
}

/** Finds UUIDs with their prefix, such as `INKWELL-`. A prefix may be broken, too. */
function prefixedUuidsIn(folded: string): Candidates {
  // Not the last letter of a sentence in Chinese, for example, which a prefix of Latin letters follows without a space.
  const letter = `(?![^\\w${casedLetters()}]\\w)${ofUnicode('IDC')}`
  const mark = '[.&+!@$%~-]'
  const prefix = `${letter}(?<!${letter}${mark}*${letter})(?:${letter}|${mark})*-`
  let hasCut = false
  const whole = uuidsIn(folded, `(?:${prefix}|${uuidStart})`).map(({ key, index, end }) => {
    let joined = { key, index, end }
    for (;;) {
      const { lead, previous } = beforeOf(folded, joined.index)
      // Not a part of this key, but another one.
      if (endsWithUuid(previous)) return joined
      const tail = pieceAtEnd(previous)
      if (!tail.endsWith('-') || lead !== '') {
        const isBare = joined.key.length === 36
        const isSpaced = /\s/u.test(folded.slice(index, end))
        const isAfterHyphen = previous === '-' && lead === ''
        const before = isAfterHyphen ? wordBeforeHyphen(folded, joined.index) : tail
        hasCut ||= isBare
          ? (lead === '-' && tail !== '' && !isLabel(tail)) ||
            (isAfterHyphen && (isSpaced || isPiece(before, 'A', 'before', '')))
          : joined.key.startsWith('-') || isPiece(before, joined.key, 'before', lead)
        return joined
      }
      joined = { key: tail + joined.key, index: folded.lastIndexOf(tail, joined.index - 1), end }
    }
  })
  return { whole, hasCut }
}

/** Whether a text has the beginning or the end of a UUID, which isn't whole. */
function hasCutUuid(folded: string, start = '(?<!\\w)'): boolean {
  const head = '[\\da-f]{8}\\s*(?:-\\s*[\\da-f]{4}\\s*){1,3}(?:-\\s*[\\da-f]{0,11})?(?![\\w-])'
  const tail = '[\\da-f]{0,8}(?:\\s*-\\s*[\\da-f]{4}){1,3}\\s*-\\s*[\\da-f]{12}(?![\\w-])'
  const cut = `${start}(?!${uuidPattern('')}(?!\\w))${head}|${uuidStart}(?!${uuidPattern('')})${tail}`
  return new RegExp(cut, 'iu').test(folded)
}

/** Whether a key is only a part of a UUID or of a key of Keygen. */
function isCutKey(key: string): boolean {
  if (/^[\dA-F]{6}(?:-[\dA-F]{6}){4}-V\d$/u.test(key) || endsWithUuid(key)) return false
  const uuidHead = '(?:^|-)[\\da-f]{8}(?:-[\\da-f]{4}){2,3}(?:-[\\da-f]{0,11})?$'
  const uuidTail = '^[\\da-f]{0,8}(?:-[\\da-f]{4}){1,3}-[\\da-f]{12}$'
  const keygenHead = /^[\dA-F]{6}(?:-[\dA-F]{6}){1,4}(?:-[\dA-FV]{0,5})?$/u
  const keygenTail = /^[\dA-F]{0,6}(?:-[\dA-F]{6}){1,4}-V\d$/u
  return new RegExp(`${uuidHead}|${uuidTail}`, 'iu').test(key) || keygenHead.test(key) || keygenTail.test(key)
}

function endsWithUuid(text: string): boolean {
  return new RegExp(`(?<!\\w)${uuidPattern('')}$`, 'iu').test(text)
}

// Keys of Keygen

function hasCutKeygenKey(folded: string): boolean {
  return /(?<![\w-])[\dA-F]{6}(?:-[\dA-F]{6}){1,4}(?:-V?)?(?!\w)/u.test(folded)
}

function keygenKeysIn(folded: string): readonly Candidate[] {
  const groups = Array.from({ length: 5 }, () => '(?:[\\dA-F]\\s*){6}-\\s*').join('')
  return [...folded.matchAll(new RegExp(`(?<![\\w-])${groups}V\\s*\\d(?![\\w-])`, 'gu'))].map(
    ({ 0: match, index }) => ({ key: match.replace(/\s/gu, ''), index, end: index + match.length }),
  )
}

/** Finds `key/<data>.<signature>`, both in base64url. The signature shows where the key ends. */
function signedKeysIn(folded: string): Candidates {
  const whole: Candidate[] = []
  let hasCut = false
  let searched = 0
  for (const { 0: start, index } of folded.matchAll(/(?<![\w-])k\s*e\s*y\s*\/\s*/gu)) {
    if (index < searched) continue
    const from = index + start.length
    // An empty line ends a key.
    const [body = ''] = /^(?:[\w=.-]|[^\S\n]|\n(?!\s*\n))*/u.exec(folded.slice(from)) ?? []
    const read = readSignedBody(body)
    if (read !== null) {
      const end = from + read.length
      whole.push({ key: `key/${read.key}`, index, end })
      searched = end
    } else if (isCutSignedKey(folded, index, body)) hasCut = true
  }
  return { whole, hasCut }
}

/**
 * Finds the keys of `issueLicenseKey`: `LK1-` and groups of 8 characters. The first one says how long the key is.
 *
 * @param isOnlyForm whether there are no keys of other forms, so that a start or a group of one is a part of it.
 */
function vendorKeysIn(folded: string, isOnlyForm: boolean): Candidates & { readonly isNewer: boolean } {
  const group = '(?:[\\da-z]\\s*){8}'
  const whole: Candidate[] = []
  let hasCut = isOnlyForm && new RegExp(`(?<!\\w)${group}-\\s*${group}-`, 'iu').test(folded)
  let isNewer = false
  const start = `(?<![\\w-])L\\s*K\\s*(\\d+)\\s*-${isOnlyForm ? '' : `(?=\\s*${group}-\\s*${group}-)`}`
  for (const { 1: version, index } of folded.matchAll(new RegExp(start, 'giu'))) {
    if (version !== '1') {
      isNewer = true
      continue
    }
    const read = readKeyAt(folded.slice(index))
    if (read === 'cut') hasCut = true
    else whole.push({ key: read.key, index, end: index + read.length })
  }
  return { whole, hasCut: hasCut && whole.length === 0, isNewer: isNewer && whole.length === 0 }
}

function readSignedBody(body: string): { readonly key: string; readonly length: number } | null {
  let data = ''
  let signature: string | null = null
  for (const { 0: part, index } of body.matchAll(/[\w=-]+|\./gu)) {
    if (part === '.') {
      const isPadded = data.endsWith('=')
      if (signature !== null || !/^[\w-]+={0,2}$/u.test(data) || (isPadded && data.length % 4 !== 0))
        return null
      signature = ''
    } else if (signature === null) data += part
    else {
      signature += part
      if (isWholeSignature(signature)) return { key: `${data}.${signature}`, length: index + part.length }
    }
  }
  return null
}

/** Whether nothing is missing. Signatures of Ed25519 and RSA end with `==`; those of ECDSA begin with their length. */
function isWholeSignature(signature: string): boolean {
  const [, digits = '', padding = ''] = /^([\w-]+)(={0,2})$/u.exec(signature) ?? []
  if (digits === '' || padding === '==') return padding === '=='
  if (signature.length % 4 !== 0) return false
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  const [first = 0, second = 0, third = 0] = Array.from(digits.slice(0, 3), (digit) =>
    alphabet.indexOf(digit),
  )
  const isSequence = first === 12 && second >> 4 === 0
  const length = ((second & 15) << 4) | (third >> 2)
  // A shorter one would be the beginning of another signature.
  return isSequence && length > 63 && length + 2 === (signature.length / 4) * 3 - padding.length
}

/** Whether `key/` begins a signed key. Otherwise it is prose, such as "key/serial number". */
function isCutSignedKey(folded: string, index: number, body: string): boolean {
  if (folded[index - 1] === '/') return false
  const [first = '', ...more] = body.split(/[\s.]+/u)
  const isData = /[A-Z\d]/u.test(first) && body.replace(/\s/gu, '').length >= 8
  return !/\s/u.test(folded) || isData || more.some((part) => part.length >= 16 && /[A-Z\d]/u.test(part))
}

// Keys in any form

/** A text that is one word is the key as a whole, without quotes and brackets around it. */
function oneWord(folded: string, pattern: string): Candidates | null {
  const match = new RegExp(`(?<=^["'<(]{0,9})${pattern}(?=["'>),;]{0,9}$)`, 'iu').exec(folded)
  if (match === null) return null
  const { 0: key, index } = match
  return { whole: [{ key, index, end: index + key.length }], hasCut: isCutKey(key) }
}

/** Not if the word is a link, has a label such as `key:` or `1.`, or continues a sentence. */
function strictWord(): string {
  const letter = ofUnicode('IDC')
  const uncased = `(?![\\w${casedLetters()}])${letter}`
  // Part of a link, an HTML entity such as `&nbsp;`, or a letter of a sentence beside the key.
  const other = `\\.[a-z]+/|&\\w+;|${uncased}\\w|\\w${uncased}`
  return `(?!\\w*\\.|\\S*(?:${other}))${letter}[${letter}.&+!@/-]{2,2046}${letter}`
}

/**
 * Finds groups of letters and digits, at least 12 characters, with both of them. A timestamp such as 2026-11-24T18:04Z is
 * none. A key that white space breaks is put together where its groups show that its parts belong together.
 */
function groupedKeysIn(folded: string): Candidates {
  const letters = casedLetters()
  const isWhole = new RegExp(
    `^(?=.{12})(?=.*\\d)(?=.*[${letters}])[\\d${letters}]+(?:-+[\\d${letters}]+)+$`,
    'u',
  )
  // Underscores are here only to refuse words with them.
  const pieces = [
    ...folded.matchAll(new RegExp(`(?!\\d{4}-\\d\\d-\\d\\dT)(?<![\\w${letters}-])[\\w${letters}-]+`, 'gu')),
  ].map(({ 0: text, index }) => ({ text, index, end: index + text.length }))
  const whole: Candidate[] = []
  let hasCut = false

  for (let position = 0; position < pieces.length; position += 1) {
    const seed = pieces[position]
    if (seed === undefined || !/-/u.test(seed.text) || !/[^-]/u.test(seed.text)) continue
    let first = position
    let last = position
    const touches = (one: number): boolean => {
      const [left, right] = [pieces[one], pieces[one + 1]]
      return left !== undefined && right !== undefined && areBeside(folded, left.end, right.index)
    }
    const textAt = (at: number): string => pieces[at]?.text ?? ''
    const reach = (at: number, step: 1 | -1): number => {
      const side = step < 0 ? 'before' : 'after'
      for (let next = at + step; touches(Math.min(next, next - step)); next += step) {
        if (textAt(next) !== '-') return isPieceAt(folded, pieces[next], textAt(at), side) ? next : at
      }
      return at
    }
    for (let next = reach(first, -1); next !== first; next = reach(first, -1)) first = next
    for (let next = reach(last, 1); next !== last; next = reach(last, 1)) last = next
    position = last
    const run = pieces.slice(first, last + 1)
    const index = run[0]?.index ?? 0
    const end = run.at(-1)?.end ?? 0
    const members = run.filter(({ text }) => isWhole.test(text))
    const isSameShape =
      members.length === run.length && new Set(members.map(({ text }) => shapeOf(text))).size === 1
    if (isSameShape) {
      for (const { text, index: at, end: until } of members) {
        if (isCutKey(text) || /^=/u.test(folded.slice(until))) hasCut = true
        else whole.push({ key: text, index: at, end: until })
      }
      continue
    }
    const key = run.map(({ text }) => text).join('')
    const isAlone = index === 0 && end === folded.length
    const isClear =
      isAlone || /:\s*$/u.test(folded.slice(Math.max(0, index - 20), index)) || members.length > 0
    const isSealed = !/[/+&@.!_]$/u.test(folded.slice(0, index)) && !/^[/=]/u.test(folded.slice(end))
    if (
      run.length > 1 &&
      isClear &&
      isSealed &&
      isWhole.test(key) &&
      fitTogether(run.map(({ text }) => text))
    ) {
      if (isCutKey(key)) hasCut = true
      else whole.push({ key, index, end })
    } else if (members.length > 0) hasCut = true
  }
  return { whole, hasCut }
}

function shapeOf(key: string): string {
  return key
    .split(/-+/u)
    .map(({ length }) => length)
    .join()
}

/** Whether each break is at a hyphen, or the group around it is as long as another group of the key. */
function fitTogether(parts: readonly string[]): boolean {
  const key = parts.join('')
  const lengths = key.split(/-+/u).map(({ length }) => length)
  let at = 0
  // A word of a sentence.
  if (parts.some((part) => /^[^\d-]+$/u.test(part) && part !== part.toUpperCase())) return false
  return parts.slice(0, -1).every((part) => {
    at += part.length
    if (key[at - 1] === '-' || key[at] === '-') return true
    const position = key.slice(0, at).split(/-+/u).length - 1
    return lengths.some((length, other) => other !== position && length === lengths[position])
  })
}

/** Whether only white space is between two places, and no empty line. */
function areBeside(folded: string, end: number, index: number): boolean {
  const between = folded.slice(end, index)
  return between !== '' && between.trim() === '' && !/\n\s*\n/u.test(between)
}

/** Returns what is directly before a place, and the word before that unless an empty line is between. */
function beforeOf(folded: string, index: number): { readonly lead: string; readonly previous: string } {
  const before = folded.slice(Math.max(0, index - 400), index)
  const lead = /\S*$/u.exec(before)?.[0] ?? ''
  const rest = before.slice(0, before.length - lead.length)
  const [, previous = '', gap = ''] = /(\S*)(\s*)$/u.exec(rest) ?? []
  return { lead, previous: /\n\s*\n/u.test(gap) ? '' : previous }
}

/** Returns the word before a hyphen that stands alone, directly before a place. */
function wordBeforeHyphen(folded: string, index: number): string {
  return pieceAtEnd(beforeOf(folded, folded.lastIndexOf('-', index - 1)).previous)
}

/** Returns the part of a word that could be the beginning of a key. */
function pieceAtEnd(word: string): string {
  return new RegExp(`[\\w${casedLetters()}-]*[\\w${casedLetters()}]-?$`, 'u').exec(word)?.[0] ?? ''
}

function isLabel(word: string): boolean {
  return hasLicenseWord(word) || /^(?:[Kk]ey|KEY|[Cc]ode|CODE|[Ss]erial|SERIAL|[Nn]umber|NUMBER)$/u.test(word)
}

function isPieceAt(
  folded: string,
  piece: { readonly text: string; readonly index: number } | undefined,
  key: string,
  side: 'before' | 'after',
): boolean {
  if (piece === undefined) return false
  // The end of a time or of a number.
  if (side === 'before' && /\d[:.,/]$/u.test(folded.slice(0, piece.index)) && /^\d+$/u.test(piece.text))
    return false
  return isPiece(piece.text, key, side, '')
}

/** Whether a word beside a key may be a part of it. */
function isPiece(word: string, key: string, side: 'before' | 'after', lead: string): boolean {
  if (!/[^-]/u.test(word) || (side === 'before' && isLabel(word)) || /[^.&+!@$%~-]/u.test(lead)) return false
  const joint = side === 'before' ? word + key[0] : key.at(-1) + word
  if (/\d/u.test(word) || /-\w|\w-$/u.test(joint)) return true
  const lower = new RegExp(ofUnicode('Ll'), 'u')
  if (!lower.test(word)) return !lower.test(key)
  if (!lower.test(key) || word.includes('-')) return false
  // A word of a sentence. It can only continue a group that is shorter than the others.
  const groups = key.split(/-+/u)
  const edge = (side === 'before' ? groups[0] : groups.at(-1)) ?? ''
  const isRegular = groups.filter(({ length }) => length === edge.length).length > 1
  return !isRegular && !(side === 'before' ? !lower.test(edge[0] ?? '') : !lower.test(word[0] ?? ''))
}
