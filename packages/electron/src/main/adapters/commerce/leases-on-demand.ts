import type { LeasePort } from '../../../core/ports/lease-port.ts'
import { onDemand } from '../../../shared/on-demand.ts'
import type { LeaseKey } from '../../options/lease-key.ts'
import type { LeaseVerifier } from './lease-verifier.ts'

/** Leases that can be verified once the verifier is loaded. */
export interface LeasesOnDemand extends LeasePort {
  /** Loads the verifier. Call it before the first `verify`. */
  load(): Promise<LeaseVerifier>
}

/** A lease verifier that is only loaded by apps with `leaseKeys`. */
export function createLeasesOnDemand(leaseKeys: readonly LeaseKey[]): LeasesOnDemand {
  let loaded: LeaseVerifier | null = null
  function verifier(): LeaseVerifier {
    if (loaded === null) throw new Error('The lease verifier is not loaded yet')
    return loaded
  }

  return {
    load: onDemand(async () => {
      const { createLeaseVerifier } = await import('./lease-verifier.ts')
      loaded = createLeaseVerifier(leaseKeys)
      return loaded
    }),
    verify: (jws, licenseId, keyId) => verifier().verify(jws, licenseId, keyId),
    verifyOffline: (jws, licenseId, keyId) => verifier().verifyOffline(jws, licenseId, keyId),
  }
}
