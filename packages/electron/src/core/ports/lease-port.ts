/** What a lease says whose signature was found good. Moments are milliseconds since the epoch, by the gateway's clock. */
export interface Lease {
  /** The lease as it came, to be stored and verified again at the next launch. */
  readonly jws: string
  /** Fingerprint of the device it was issued to; `null` for a key that is gone. */
  readonly fingerprint: string | null
  readonly isEntitled: boolean
  readonly issuedAtMs: number
  readonly expiresAtMs: number
}

/** Tells the gateway's word from anybody else's. */
export interface LeasePort {
  /**
   * Verifies a stored lease: signed by a trusted key, and about this key of this license. Whether it is over, and
   * whether it was issued to this device, is for the core to decide.
   *
   * @returns `null` when it is not to be trusted; never throws.
   */
  verify(jws: string, licenseId: string, keyId: string): Lease | null
}
