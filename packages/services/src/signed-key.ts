import { decodeBytes } from './base64url.ts'
import type { WebCrypto } from './license-service.ts'

// The license keys that a vendor signs, to the byte: docs/license-key-format.md.

/** What a signed license key says. */
export interface SignedKeyFacts {
  /** 16 hexadecimal digits. */
  readonly id: string
  readonly name?: string | undefined
  readonly email?: string | undefined
  readonly plan?: string | undefined
  readonly features: readonly string[]
  /** The last day it can be used, in UTC, as `YYYY-MM-DD`; `null` if it has no end. */
  readonly lastDay: string | null
}

/** A license key, decoded. Nothing in it is verified. */
export interface DecodedKey extends SignedKeyFacts {
  /** Which public key verifies it, as 4 hexadecimal digits. */
  readonly keyId: string
  /** The first two bytes of the product's SHA-256, in hexadecimal. */
  readonly productHint: string
  readonly payload: Uint8Array<ArrayBuffer>
  readonly signature: Uint8Array<ArrayBuffer>
}

// Crockford's: no letter looks like a digit or like another letter.
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const prefix = 'LK1'
const groupLength = 8
const headLength = 15
const signatureLength = 64
const dayMs = 86_400_000
/** The maximum length of name, email, plan, and features together, in bytes. */
export const longestText = 255

/** Writes a license key in groups of 8 characters. */
export function encodeKey(payload: Uint8Array, signature: Uint8Array): string {
  let text = ''
  let bits = 0
  let count = 0
  for (const byte of [...payload, ...signature]) {
    bits = (bits << 8) | byte
    for (count += 8; count >= 5; count -= 5) text += alphabet.charAt((bits >> (count - 5)) & 31)
    bits &= (1 << count) - 1
  }
  if (count > 0) text += alphabet.charAt((bits << (5 - count)) & 31)
  return [prefix, ...(text.match(/.{1,8}/gu) ?? [])].join('-')
}

/** White space that a mail program puts into a key. An empty line ends the key. */
const gap = '[^\\S\\n]*(?:\\n[^\\S\\n]*)?'
const character = '[\\da-tv-z]'

/**
 * Reads the license key at the beginning of a text. White space may break it anywhere, case doesn't matter, and letters
 * that look like digits count as these.
 *
 * @returns the key and how long it is in the text; `cut` if a part of it is missing.
 */
export function readKeyAt(text: string): { readonly key: string; readonly length: number } | 'cut' {
  const start = new RegExp(`^L${gap}K${gap}1${gap}-${gap}(${character})${gap}(${character})`, 'iu').exec(text)
  const [high = 0, low = 0] = start?.slice(1).map((each) => alphabet.indexOf(canonical(each))) ?? []
  const byteLength = headLength + ((high << 3) | (low >> 2)) + signatureLength
  const last = Math.ceil((byteLength * 8) / 5) - 1
  const groups = `(?:(?:${character}${gap}){${groupLength}}-${gap}){${Math.floor(last / groupLength)}}`
  const rest = `(?:${character}${gap}){${last % groupLength}}${character}`
  const pattern = `^L${gap}K${gap}1${gap}-${gap}(${groups}${rest})(?![\\w-])`
  const [match, body] = new RegExp(pattern, 'iu').exec(text) ?? []
  if (match === undefined || body === undefined) return 'cut'
  return { key: `${prefix}-${canonical(body.replace(/\s/gu, ''))}`, length: match.length }
}

function canonical(characters: string): string {
  return characters.toUpperCase().replaceAll('O', '0').replace(/[IL]/gu, '1')
}

/** Decodes a license key; `null` if it isn't one that `encodeKey` could have written. */
export function decodeKey(licenseKey: string): DecodedKey | null {
  const bytes = bytesOf(licenseKey)
  if (bytes === null) return null
  const textLength = bytes[0] ?? 0
  const payload = bytes.slice(0, headLength + textLength)
  const signature = bytes.slice(headLength + textLength)
  if (signature.length !== signatureLength || encodeKey(payload, signature) !== licenseKey) return null
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(payload.slice(headLength))
    const [name, email, plan, ...features] = text.split('\n')
    const days = ((payload[13] ?? 0) << 8) | (payload[14] ?? 0)
    return {
      keyId: hexOf(payload.slice(1, 3)),
      productHint: hexOf(payload.slice(3, 5)),
      id: hexOf(payload.slice(5, 13)),
      lastDay: days === 0 ? null : new Date(days * dayMs).toISOString().slice(0, 10),
      ...(name && { name }),
      ...(email && { email }),
      ...(plan && { plan }),
      features,
      payload,
      signature,
    }
  } catch {
    return null
  }
}

