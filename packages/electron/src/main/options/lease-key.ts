/** The public part of a gateway's signing key, as a JWK. Only Ed25519 is supported. */
export interface LeaseKey {
  /** `OKP` */
  readonly kty: string
  /** `Ed25519` */
  readonly crv: string
  /** base64url of the 32 bytes of the key. */
  readonly x: string
  /** Its RFC 7638 thumbprint, `EdDSA` and `sig`, as the gateway prints them. Optional. */
  readonly kid?: string | undefined
  readonly alg?: string | undefined
  readonly use?: string | undefined
}

/** A JWKS of these keys. It has several while a gateway changes its key. */
export interface LeaseKeys {
  readonly keys: readonly LeaseKey[]
}
