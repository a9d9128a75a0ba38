import type { OfflineClaims } from '@latchkey/services/offline'
import { calculateJwkThumbprint, importJWK, SignJWT } from 'jose'
import { GatewayConfigError } from '../gateway-config-error.ts'
import { type LeaseClaims, leaseType } from './lease-claims.ts'
import type { SigningKey } from './signing-keys.ts'

/** Turns claims into a lease, or into the answer to a computer without internet. */
export interface LeaseSigner {
  /**
   * @param trustedKeyIds ids of the keys the client said it trusts, or how they begin; empty when it said nothing.
   * @param type the `typ` of the protected header. @default that of a lease
   * @returns a compact JWS, signed by the first signing key the client trusts, else by the active one.
   */
  sign(claims: LeaseClaims | OfflineClaims, trustedKeyIds: readonly string[], type?: string): Promise<string>
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
    async sign(claims, trustedKeyIds, type = leaseType) {
      const keys = await imported
      const isTrusted = ({ keyId }: ImportedKey): boolean =>
        trustedKeyIds.some((trusted) => keyId.startsWith(trusted))
      const signer = keys.find(isTrusted) ?? keys[0]
      if (signer === undefined) throw new GatewayConfigError(['There is no signing key.'])
      return await new SignJWT({ ...claims })
        .setProtectedHeader({ alg: 'EdDSA', typ: type, kid: signer.keyId })
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
