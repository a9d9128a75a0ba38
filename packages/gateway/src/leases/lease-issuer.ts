import type { License, LicenseKey } from '@latchkey/commerce'
import type { SignedLease } from '../reply.ts'
import type { LeaseClaims } from './lease-claims.ts'
import { goneClaims, type LeaseSpan, type LeaseTerms, validatedClaims } from './lease-claims-of.ts'
import type { LeaseRequest } from './lease-request.ts'
import type { LeaseSigner } from './lease-signer.ts'

/** Issues leases to clients that ask for one. Without a signing key, or without a request, it issues none. */
export interface LeaseIssuer {
  validated(
    license: License,
    key: LicenseKey,
    leaseRequest: LeaseRequest | null,
  ): Promise<SignedLease | undefined>
  gone(licenseId: string, keyId: string, leaseRequest: LeaseRequest | null): Promise<SignedLease | undefined>
}

export function createLeaseIssuer(
  signer: LeaseSigner | null,
  span: LeaseSpan,
  clock: () => number,
): LeaseIssuer {
  const issue = async (
    leaseRequest: LeaseRequest | null,
    claimsOf: (terms: LeaseTerms) => Promise<LeaseClaims>,
  ): Promise<SignedLease | undefined> => {
    if (signer === null || leaseRequest === null) return undefined
    const claims = await claimsOf({ nonce: leaseRequest.nonce, nowMs: clock(), ...span })
    return { jws: await signer.sign(claims, leaseRequest.trustedKeyIds), entitling: claims.ent }
  }
  return {
    validated: (license, key, leaseRequest) =>
      issue(leaseRequest, (terms) => validatedClaims(license, key, terms)),
    gone: (licenseId, keyId, leaseRequest) =>
      issue(leaseRequest, (terms) => goneClaims(licenseId, keyId, terms)),
  }
}
