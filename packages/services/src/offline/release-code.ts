import { decodeBytes } from './base64url.ts'
import { findOfflineText, type OfflineTextFault, writeOfflineText } from './offline-text.ts'
import { openReleaseTicket, type ReleaseTicket, type ReleaseTicketKey } from './release-ticket.ts'

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
  const isGenuine = await isSigned(`${ticketText}.${seconds}`, signature, ticket.releaseKey)
  return isGenuine
    ? { ok: true, release: { ...ticket, deactivatedAtMs: Number(seconds) * 1000 } }
    : { ok: false, fault: 'edited' }
}

async function isSigned(statement: string, signature: string, releaseKey: string): Promise<boolean> {
  try {
    const key = await crypto.subtle.importKey(
      'raw',
      decodeBytes(releaseKey) ?? new Uint8Array(),
      'Ed25519',
      false,
      ['verify'],
    )
    const signed = new TextEncoder().encode(statement)
    return await crypto.subtle.verify('Ed25519', key, decodeBytes(signature) ?? new Uint8Array(), signed)
  } catch {
    // The request named a key that is none.
    return false
  }
}
