/**
 * The content of a lease, or of an answer that a service signed, with a valid signature. Times are milliseconds since the
 * epoch, by the signer's clock.
 */
export interface Lease {
  /** The signed text as received, so that it can be stored and verified again at the next launch. */
  readonly jws: string
  /** Fingerprint of the device it was issued to; `null` for a key that is gone. */
  readonly fingerprint: string | null
  readonly isEntitled: boolean
  /** Whether the license had ended by then. Then the lease doesn't entitle. */
  readonly hasEnded: boolean
  readonly issuedAtMs: number
  readonly expiresAtMs: number
  readonly license: SignedTerms
}

/** What a lease says about the license. */
export interface SignedTerms {
  /** When the license ends, as the service sent it; `null` if it has no end. */
  readonly expiresAt: string | null
  /** `null` if the lease names none. */
  readonly plan: string | null
  /** Empty if the lease names none. */
  readonly features: readonly string[]
}

/** Verifies that a lease comes from the gateway, or a signed answer from the service. */
export interface LeasePort {
  /**
   * Verifies a stored lease: it must be signed by a trusted key and be about this key of this license. The core decides
   * whether it has ended and whether it was issued to this device.
   *
   * @param fingerprint the device that the record names. A signed answer names it too, and no key.
   * @returns `null` if the lease can't be trusted; never throws or rejects.
   */
  verify(
    jws: string,
    licenseId: string,
    keyId: string,
    fingerprint: string,
  ): Lease | null | Promise<Lease | null>
  /**
   * Does the same for the stored answer to a computer without internet, which never passes for a lease. Absent if there
   * can be none.
   */
  verifyOffline?(jws: string, licenseId: string, keyId: string): Lease | null
}
