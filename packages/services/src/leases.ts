import { readFeatures, readPlan } from '@latchkey/commerce'
import * as z from 'zod/mini'

// What a gateway that signs its answers and an app that verifies them agree on.

/** The request header that requests a lease. Its value is the nonce. */
export const nonceHeader = 'latchkey-nonce'

/** The request header with the IDs of the keys that the client trusts, separated by commas. */
export const trustedKeysHeader = 'latchkey-lease-keys'

/** The response header that contains the lease. */
export const leaseHeader = 'latchkey-lease'

/** The `iss` of a lease. */
export const leaseIssuer = 'latchkey-gateway'

/** The `typ` of a lease's protected header. */
export const leaseType = 'latchkey-lease+jwt'

/** The `sta` of a lease for a key that no longer exists. The service has no status with this name. */
export const goneStatus = 'GONE'

/**
 * The claims of a lease. Times are in whole seconds since the epoch, by the gateway's clock.
 *
 * A lease with `ent: false` matters as much as one with `ent: true`: it proves to the client that a refusal is from the
 * service and not from a proxy.
 */
export interface LeaseClaims {
  /** The issuer. */
  readonly iss: typeof leaseIssuer
  /**
   * The SHA-256 of the license key, as base64url. A commerce UUID is lowercased before hashing; any other license key
   * is hashed exactly as the user entered it.
   */
  readonly lid: string
  /** ID of the device's key. Commerce UUIDs are lowercase. */
  readonly key: string
  /** Fingerprint of the device, from the key's name; `null` if the name has none or the key is gone. */
  readonly fp: string | null
  /** Whether the device may run: at `iat`, the license was ACTIVE, not suspended, and not expired. */
  readonly ent: boolean
  /** The license's status as the service reports it, or `GONE` if the service no longer knows the key. */
  readonly sta: string
  /** The license's `suspended_at`; `null` if it isn't suspended. */
  readonly sus: string | null
  /** The license's `expires_at`; `null` if it has no end. */
  readonly lex: string | null
  /** The license's plan; absent if neither the service nor a rule provides one. */
  readonly plan?: string | null | undefined
  /** The features the license includes; absent if neither the service nor a rule provides any. */
  readonly feat?: readonly string[] | undefined
  /** The request's nonce. A lease with another nonce may be a replay. */
  readonly nonce: string
  /** When the lease was issued. */
  readonly iat: number
  /** When the lease ends. If `ent` is true, at most the license's end plus the gateway's renewal grace. */
  readonly exp: number
}

/** Parses {@link LeaseClaims}. Unknown claims are dropped. */
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
