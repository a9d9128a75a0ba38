import type { OfflineClaims } from '@latchkey/services/offline'
import { importJWK, SignJWT } from 'jose'
import { sha256 } from '../sha256.ts'
import type { LeaseClaims } from './lease-claims.ts'
import type { SigningKey } from './signing-keys.ts'

/** The protected header of a signed answer. */
export interface LeaseHeader {
  readonly alg: 'EdDSA'
  readonly typ: string
  readonly kid: string
}

/** Signs claims with one key. @returns a compact JWS */
export type SignClaims = (
  header: LeaseHeader,
  claims: LeaseClaims | OfflineClaims,
) => string | Promise<string>

/** The cryptography that signing answers needs. */
export interface LeaseCrypto {
  /** Returns the SHA-256 of a string as base64url. */
  sha256(text: string): string | Promise<string>
  /** Prepares a key for signing. Throws or rejects if its parts don't belong together, or the platform rejects it. */
  importKey(key: SigningKey): SignClaims | Promise<SignClaims>
}

/** WebCrypto, which every runtime has. */
export const webCrypto: LeaseCrypto = {
  sha256,
  async importKey({ kty, crv, x, d }) {
    const key = await importJWK({ kty, crv, x, d }, 'EdDSA')
    return (header, claims) => new SignJWT({ ...claims }).setProtectedHeader({ ...header }).sign(key)
  },
}
