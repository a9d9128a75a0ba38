import type { Lease, LeasePort } from '../ports/lease-port.ts'
import type { LicensedReading } from './reading.ts'
import type { StoredLease, Vault } from './vault.ts'

/** The lease to store; `undefined` if it doesn't entitle or was issued to another device. */
export function storedLease(lease: Lease | undefined, fingerprint: string): StoredLease | undefined {
  if (lease === undefined || !lease.isEntitled || lease.fingerprint !== fingerprint) return undefined
  const { jws, issuedAtMs, expiresAtMs } = lease
  return { jws, issuedAtMs, expiresAtMs }
}

/** Whether a valid license came without the required lease for this device, because its key has another name. */
export function lacksLease(
  { verdict, lease }: LicensedReading,
  fingerprint: string,
  leases: LeasePort | undefined,
): boolean {
  return leases !== undefined && verdict === 'valid' && storedLease(lease, fingerprint) === undefined
}

/**
 * Returns the vault with only those lease facts that the gateway or the service signed. An edited end, a lease of another device or
 * license, or a signature that is no longer trusted counts as no lease.
 */
export async function withTrustedLease(vault: Vault, leases: LeasePort): Promise<Vault> {
  const { activation } = vault
  if (activation === null) return vault
  const { licenseId, keyId, fingerprint, license } = activation
  const stored = activation.lease
  const verified =
    stored === undefined ? null : await leases.verify(stored.jws, licenseId, keyId, fingerprint)
  const lease = storedLease(verified ?? undefined, fingerprint)
  // The lease was issued in the past, so the time is at least that, regardless of the clock.
  const markMs = Math.max(vault.markMs, lease?.issuedAtMs ?? 0)
  // The record may have been edited, so plan and features are read from the signed text again.
  const { plan, features } = (lease && verified?.license) ?? { plan: null, features: [] }
  return { ...vault, markMs, activation: { ...activation, lease, license: { ...license, plan, features } } }
}
