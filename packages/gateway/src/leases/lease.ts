import {
  type License,
  type LicenseKey,
  parseKeyName,
  readFeatures,
  readPlan,
  toEndDate,
} from '@latchkey/commerce'

import * as z from 'zod/mini'

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

/** Returns the device fingerprint in a key's name, `<label> [<16 hex digits>]`; `null` if there is none. */
export function keyFingerprint(keyName: string): string | null {
  return parseKeyName(keyName).fingerprint
}

const dayMs = 86_400_000

/** How long a lease is valid. */
export interface LeaseSpan {
  readonly leaseDays: number
  /** How many days it may extend past the license's end. */
  readonly renewalGraceDays: number
}

/** The license and key that a lease is about, the request's nonce, and how long the lease is valid. */
export interface LeaseTerms extends LeaseSpan {
  /** SHA-256 of the license key as base64url. Commerce UUIDs must be lowercase. */
  readonly licenseHash: string
  /** ID of the device's key, spelled as in the lease. */
  readonly keyId: string
  readonly nonce: string
  /** The gateway's clock, in milliseconds since the epoch. */
  readonly nowMs: number
}

/** Returns the claims for a validated or activated key. @param answeredAtMs when the service answered. */
export function validatedClaims(
  terms: LeaseTerms,
  license: License,
  key: LicenseKey,
  answeredAtMs: number = terms.nowMs,
): LeaseClaims {
  const expiresMs = endMsOf(license)
  const entitled = license.status === 'ACTIVE' && license.suspended_at === null && expiresMs > terms.nowMs
  // The license's end doesn't limit a lease that denies: after that end, it would be expired when issued.
  const latestMs = entitled ? expiresMs + terms.renewalGraceDays * dayMs : Number.POSITIVE_INFINITY
  return {
    ...goneClaims(terms),
    fp: keyFingerprint(key.name),
    ent: entitled,
    sta: license.status,
    sus: license.suspended_at,
    lex: license.expires_at,
    ...(license.plan !== undefined && { plan: license.plan }),
    ...(license.features !== undefined && { feat: license.features }),
    exp: seconds(Math.min(answeredAtMs + terms.leaseDays * dayMs, latestMs)),
  }
}

/** Returns the claims for a key that the service no longer knows. */
export function goneClaims({ licenseHash, keyId, nonce, nowMs, leaseDays }: LeaseTerms): LeaseClaims {
  return {
    iss: leaseIssuer,
    lid: licenseHash,
    key: keyId,
    fp: null,
    ent: false,
    sta: goneStatus,
    sus: null,
    lex: null,
    nonce,
    iat: seconds(nowMs),
    exp: seconds(nowMs + leaseDays * dayMs),
  }
}

/** Returns when a license ends, in milliseconds since the epoch, parsed exactly as the app parses it. */
export function endMsOf({ expires_at }: License): number {
  if (expires_at === null) return Number.POSITIVE_INFINITY
  return toEndDate(expires_at)?.getTime() ?? Number.NEGATIVE_INFINITY
}

function seconds(ms: number): number {
  return Math.floor(ms / 1000)
}

/** A client's request for a lease. */
export interface LeaseRequest {
  /** Repeated in the lease, which ties the lease to this request. */
  readonly nonce: string
  /** IDs of the keys the client trusts; empty if it didn't send them. */
  readonly trustedKeyIds: readonly string[]
}

/** The request header that requests a lease. Its value is the nonce. */
export const nonceHeader = 'latchkey-nonce'

/** The request header with the IDs of the keys that the client trusts, separated by commas. */
export const trustedKeysHeader = 'latchkey-lease-keys'

/** The response header that contains the lease. */
export const leaseHeader = 'latchkey-lease'

const noncePattern = /^[A-Za-z0-9_-]{22,128}$/
const keyIdPattern = /^[A-Za-z0-9_-]{43}$/
const maxTrustedKeys = 8

/** @returns `null` if no lease is requested, `'invalid'` if the nonce is malformed. */
export function readLeaseRequest(headers: Headers): LeaseRequest | 'invalid' | null {
  const nonce = headers.get(nonceHeader)
  if (nonce === null) return null
  if (!noncePattern.test(nonce)) return 'invalid'
  const trustedKeyIds = (headers.get(trustedKeysHeader) ?? '')
    .split(',', maxTrustedKeys)
    .map((keyId) => keyId.trim())
    .filter((keyId) => keyIdPattern.test(keyId))
  return { nonce, trustedKeyIds }
}
