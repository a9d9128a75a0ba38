import { type License, type LicenseKey, parseKeyName, toEndDate } from '@latchkey/commerce'
import {
  goneStatus,
  type LeaseClaims,
  leaseIssuer,
  nonceHeader,
  trustedKeysHeader,
} from '@latchkey/services/leases'

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
