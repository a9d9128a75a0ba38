import { type License, type LicenseKey, toEndDate } from '@latchkey/commerce'
import { keyFingerprint } from './key-fingerprint.ts'
import { goneStatus, type LeaseClaims, leaseIssuer } from './lease-claims.ts'

const dayMs = 86_400_000

/** How long a lease is valid. */
export interface LeaseSpan {
  readonly leaseDays: number
  /** How many days it may extend past the license's end. */
  readonly renewalGraceDays: number
}

/** The license's hash, the request's nonce, the time of issue, and how long the lease is valid. */
export interface LeaseTerms extends LeaseSpan {
  /** SHA-256 of the license key as base64url. Commerce UUIDs must be lowercase. */
  readonly licenseHash: string
  readonly nonce: string
  /** The gateway's clock, in milliseconds since the epoch. */
  readonly nowMs: number
}

/** The license and key that a lease is about, spelled as in the lease. */
export interface LeaseSubject {
  readonly licenseId: string
  readonly keyId: string
}

/** Returns the claims for a validated or activated key. */
export function validatedClaims(
  { keyId }: LeaseSubject,
  license: License,
  key: LicenseKey,
  { licenseHash, nonce, nowMs, leaseDays, renewalGraceDays }: LeaseTerms,
  answeredAtMs: number = nowMs,
): LeaseClaims {
  const expiresMs = endMsOf(license)
  const entitled = license.status === 'ACTIVE' && license.suspended_at === null && expiresMs > nowMs
  // The license's end doesn't limit a lease that denies: after that end, it would be expired when issued.
  const latestMs = entitled ? expiresMs + renewalGraceDays * dayMs : Number.POSITIVE_INFINITY
  const endMs = Math.min(answeredAtMs + leaseDays * dayMs, latestMs)
  return {
    iss: leaseIssuer,
    lid: licenseHash,
    key: keyId,
    fp: keyFingerprint(key.name),
    ent: entitled,
    sta: license.status,
    sus: license.suspended_at,
    lex: license.expires_at,
    ...(license.plan !== undefined && { plan: license.plan }),
    ...(license.features !== undefined && { feat: license.features }),
    nonce,
    iat: seconds(nowMs),
    exp: seconds(endMs),
  }
}

/** Returns the claims for a key that the service no longer knows. */
export function goneClaims(
  { keyId }: LeaseSubject,
  { licenseHash, nonce, nowMs, leaseDays }: LeaseTerms,
): LeaseClaims {
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
