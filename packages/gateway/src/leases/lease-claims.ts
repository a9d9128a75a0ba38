import { readFeatures, readPlan } from '@latchkey/commerce'
import * as z from 'zod/mini'

/** Who issues leases. */
export const leaseIssuer = 'latchkey-gateway'

/** The `typ` of a lease's protected header. */
export const leaseType = 'latchkey-lease+jwt'

/** The `sta` of a lease that says this key is gone for good. No status of the service is written like it. */
export const goneStatus = 'GONE'

/**
 * What a lease says. Times are whole seconds since the epoch, by the gateway's clock.
 *
 * A lease with `ent: false` is as much worth as one with `ent: true`: it is how a client tells the service's "no" from
 * the "no" of somebody who merely answers in its place.
 */
export interface LeaseClaims {
  readonly iss: typeof leaseIssuer
  /**
   * Which license: base64url of the SHA-256 of its license key. A UUID of the commerce service is hashed in lower case,
   * every other license key exactly as the user pasted it.
   */
  readonly lid: string
  /** Id of the key this is about; a UUID of the commerce service is in lower case. */
  readonly key: string
  /** Fingerprint of the device, out of the key's name; `null` when the name bears none, or the key is gone. */
  readonly fp: string | null
  /** Whether the device may run: the license was ACTIVE, not suspended and not expired at `iat`. */
  readonly ent: boolean
  /** The license's raw status, or `GONE` when the service no longer knows the key. */
  readonly sta: string
  /** The license's `suspended_at`. */
  readonly sus: string | null
  /** The license's `expires_at`. */
  readonly lex: string | null
  /** The license's plan; absent if nothing tells one. */
  readonly plan?: string | null | undefined
  /** What the license includes; absent if nothing tells it. */
  readonly feat?: readonly string[] | undefined
  /** The request's nonce: an answer to any other request is a replay. */
  readonly nonce: string
  readonly iat: number
  /** End of the lease. While it entitles, never beyond the license's own end plus the gateway's renewal grace. */
  readonly exp: number
}

/** Reads {@link LeaseClaims}; claims it does not know are dropped, so that a newer gateway may add some. */
export const leaseClaimsSchema: z.ZodMiniType<LeaseClaims> = z.object({
  iss: z.literal(leaseIssuer),
  lid: z.string(),
  key: z.string(),
  fp: z.nullable(z.string()),
  ent: z.boolean(),
  sta: z.string(),
  sus: z.nullable(z.string()),
  lex: z.nullable(z.string()),
  plan: z.pipe(z.optional(z.unknown()), z.transform<unknown, LeaseClaims['plan']>(readPlan)),
  feat: z.pipe(z.optional(z.unknown()), z.transform<unknown, LeaseClaims['feat']>(readFeatures)),
  nonce: z.string(),
  iat: z.int(),
  exp: z.int(),
})
