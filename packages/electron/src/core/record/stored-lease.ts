import type { Lease, LeasePort } from '../ports/lease-port.ts'
import { endOf } from './proven-end.ts'
import type { LicensedReading } from './reading.ts'
import type { StoredLease, Vault, Verdict } from './vault.ts'

/**
 * The lease to store; `undefined` if it was issued to another device, or if it neither entitles nor says that the
 * license has ended. A license that has ended may still cover this build.
 */
export function storedLease(
  lease: Lease | undefined,
  fingerprint: string,
  verdict: Verdict,
): StoredLease | undefined {
  if (lease === undefined || lease.fingerprint !== fingerprint) return undefined
  const saysSo = verdict === 'expired' ? lease.hasEnded : lease.isEntitled
  if (!saysSo) return undefined
  const { jws, issuedAtMs, expiresAtMs } = lease
  return { jws, issuedAtMs, expiresAtMs }
}

/** Whether a valid license came without the required lease for this device, because its key has another name. */
export function lacksLease(
  { verdict, lease }: LicensedReading,
  fingerprint: string,
  leases: LeasePort | undefined,
): boolean {
  return leases !== undefined && verdict === 'valid' && storedLease(lease, fingerprint, verdict) === undefined
}

/** Whether the signature was trusted when the record was read. Otherwise the text is only kept to be verified again. */
export function isTrusted(lease: StoredLease | undefined): lease is StoredLease {
  return lease !== undefined && lease.expiresAtMs > 0
}

/** Returns the text of a lease whose signature is trusted; `null` if there is none. */
export function trustedText(lease: StoredLease | undefined): string | null {
  return isTrusted(lease) ? lease.jws : null
}

/**
 * Returns the vault with only those lease facts that the gateway or the service signed. An edited end, a lease of another device or
 * license, or a signature that isn't trusted counts as no lease. A text without a trusted signature stays, because another
 * release of the app may trust it, or the next launch may be able to verify it.
 */
export async function withTrustedLease(vault: Vault, leases: LeasePort): Promise<Vault> {
  const { activation } = vault
  if (activation === null) return vault
  const { licenseId, keyId, fingerprint, verdict, license } = activation
  const verify = (jws: string): ReturnType<LeasePort['verify']> =>
    leases.verify(jws, licenseId, keyId, fingerprint)
  const verifyOffline = (jws: string): Lease | null => leases.verifyOffline?.(jws, licenseId, keyId) ?? null
  const lease = await verified(activation.lease, verify)
  const offline = await verified(activation.offline, verifyOffline)
  const held = storedLease(lease ?? undefined, fingerprint, verdict)
  const answer = storedLease(offline ?? undefined, fingerprint, 'valid')
  const [latest] = [held && lease, answer && offline]
    .filter((one) => one != null)
    .sort((one, other) => other.issuedAtMs - one.issuedAtMs)
  // It was issued in the past, so the time is at least that, regardless of the clock.
  const markMs = Math.max(vault.markMs, latest?.issuedAtMs ?? 0)
  // The record may have been edited, so what was signed is read from the signed text again.
  const terms = latest?.license ?? { expiresAt: license.expiresAt, plan: null, features: [] }
  // The end on record is the earlier one if the gateway didn't know it and signed the time of its answer instead.
  const isEarlier = verdict === 'expired' && endOf(license) < endOf(terms)
  return {
    ...vault,
    markMs,
    activation: {
      ...activation,
      // Without a signature, the last valid answer may be invented, but it can't be later than the record.
      validAtMs: Math.min(activation.validAtMs, markMs),
      decidedAtMs: Math.min(activation.decidedAtMs, markMs),
      lease: lease === null ? distrusted(activation.lease) : held,
      offline:
        offline === null
          ? distrusted(activation.offline)
          : answer && activation.offline && { ...activation.offline, ...answer },
      license: { ...license, ...terms, ...(isEarlier && { expiresAt: license.expiresAt }) },
    },
  }
}

/** Returns a text that entitles nothing. */
function distrusted<Stored extends StoredLease>(stored: Stored | undefined): Stored | undefined {
  return stored && { ...stored, issuedAtMs: 0, expiresAtMs: 0 }
}

/** Returns what was signed; `null` if there is nothing, or its signature isn't trusted. */
async function verified(
  stored: StoredLease | undefined,
  verify: (jws: string) => Lease | null | Promise<Lease | null>,
): Promise<Lease | null> {
  return stored === undefined ? null : verify(stored.jws)
}
