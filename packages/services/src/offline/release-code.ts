import * as z from 'zod/mini'
import { decodeBytes, encodeBytes } from '../base64url.ts'
import { isSignedBy } from '../ed25519.ts'
import type { OfflineRequest } from './offline-request.ts'
import { findOfflineText, type OfflineTextFault, writeOfflineText } from './offline-text.ts'

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

// The fields in their order. A list is smaller than an object, which counts in a QR code.
const fieldsSchema = z.tuple(
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
export async function sealReleaseTicket(
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
    const [licenseKey, activationId, fingerprint, deviceName, app, nonce, releaseKey] = fieldsSchema.parse(
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
