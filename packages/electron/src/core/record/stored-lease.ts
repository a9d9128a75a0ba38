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
  const verify = (jws: string): ReturnType<LeasePort['verify']> =>
    leases.verify(jws, licenseId, keyId, fingerprint)
  const verifyOffline = (jws: string): Lease | null => leases.verifyOffline?.(jws, licenseId, keyId) ?? null
  const lease = await trusted(activation.lease, fingerprint, verify)
  const offline = await trusted(activation.offline, fingerprint, verifyOffline)
  const [latest] = [lease, offline]
    .filter((one) => one !== null)
    .sort((one, other) => other.issuedAtMs - one.issuedAtMs)
  // It was issued in the past, so the time is at least that, regardless of the clock.
  const markMs = Math.max(vault.markMs, latest?.issuedAtMs ?? 0)
  // The record may have been edited, so plan and features are read from the signed text again.
  const { plan, features } = latest?.license ?? { plan: null, features: [] }
  return {
    ...vault,
    markMs,
    activation: {
      ...activation,
      lease: storedLease(lease ?? undefined, fingerprint),
      offline: storedLease(offline ?? undefined, fingerprint),
      license: { ...license, plan, features },
    },
  }
}

/** Returns what was signed for this device; `null` if nothing was, or that the device isn't entitled. */
async function trusted(
  stored: StoredLease | undefined,
  fingerprint: string,
  verify: (jws: string) => Lease | null | Promise<Lease | null>,
): Promise<Lease | null> {
  const verified = stored === undefined ? null : await verify(stored.jws)
  return verified !== null && storedLease(verified, fingerprint) !== undefined ? verified : null
}
