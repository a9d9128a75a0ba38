import { parseDocument } from '@latchkey/commerce/http'
import * as z from 'zod/mini'
import { decodeBytes, decodeText, encodeBytes, encodeText } from '../base64url.ts'
import { isSignedBy } from '../ed25519.ts'
import { leaseType } from '../leases.ts'
import type { LicenseFacts, WebCrypto } from '../license-service.ts'

// What is carried between a computer without internet and the activation page: a request, its answer, and the release
// code of a computer that was deactivated. All three have one text form.

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

/** Breaks a text form into lines, for a file or an email. They are so short that no mail program breaks them again. */
export function wrapOfflineText(text: string): string {
  return text.replace(/.{1,64}/gu, '$&\n')
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
 * Returns the fault of a text without a prefix: `torn` for an answer that lost it, `online-lease` for a lease. One
 * expression for all parts of a token would take seconds for some long texts.
 */
function faultWithoutPrefix(dense: string, kind: OfflineTextKind): OfflineTextFault {
  for (const word of dense.split(/[^\w.-]+/u)) {
    const parts = word.split('.')
    const start = parts.find((part, index) => /eyJ[\w-]/u.test(part) && parts[index + 1] && parts[index + 2])
    if (start === undefined) continue
    if (decodeText(start.slice(start.indexOf('eyJ')))?.includes(leaseType)) return 'online-lease'
    // In place of a request, its user needn't look for the rest of it.
    return kind === 'answer' ? 'torn' : 'nothing'
  }
  return 'nothing'
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

// The request

/** What a computer without internet asks for. It contains the license key, so treat it like one. */
export interface OfflineRequest {
  /** The `appId` of the app that asks. */
  readonly app: string
  /** The device's readable name. */
  readonly deviceName: string
  /** 16 hex digits. */
  readonly fingerprint: string
  /** The answer repeats it, so that it answers this request and no other. */
  readonly nonce: string
  readonly licenseKey: string
  /** The beginnings of the ids of the keys whose signatures the app trusts. */
  readonly trustedKeys: readonly string[]
  /**
   * The public part of a secret of this device, as base64url of a raw Ed25519 key. With the secret the device signs a
   * release code when it is deactivated.
   */
  readonly releaseKey: string
  /**
   * Marks of this device's activations whose release codes may still be used: see {@link releaseMarkOf}. They are freed
   * rather than adopted, because a code that is used later would free them. Absent for none.
   */
  readonly leaves?: readonly string[] | undefined
}

/** A request that was found in a text, or why there is none. */
export type OfflineRequestReading =
  | { readonly ok: true; readonly request: OfflineRequest }
  | { readonly ok: false; readonly fault: OfflineTextFault }

/** How many characters of a trusted key's id are sent: enough to tell a vendor's keys apart in a small QR code. */
export const trustedKeyLength = 8

/** Most trusted keys that a request lists. With as many, the app may trust others, too. */
export const mostTrustedKeys = 8

// One line: neither a name nor a key contains control characters.
const oneLine = /^[^\p{Cc}\u2028\u2029]*$/u

/**
 * The fields in their order. A list is smaller than an object, which counts in a QR code. A later release may add
 * fields at the end.
 */
const requestFields = z.tuple(
  [
    z.string().check(z.minLength(1), z.maxLength(255), z.regex(oneLine)),
    z.string().check(z.maxLength(255), z.regex(oneLine)),
    z.string().check(z.regex(/^[\da-f]{16}$/u)),
    z.string().check(z.regex(/^[\w-]{22,128}$/u)),
    z.string().check(z.minLength(1), z.maxLength(2048), z.regex(oneLine)),
    z.array(z.string().check(z.regex(/^[\w-]{8,43}$/u))).check(z.maxLength(mostTrustedKeys)),
    z.string().check(z.regex(/^[\w-]{43}$/u)),
  ],
  z.unknown(),
)

/** Most activations that a request leaves. */
const mostLeft = 8

const leavesSchema = z
  .array(z.string().check(z.regex(/^[\w-]{16}$/u)))
  .check(z.minLength(1), z.maxLength(mostLeft))

/** Writes a request in its text form. */
export function writeOfflineRequest(request: OfflineRequest): string {
  const { app, deviceName, fingerprint, nonce, licenseKey, trustedKeys, releaseKey, leaves = [] } = request
  const left = leaves.length === 0 ? [] : [leaves.slice(-mostLeft)]
  const fields = [app, deviceName, fingerprint, nonce, licenseKey, trustedKeys, releaseKey, ...left]
  return writeOfflineText('request', encodeText(JSON.stringify(fields)))
}

/** Reads a request from text that was pasted, read from a file or decoded from a QR code. Never throws. */
export function readOfflineRequest(text: string): OfflineRequestReading {
  const found = findOfflineText('request', text)
  if (!found.ok) return found
  const parsed = requestFields.safeParse(parseDocument(decodeText(found.payload) ?? ''))
  if (!parsed.success) return { ok: false, fault: 'torn' }
  const [app, deviceName, fingerprint, nonce, licenseKey, trustedKeys, releaseKey, left] = parsed.data
  const request = { app, deviceName, fingerprint, nonce, licenseKey, trustedKeys, releaseKey }
  const { data: leaves } = leavesSchema.safeParse(left)
  return { ok: true, request: { ...request, ...(leaves && { leaves }) } }
}

/**
 * Returns the mark of an activation: the beginning of the SHA-256 of its id, which a request can name without telling it.
 *
 * @param crypto computes the hash. Electron before 28 has no global one in the main process.
 */
export async function releaseMarkOf(
  activationId: string,
  crypto: Pick<WebCrypto, 'subtle'> = globalThis.crypto,
): Promise<string> {
  return (await sha256(activationId.toLowerCase(), crypto)).slice(0, 16)
}

/** Returns base64url of the SHA-256 of a text. */
async function sha256(text: string, { subtle }: Pick<WebCrypto, 'subtle'>): Promise<string> {
  const digest = await subtle.digest('SHA-256', new TextEncoder().encode(text))
  return encodeBytes(new Uint8Array(digest))
}

// The answer

/** What an answer says. Times are whole seconds since the epoch, by the clock of the machine that signed it. */
export interface OfflineClaims {
  readonly iss: 'latchkey-gateway'
  /** The `appId` of the app that asked. */
  readonly app: string
  /** Which license: base64url of the SHA-256 of its license key, as in a lease. */
  readonly lid: string
  /** Id of the activation. */
  readonly key: string
  /** Fingerprint of the device that asked. */
  readonly fp: string
  /** The license's raw status. */
  readonly sta: string
  /** The license's end; `null` if it has none. */
  readonly lex: string | null
  /** The plan; absent if none is known. */
  readonly plan?: string | null | undefined
  /** What the license includes; absent if nothing is known. */
  readonly feat?: readonly string[] | undefined
  /** How many devices the license allows; `null` if the service didn't say. */
  readonly lim: number | null
  /** How many of them are in use. */
  readonly use: number | null
  /** The request's nonce. */
  readonly nonce: string
  /** What a release code of this device begins with, see `sealReleaseTicket`; absent if it can't make one. */
  readonly rel?: string | undefined
  readonly iat: number
  /** Until when the device may run, never beyond the license's own end. */
  readonly exp: number
}

/** Reads {@link OfflineClaims}. Claims it doesn't know are dropped, so that a newer gateway may add some. */
export const offlineClaimsSchema: z.ZodMiniType<OfflineClaims> = z.object({
  iss: z.literal('latchkey-gateway'),
  app: z.string(),
  lid: z.string(),
  key: z.string(),
  fp: z.string(),
  sta: z.string(),
  lex: z.nullable(z.string()),
  plan: z.optional(z.nullable(z.string())),
  feat: z.optional(z.array(z.string())),
  lim: z.nullable(z.number()),
  use: z.nullable(z.number()),
  nonce: z.string(),
  rel: z.optional(z.string()),
  iat: z.int(),
  exp: z.int(),
})

/** What an answer is made of. */
export interface OfflineAnswerFacts {
  readonly request: OfflineRequest
  readonly license: LicenseFacts
  readonly activationId: string
  /** How long the device may run without internet, in days. */
  readonly days: number
  /** When the answer is signed, in milliseconds since the epoch. */
  readonly nowMs: number
  /** The key that signs the answer. With it, the device can make a release code. @default it can't */
  readonly signedBy?: ReleaseTicketKey | undefined
}

const dayMs = 86_400_000

/** The maximum of {@link OfflineAnswerFacts.days}: ten years. */
export const longestOfflineDays = 3660

/** Returns the claims of an answer. It ends after `days`, or with the license if that is earlier. */
export async function offlineClaimsOf(facts: OfflineAnswerFacts): Promise<OfflineClaims> {
  const { request, license, activationId, days, nowMs, signedBy } = facts
  const { app, fingerprint, nonce, licenseKey } = request
  const endMs = typeof license.endsAtMs === 'number' && !license.worksAfterEnd ? license.endsAtMs : null
  const { seatLimit, seatsInUse, plan, features } = license
  const rel = signedBy && (await sealReleaseTicket(request, activationId, signedBy))
  return {
    iss: 'latchkey-gateway',
    app,
    lid: await sha256(licenseKey, crypto),
    key: activationId,
    fp: fingerprint,
    sta: 'ACTIVE',
    lex: endMs === null ? null : new Date(endMs).toISOString(),
    ...(plan !== null && { plan }),
    ...(features && { feat: features }),
    lim: typeof seatLimit === 'number' ? seatLimit : null,
    use: seatsInUse,
    nonce,
    ...(rel && { rel }),
    iat: Math.floor(nowMs / 1000),
    exp: Math.floor(Math.min(nowMs + days * dayMs, endMs ?? Number.POSITIVE_INFINITY) / 1000),
  }
}

/** Writes an answer in its text form. @param jws the signed claims, a compact JWS with the type of an answer. */
export function writeOfflineAnswer(jws: string): string {
  return writeOfflineText('answer', jws)
}

// The release code

/** What a release code says: this device was deactivated then. */
export interface ReleaseCode extends ReleaseTicket {
  /** When it was deactivated, by the device's clock, in milliseconds since the epoch. */
  readonly deactivatedAtMs: number
}

/** Why a release code can't be used. */
export type ReleaseCodeFault =
  | OfflineTextFault
  /** It wasn't made by the device that the answer was for, or it was changed. */
  | 'edited'
  /** It belongs to an answer that none of these keys signed. */
  | 'unknown-key'

/** A release code that was found in a text, or why there is none. */
export type ReleaseCodeReading =
  | { readonly ok: true; readonly release: ReleaseCode }
  | { readonly ok: false; readonly fault: ReleaseCodeFault }

/**
 * Returns what the device signs. The ticket contains the request's nonce, so the signature is for this activation alone.
 *
 * @param ticket the `rel` of the answer.
 * @param nowMs when the device is deactivated, in milliseconds since the epoch.
 */
export function releaseStatement(ticket: string, nowMs: number): string {
  return `${ticket}.${Math.floor(nowMs / 1000)}`
}

/** Writes a release code in its text form. @param signature base64url of the Ed25519 signature of the statement. */
export function writeReleaseCode(statement: string, signature: string): string {
  return writeOfflineText('release', `${statement}.${signature}`)
}

/**
 * Reads a release code from text that was pasted, read from a file or decoded from a QR code, and verifies it. Never
 * throws.
 *
 * @param keys the keys that sign answers.
 */
export async function readReleaseCode(
  text: string,
  keys: readonly ReleaseTicketKey[],
): Promise<ReleaseCodeReading> {
  const found = findOfflineText('release', text)
  if (!found.ok) return found
  const parts = /^([\w-]{8}\.[\w-]+)\.(\d{1,11})\.([\w-]{86})$/u.exec(found.payload)
  if (parts === null) return { ok: false, fault: 'edited' }
  const [, ticketText = '', seconds = '', signature = ''] = parts
  const opened = await openReleaseTicket(ticketText, keys)
  if (!opened.ok) return opened
  const { ticket } = opened
  const [key, signed] = [decodeBytes(ticket.releaseKey), decodeBytes(signature)]
  const statement = `${ticketText}.${seconds}`
  const isGenuine = key !== null && signed !== null && (await isSignedBy(key, signed, statement, crypto))
  return isGenuine
    ? { ok: true, release: { ...ticket, deactivatedAtMs: Number(seconds) * 1000 } }
    : { ok: false, fault: 'edited' }
}

/** What a gateway needs to free the seat of a computer that was activated without internet. It stores none of it. */
export interface ReleaseTicket {
  readonly licenseKey: string
  readonly activationId: string
  readonly fingerprint: string
  readonly deviceName: string
  /** The `appId` of the app. */
  readonly app: string
  /** The nonce of the request that the activation answered. */
  readonly nonce: string
  /** The key that verifies the device's signature: base64url of a raw Ed25519 key. */
  readonly releaseKey: string
}

/** A signing key of the gateway. The key that seals tickets is derived from it. */
export interface ReleaseTicketKey {
  readonly id: string
  /** The private part of the JWK. */
  readonly d: string
}

/** A ticket, or why it can't be opened. */
type OpenedTicket =
  | { readonly ok: true; readonly ticket: ReleaseTicket }
  | { readonly ok: false; readonly fault: 'unknown-key' | 'edited' }

/** How many characters of a key's id a ticket begins with. */
const idLength = 8

/** A longer ticket would make the answer too long for apps. Only an unusually long license key makes one. */
const longestTicket = 1_500

const ivLength = 12

const ticketFields = z.tuple(
  [z.string(), z.string(), z.string(), z.string(), z.string(), z.string(), z.string()],
  z.unknown(),
)

/**
 * Seals what is needed to free a seat, so that only this gateway can read it, and it can tell that it is its own. The
 * ticket goes to the device in the answer, and comes back in its release code: the gateway stores nothing, and no window
 * or file shows the license key.
 *
 * @returns `<start of the key's id>.<base64url>`; `null` if it would be too long.
 */
async function sealReleaseTicket(
  { licenseKey, fingerprint, deviceName, app, nonce, releaseKey }: OfflineRequest,
  activationId: string,
  key: ReleaseTicketKey,
): Promise<string | null> {
  const fields = [licenseKey, activationId, fingerprint, deviceName.slice(0, 64), app, nonce, releaseKey]
  const iv = crypto.getRandomValues(new Uint8Array(ivLength))
  const plain = new TextEncoder().encode(JSON.stringify(fields))
  const sealed = await crypto.subtle.encrypt({ name: 'AES-GCM', iv }, await sealingKey(key), plain)
  const ticket = `${key.id.slice(0, idLength)}.${encodeBytes(new Uint8Array([...iv, ...new Uint8Array(sealed)]))}`
  return ticket.length > longestTicket ? null : ticket
}

/** Opens a ticket with the key that sealed it. Never throws. */
async function openReleaseTicket(ticket: string, keys: readonly ReleaseTicketKey[]): Promise<OpenedTicket> {
  const [id = '', sealed = ''] = ticket.split('.')
  const key = keys.find((one) => one.id.slice(0, idLength) === id)
  if (key === undefined) return { ok: false, fault: 'unknown-key' }
  try {
    const bytes = decodeBytes(sealed) ?? new Uint8Array()
    const iv = bytes.slice(0, ivLength)
    const plain = await crypto.subtle.decrypt(
      { name: 'AES-GCM', iv },
      await sealingKey(key),
      bytes.slice(ivLength),
    )
    const [licenseKey, activationId, fingerprint, deviceName, app, nonce, releaseKey] = ticketFields.parse(
      JSON.parse(new TextDecoder().decode(plain)),
    )
    return {
      ok: true,
      ticket: { licenseKey, activationId, fingerprint, deviceName, app, nonce, releaseKey },
    }
  } catch {
    // The cipher rejects what this key didn't seal.
    return { ok: false, fault: 'edited' }
  }
}

/** A key for this purpose alone (RFC 5869), so that tickets reveal nothing about signatures. */
async function sealingKey({ d }: ReleaseTicketKey): ReturnType<typeof crypto.subtle.importKey> {
  const secret = await crypto.subtle.importKey('raw', decodeBytes(d) ?? new Uint8Array(), 'HKDF', false, [
    'deriveKey',
  ])
  const info = new TextEncoder().encode('latchkey release ticket 1')
  return crypto.subtle.deriveKey(
    { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(), info },
    secret,
    { name: 'AES-GCM', length: 256 },
    false,
    ['encrypt', 'decrypt'],
  )
}
