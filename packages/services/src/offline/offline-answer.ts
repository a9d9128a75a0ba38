import * as z from 'zod/mini'
import type { LicenseFacts } from '../license-service.ts'
import { type OfflineRequest, sha256 } from './offline-request.ts'
import { writeOfflineText } from './offline-text.ts'
import { type ReleaseTicketKey, sealReleaseTicket } from './release-code.ts'

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