function bytesOf(licenseKey: string): Uint8Array<ArrayBuffer> | null {
  if (!licenseKey.startsWith(`${prefix}-`)) return null
  const bytes: number[] = []
  let bits = 0
  let count = 0
  for (const character of licenseKey.slice(prefix.length).replaceAll('-', '')) {
    const value = alphabet.indexOf(character)
    if (value < 0) return null
    bits = (bits << 5) | value
    count += 5
    if (count < 8) continue
    count -= 8
    bytes.push(bits >> count)
    bits &= (1 << count) - 1
  }
  return Uint8Array.from(bytes)
}

/** The texts in a license key. */
export interface KeyTexts extends Pick<SignedKeyFacts, 'name' | 'email' | 'plan'> {
  readonly features?: readonly string[] | undefined
}

/** What a license key says in words: at most {@link longestText} bytes. */
export function keyText({
  name = '',
  email = '',
  plan = '',
  features = [],
}: KeyTexts): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode([name, email, plan, ...features].join('\n').replace(/\n+$/u, ''))
}

/** What comes before the signature. @param keyId which public key verifies it. */
export async function payloadOf(
  { id, lastDay, name, email, plan, features }: SignedKeyFacts,
  keyId: string,
  product: string,
  crypto: Pick<WebCrypto, 'subtle'>,
): Promise<Uint8Array<ArrayBuffer>> {
  const text = keyText({ name, email, plan, features })
  const days = lastDay === null ? 0 : Date.parse(lastDay) / dayMs
  const head = [keyId, await productHintOf(product, crypto), id, days.toString(16).padStart(4, '0')]
  const headBytes = head.join('').match(/../gu) ?? []
  return Uint8Array.from([text.length, ...headBytes.map((hex) => Number.parseInt(hex, 16)), ...text])
}

/** The bytes that are signed. The product isn't in the key, but its key can't be used for another one. */
export function signedBytes(payload: Uint8Array, product: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from([...new TextEncoder().encode(`latchkey-license-key-1\n${product}\n`), ...payload])
}

/** The text that is signed of a list of revoked keys. @param issuedAt ISO 8601, as in the list. */
export function signedListText(product: string, issuedAt: string, ids: readonly string[]): string {
  return `latchkey-revoked-keys-1\n${[product, issuedAt, ...ids].join('\n')}`
}

/** Returns the first two bytes of the product's SHA-256, which only explain why a key of another product is refused. */
export async function productHintOf(product: string, crypto: Pick<WebCrypto, 'subtle'>): Promise<string> {
  return (await sha256Hex(product, crypto)).slice(0, 4)
}

/** Returns the id that a key carries: 16 hexadecimal digits stay, and any other text is hashed. */
export async function keyIdentifierOf(id: string, crypto: Pick<WebCrypto, 'subtle'>): Promise<string> {
  return /^[\da-f]{16}$/u.test(id) ? id : (await sha256Hex(id, crypto)).slice(0, 16)
}

async function sha256Hex(text: string, { subtle }: Pick<WebCrypto, 'subtle'>): Promise<string> {
  return hexOf(new Uint8Array(await subtle.digest('SHA-256', new TextEncoder().encode(text))))
}

/** Writes bytes in hexadecimal. */
export function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** How the text of a public key begins, before its 32 bytes in base64url. */
export const publicKeyPrefix = 'latchkey-public-'
/** How the text of a signing key begins, before its private and its public 32 bytes in base64url. */
export const signingKeyPrefix = 'latchkey-secret-'

/** A public key, and the id that license keys name it by. */
export interface PublicKey {
  readonly id: string
  readonly bytes: Uint8Array<ArrayBuffer>
}

/** Reads the text of a public key; `null` if it is none. */
export function readPublicKey(text: string): PublicKey | null {
  const [, encoded = ''] = new RegExp(`^${publicKeyPrefix}([\\w-]{43})$`, 'u').exec(text) ?? []
  const bytes = encoded === '' ? null : decodeBytes(encoded)
  return bytes?.length === 32 ? { id: hexOf(bytes.slice(0, 2)), bytes } : null
}
