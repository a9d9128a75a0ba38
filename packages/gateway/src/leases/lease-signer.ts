import { calculateJwkThumbprint, importJWK, SignJWT } from 'jose'
import { GatewayConfigError } from '../gateway-config-error.ts'
import { type LeaseClaims, leaseType } from './lease-claims.ts'
import type { SigningKey } from './signing-keys.ts'

/** Turns claims into a lease. */
export interface LeaseSigner {
  /**
   * @param trustedKeyIds ids of the keys the client said it trusts; empty when it said nothing.
   * @returns a compact JWS, signed by the first signing key the client trusts, else by the active one.
   */
  sign(claims: LeaseClaims, trustedKeyIds: readonly string[]): Promise<string>
  /** Resolves once every key was imported. @throws {GatewayConfigError} when the platform refuses one. */
  ready(): Promise<void>
}

interface ImportedKey {
  readonly keyId: string
  readonly key: Awaited<ReturnType<typeof importJWK>>
}

/** @param signingKeys the active key first; the others sign only for clients that do not know the active one. */
export function createLeaseSigner(signingKeys: readonly SigningKey[]): LeaseSigner {
  const imported = Promise.all(signingKeys.map(importKey))
  // Whoever signs hears of a failure; nobody may have asked yet when it happens.
  imported.catch(() => {})

  return {
    async sign(claims, trustedKeyIds) {
      const keys = await imported
      const signer = keys.find(({ keyId }) => trustedKeyIds.includes(keyId)) ?? keys[0]
      if (signer === undefined) throw new GatewayConfigError(['There is no signing key.'])
      return await new SignJWT({ ...claims })
        .setProtectedHeader({ alg: 'EdDSA', typ: leaseType, kid: signer.keyId })
        .sign(signer.key)
    },
    async ready() {
      await imported
    },
  }
}

async function importKey({ kty, crv, x, d }: SigningKey): Promise<ImportedKey> {
  try {
    return {
      keyId: await calculateJwkThumbprint({ kty, crv, x }),
      key: await importJWK({ kty, crv, x, d }, 'EdDSA'),
    }
  } catch {
    throw new GatewayConfigError([
      'A signing key is no valid Ed25519 key: its two halves may not belong together.',
    ])
  }
}
