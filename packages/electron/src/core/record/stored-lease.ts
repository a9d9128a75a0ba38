import type { Lease, LeasePort } from '../ports/lease-port.ts'
import type { LicensedReading } from './reading.ts'
import type { ActivationRecord, StoredLease, Vault } from './vault.ts'

/** What is kept of a lease: nothing of one that does not entitle, or was issued to another device. */
export function storedLease(lease: Lease | undefined, fingerprint: string): StoredLease | undefined {
  if (lease === undefined || !lease.isEntitled || lease.fingerprint !== fingerprint) return undefined
  const { jws, issuedAtMs, expiresAtMs } = lease
  return { jws, issuedAtMs, expiresAtMs }
}

/** Whether a valid license came without a lease for this device where one is required: its key bears another name. */
export function lacksLease(
  { verdict, lease }: LicensedReading,
  fingerprint: string,
  leases: LeasePort | undefined,
): boolean {
  return leases !== undefined && verdict === 'valid' && storedLease(lease, fingerprint) === undefined
}

/**
 * What was found on disk, with nothing left of it but what the gateway signed: an edited end, a lease of another
 * device or license, a signature that is no longer trusted are all as good as no lease.
 */
export function withTrustedLease(vault: Vault, leases: LeasePort): Vault {
  const { activation } = vault
  if (activation === null) return vault
  const lease = trustedLease(activation, leases)
  // It was issued at a moment that has passed: no clock can say otherwise.
  const markMs = Math.max(vault.markMs, lease?.issuedAtMs ?? 0)
  return { ...vault, markMs, activation: { ...activation, lease } }
}

function trustedLease(
  { lease, licenseId, keyId, fingerprint }: ActivationRecord,
  leases: LeasePort,
): StoredLease | undefined {
  const verified = lease === undefined ? null : leases.verify(lease.jws, licenseId, keyId)
  return storedLease(verified ?? undefined, fingerprint)
}
