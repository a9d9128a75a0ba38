import type { LicenseFacts } from '../contract/license-facts.ts'
import { encodeBytes } from './base64url.ts'
import type { OfflineClaims } from './offline-claims.ts'
import type { OfflineRequest } from './offline-request.ts'
import { writeOfflineText } from './offline-text.ts'
import { type ReleaseTicketKey, sealReleaseTicket } from './release-ticket.ts'

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
    lid: await sha256(licenseKey),
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

/** base64url of the SHA-256 of a text. */
async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return encodeBytes(new Uint8Array(digest))
}
