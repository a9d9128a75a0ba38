/** The public part of a gateway's signing key, as a JWK. Only Ed25519 is supported. */
export interface LeaseKey {
  /** Kind of key: `OKP`. */
  readonly kty: string
  /** Curve: `Ed25519`. */
  readonly crv: string
  /** The 32 bytes of the public key, as base64url. */
  readonly x: string
  /** ID of the key, its RFC 7638 thumbprint, as the gateway prints it. */
  readonly kid?: string | undefined
  /** `EdDSA`, as the gateway prints it. */
  readonly alg?: string | undefined
  /** `sig`, as the gateway prints it. */
  readonly use?: string | undefined
}

/** Public keys of a gateway, as a JSON Web Key Set (JWKS). It has several while the gateway replaces its key. */
export interface LeaseKeys {
  /** One or more keys. */
  readonly keys: readonly LeaseKey[]
}
