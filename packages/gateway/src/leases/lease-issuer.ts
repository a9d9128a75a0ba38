import type { License, LicenseKey } from '@latchkey/commerce'
import type { Reply } from '../http/reply.ts'
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

/** The parts of a reply that issuing a lease sets. Empty if the client requested none. */
export type Issued = Pick<Reply, 'lease' | 'remark'>

/**
 * Issues a lease if the client requested one and there is a signing key. Otherwise, or if the client doesn't trust the
 * key, the remark gives the reason, because an app that requested a lease rejects such an answer.
 */
export interface LeaseIssuer {
  /** @param answeredAtMs when the service answered. A lease doesn't last longer because an answer is repeated. */
  validated(
    subject: LeaseSubject,
    license: License,
    key: LicenseKey,
    leaseRequest: LeaseRequest | null,
    answeredAtMs: number,
  ): Promise<Issued>
  gone(subject: LeaseSubject, leaseRequest: LeaseRequest | null): Promise<Issued>
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
  ): Promise<Issued> => {
    if (leaseRequest === null) return {}
    if (signer === null) return { remark: 'lease-not-signed' }
    const { nonce, trustedKeyIds } = leaseRequest
    const licenseHash = await sha256(licenseId)
    const claims = claimsOf({ licenseHash, nonce, nowMs: clock(), ...span })
    const lease = { jws: await signer.sign(claims, trustedKeyIds), entitling: claims.ent }
    return (await signer.isTrustedBy(trustedKeyIds)) ? { lease } : { lease, remark: 'lease-key-untrusted' }
  }
  return {
    validated: (subject, license, key, leaseRequest, answeredAtMs) =>
      issue(subject, leaseRequest, (terms) => validatedClaims(subject, license, key, terms, answeredAtMs)),
    gone: (subject, leaseRequest) => issue(subject, leaseRequest, (terms) => goneClaims(subject, terms)),
  }
}
