/** The content of a lease with a valid signature. Times are milliseconds since the epoch, by the gateway's clock. */
export interface Lease {
  /** The lease as received, so that it can be stored and verified again at the next launch. */
  readonly jws: string
  /** Fingerprint of the device it was issued to; `null` for a key that is gone. */
  readonly fingerprint: string | null
  readonly isEntitled: boolean
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

/** Verifies that a lease comes from the gateway. */
export interface LeasePort {
  /**
   * Verifies a stored lease: it must be signed by a trusted key and be about this key of this license. The core decides
   * whether it has ended and whether it was issued to this device.
   *
   * @returns `null` if the lease can't be trusted; never throws.
   */
  verify(jws: string, licenseId: string, keyId: string): Lease | null
}
