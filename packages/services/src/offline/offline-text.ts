import { decodeText } from '../base64url.ts'

/** The `typ` of an answer's protected header. A lease has another one, so neither passes for the other. */
export const offlineType = 'latchkey-offline+jwt'

/**
 * The kind of a text that is carried between an offline computer and the activation page. A `release` is the release code
 * of a computer that was deactivated.
 */
export type OfflineTextKind = 'request' | 'answer' | 'release'

/** Why a text can't be read. */
export type OfflineTextFault =
  /** Longer than any request or answer. */
  | 'too-long'
  /** It contains none of them, as with the code of another app or any other text. */
  | 'nothing'
  /** Of another kind than expected, such as a request in place of an answer. */
  | 'other-kind'
  /** The lease of an online activation. */
  | 'online-lease'
  /** A part of it is missing, or a character is wrong. */
  | 'torn'
  /** A version that this release doesn't know. */
  | 'newer'

/** A text of the expected kind, without its content being read. */
export type FoundOfflineText =
  | { readonly ok: true; readonly payload: string }
  | { readonly ok: false; readonly fault: OfflineTextFault }

/** Longest text that is searched, in UTF-16 units: an email with an answer in it has a few thousand. */
export const maxOfflineTextLength = 50_000

const version = 1

/** Characters per line in a file, so that no mail program wraps the lines at other places. */
const lineLength = 64

/** Length of an Ed25519 signature as base64url. */
const signatureLength = 86

// Zero-width characters, white space, the marks that mail programs put before quoted lines, and line breaks in JSON.
const layout = /[\p{Default_Ignorable_Code_Point}\s>|]|\\[nr]/gu
// Word processors replace hyphens with these.
const dashes = /[\u2010-\u2015\u2212\uFE58\uFE63\uFF0D]/gu

/**
 * Writes a payload in its text form: `latchkey-request-1.<payload>.<CRC-32>`. The form contains its kind and version,
 * survives line breaks and quoting, and reveals missing parts.
 *
 * @param payload base64url, perhaps with dots.
 */
export function writeOfflineText(kind: OfflineTextKind, payload: string): string {
  const body = `latchkey-${kind}-${version}.${payload}`
  return `${body}.${crc32(body)}`
}

/** Breaks a text form into lines, for a file or an email. */
export function wrapOfflineText(text: string): string {
  return `${(text.match(new RegExp(`.{1,${lineLength}}`, 'gu')) ?? []).join('\n')}\n`
}

/** Finds a request, an answer or a release code in text that was pasted, read from a file or decoded from a QR code. */
export function findOfflineText(kind: OfflineTextKind, text: string): FoundOfflineText {
  if (text.length > maxOfflineTextLength) return { ok: false, fault: 'too-long' }
  const dense = text.replace(layout, '').replace(dashes, '-')
  const start = /latchkey-(request|answer|release)-(\d{1,6})\./u.exec(dense)
  if (start === null) return { ok: false, fault: faultWithoutPrefix(dense, kind) }
  const [, foundKind, foundVersion] = start
  if (foundKind !== kind) return { ok: false, fault: 'other-kind' }
  if (Number(foundVersion) > version) return { ok: false, fault: 'newer' }
  // White space is gone, so words may follow directly. The check has a fixed length.
  const whole = /^(latchkey-[a-z]+-\d+\.([\w.-]+))\.([\da-f]{8})/u.exec(dense.slice(start.index))
  const [, body = '', payload = '', check] = whole ?? []
  return check === crc32(body) ? { ok: true, payload } : { ok: false, fault: 'torn' }
}

/**
 * Returns the fault of a text without a prefix: `torn` for an answer that lost it, `online-lease` for another signed
 * token. One expression for all parts of a token would take seconds for some long texts.
 */
function faultWithoutPrefix(dense: string, kind: OfflineTextKind): OfflineTextFault {
  for (const word of dense.split(/[^\w.-]+/u)) {
    const parts = word.split('.')
    const start = parts.findIndex(
      (part, index) => /eyJ[\w-]/u.test(part) && parts[index + 1] && parts[index + 2],
    )
    if (start >= 0 && !isPartOfAnswer(parts, start)) return 'online-lease'
    // In place of a request, its user needn't look for the rest of it.
    if (start >= 0) return kind === 'answer' ? 'torn' : 'nothing'
  }
  return 'nothing'
}

/** Whether a signed token is part of an answer: its header has the type or, if that is missing, a check follows the signature. */
function isPartOfAnswer(parts: readonly string[], start: number): boolean {
  const first = parts[start] ?? ''
  const header = decodeText(first.slice(first.indexOf('eyJ'))) ?? ''
  return (
    header.includes(offlineType) ||
    parts.some((part, index) => parts[index - 1]?.length === signatureLength && /^[\da-f]{8}/u.test(part))
  )
}

const table = Array.from({ length: 256 }, (_, byte) => {
  let value = byte
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1
  return value >>> 0
})

/** CRC-32 of a text in ASCII, as 8 hex digits. It reveals text that was cut off or mistyped, not forgery. */
function crc32(text: string): string {
  let sum = 0xffffffff
  for (let index = 0; index < text.length; index += 1) {
    sum = (sum >>> 8) ^ (table[(sum ^ text.charCodeAt(index)) & 0xff] ?? 0)
  }
  return ((sum ^ 0xffffffff) >>> 0).toString(16).padStart(8, '0')
}
