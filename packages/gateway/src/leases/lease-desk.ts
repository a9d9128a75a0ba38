import type { License, LicenseKey } from '@latchkey/commerce'
import type { SignedLease } from '../reply.ts'
import type { LeaseClaims } from './lease-claims.ts'
import { goneClaims, type LeaseSpan, type LeaseTerms, validatedClaims } from './lease-claims-of.ts'
import type { LeaseSigner } from './lease-signer.ts'
import type { LeaseWish } from './lease-wish.ts'

/** Hands out leases to whoever wants one. Without a signing key, or without a wish, there is none. */
export interface LeaseDesk {
  validated(license: License, key: LicenseKey, wish: LeaseWish | null): Promise<SignedLease | undefined>
  gone(licenseId: string, keyId: string, wish: LeaseWish | null): Promise<SignedLease | undefined>
}

export function createLeaseDesk(signer: LeaseSigner | null, span: LeaseSpan, clock: () => number): LeaseDesk {
  const issue = async (
    wish: LeaseWish | null,
    claimsOf: (terms: LeaseTerms) => Promise<LeaseClaims>,
  ): Promise<SignedLease | undefined> => {
    if (signer === null || wish === null) return undefined
    const claims = await claimsOf({ nonce: wish.nonce, nowMs: clock(), ...span })
    return { jws: await signer.sign(claims, wish.trustedKeyIds), entitling: claims.ent }
  }
  return {
    validated: (license, key, wish) => issue(wish, (terms) => validatedClaims(license, key, terms)),
    gone: (licenseId, keyId, wish) => issue(wish, (terms) => goneClaims(licenseId, keyId, terms)),
  }
}
