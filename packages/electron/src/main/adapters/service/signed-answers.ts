import type { LicenseFacts, LicenseService } from '@latchkey/services'
import type { Lease, LeasePort } from '../../../core/ports/lease-port.ts'
import { formatTimestamp } from '../../../shared/timestamp.ts'
import { nodeCrypto } from './node-crypto.ts'

/**
 * Reads a service's signed answers as leases. They have no end of their own.
 *
 * @param lastsMs how long a signed answer entitles offline, in milliseconds.
 */
export function createSignedAnswers(
  readProof: NonNullable<LicenseService['readProof']>,
  lastsMs: number,
): LeasePort {
  return {
    async verify(proof, licenseKey, _activationId, fingerprint): Promise<Lease | null> {
      const call = { crypto: nodeCrypto }
      const signed = await readProof(proof, { licenseKey, fingerprint }, call).catch(() => null)
      if (signed === null) return null
      const { signedAtMs, license } = signed
      const hasEnded = license.status === 'expired'
      return {
        jws: proof,
        fingerprint,
        isEntitled: !hasEnded,
        hasEnded,
        issuedAtMs: signedAtMs,
        expiresAtMs: signedAtMs + lastsMs,
        license: { expiresAt: endOf(license), plan: license.plan, features: license.features ?? [] },
      }
    },
  }
}

/** A license that keeps working after its end has none. */
function endOf({ endsAtMs, worksAfterEnd }: LicenseFacts): string | null {
  return typeof endsAtMs === 'number' && !worksAfterEnd ? formatTimestamp(endsAtMs) : null
}
