import { type License, type LicenseKey, toEndDate } from '@latchkey/commerce'
import { keyFingerprint } from './key-fingerprint.ts'
import { goneStatus, type LeaseClaims, leaseIssuer } from './lease-claims.ts'
import { licenseHash } from './license-hash.ts'

const dayMs = 86_400_000

/** How long a lease is valid. */
export interface LeaseSpan {
  readonly leaseDays: number
  /** How many days it may extend past the license's end. */
  readonly renewalGraceDays: number
}

/** The request's nonce, the time of issue, and how long the lease is valid. */
export interface LeaseTerms extends LeaseSpan {
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
export async function validatedClaims(
  { licenseId, keyId }: LeaseSubject,
  license: License,
  key: LicenseKey,
  { nonce, nowMs, leaseDays, renewalGraceDays }: LeaseTerms,
): Promise<LeaseClaims> {
  const expiresMs = endMsOf(license)
  const entitled = license.status === 'ACTIVE' && license.suspended_at === null && expiresMs > nowMs
  // The license's end doesn't limit a lease that denies: after that end, it would be expired when issued.
  const latestMs = entitled ? expiresMs + renewalGraceDays * dayMs : Number.POSITIVE_INFINITY
  const endMs = Math.min(nowMs + leaseDays * dayMs, latestMs)
  return {
    iss: leaseIssuer,
    lid: await licenseHash(licenseId),
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
export async function goneClaims(
  { licenseId, keyId }: LeaseSubject,
  { nonce, nowMs, leaseDays }: LeaseTerms,
): Promise<LeaseClaims> {
  return {
    iss: leaseIssuer,
    lid: await licenseHash(licenseId),
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
