import type { License, LicenseKey } from '@latchkey/commerce'
import { keyFingerprint } from './key-fingerprint.ts'
import { goneStatus, type LeaseClaims, leaseIssuer } from './lease-claims.ts'
import { licenseHash } from './license-hash.ts'

const dayMs = 86_400_000

/** When a lease is issued and how long it may last. */
export interface LeaseTerms {
  readonly nonce: string
  /** The gateway's clock, milliseconds since the epoch. */
  readonly nowMs: number
  readonly leaseDays: number
}

/** What a validated or activated key's lease says. */
export async function validatedClaims(
  license: License,
  key: LicenseKey,
  { nonce, nowMs, leaseDays }: LeaseTerms,
): Promise<LeaseClaims> {
  const expiresMs = license.expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(license.expires_at)
  const entitled = license.status === 'ACTIVE' && license.suspended_at === null && expiresMs > nowMs
  // A "no" outlives the license it is about: bound to its end, it would be over before it is read.
  const endMs = entitled ? Math.min(nowMs + leaseDays * dayMs, expiresMs) : nowMs + leaseDays * dayMs
  return {
    iss: leaseIssuer,
    lid: await licenseHash(license.id),
    key: key.id.toLowerCase(),
    fp: keyFingerprint(key.name),
    ent: entitled,
    sta: license.status,
    sus: license.suspended_at,
    lex: license.expires_at,
    nonce,
    iat: seconds(nowMs),
    exp: seconds(endMs),
  }
}

/** What the lease of a key says that the service no longer knows. */
export async function goneClaims(
  licenseId: string,
  keyId: string,
  { nonce, nowMs, leaseDays }: LeaseTerms,
): Promise<LeaseClaims> {
  return {
    iss: leaseIssuer,
    lid: await licenseHash(licenseId),
    key: keyId.toLowerCase(),
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

function seconds(ms: number): number {
  return Math.floor(ms / 1000)
}
