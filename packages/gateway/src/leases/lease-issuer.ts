import type { License, LicenseKey } from '@latchkey/commerce'
import type { SignedLease } from '../http/reply.ts'
import type { LeaseClaims } from './lease-claims.ts'
import {
  goneClaims,
  type LeaseSpan,
  type LeaseSubject,
  type LeaseTerms,
  validatedClaims,
} from './lease-claims-of.ts'
import type { LeaseCrypto } from './lease-crypto.ts'
import type { LeaseRequest } from './lease-request.ts'
import type { LeaseSigner } from './lease-signer.ts'

/** Issues a lease if the client requested one and there is a signing key. */
export interface LeaseIssuer {
  validated(
    subject: LeaseSubject,
    license: License,
    key: LicenseKey,
    leaseRequest: LeaseRequest | null,
  ): Promise<SignedLease | undefined>
  gone(subject: LeaseSubject, leaseRequest: LeaseRequest | null): Promise<SignedLease | undefined>
}

export function createLeaseIssuer(
  signer: LeaseSigner | null,
  { sha256 }: Pick<LeaseCrypto, 'sha256'>,
  span: LeaseSpan,
  clock: () => number,
): LeaseIssuer {
  const issue = async (
    { licenseId }: LeaseSubject,
    leaseRequest: LeaseRequest | null,
    claimsOf: (terms: LeaseTerms) => LeaseClaims,
  ): Promise<SignedLease | undefined> => {
    if (signer === null || leaseRequest === null) return undefined
    const licenseHash = await sha256(licenseId)
    const claims = claimsOf({ licenseHash, nonce: leaseRequest.nonce, nowMs: clock(), ...span })
    return { jws: await signer.sign(claims, leaseRequest.trustedKeyIds), entitling: claims.ent }
  }
  return {
    validated: (subject, license, key, leaseRequest) =>
      issue(subject, leaseRequest, (terms) => validatedClaims(subject, license, key, terms)),
    gone: (subject, leaseRequest) => issue(subject, leaseRequest, (terms) => goneClaims(subject, terms)),
  }
}
