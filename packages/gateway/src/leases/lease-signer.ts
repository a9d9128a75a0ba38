import type { OfflineClaims, ReleaseTicketKey } from '@latchkey/services/offline'
import { calculateJwkThumbprint } from 'jose'
import { GatewayConfigError } from '../gateway-config-error.ts'
import { type LeaseClaims, leaseType } from './lease-claims.ts'
import { type LeaseCrypto, type SignClaims, webCrypto } from './lease-crypto.ts'
import type { SigningKey } from './signing-keys.ts'

/** Signs the claims of a lease or of an offline activation. */
export interface LeaseSigner {
  /**
   * @param trustedKeyIds IDs, or prefixes of IDs, of the keys that the client trusts; empty if unknown.
   * @param type the `typ` of the protected header. The default is the type of a lease.
   * @returns a compact JWS, signed with the first signing key that the client trusts, or else with the active one.
   */
  sign(claims: LeaseClaims | OfflineClaims, trustedKeyIds: readonly string[], type?: string): Promise<string>
  /** Whether the client trusts one of the keys. `true` if it didn't say which keys it trusts. */
  isTrustedBy(trustedKeyIds: readonly string[]): Promise<boolean>
  /** The key that `sign` uses for this client, as what seals its release ticket. */
  ticketKeyFor(trustedKeyIds: readonly string[]): Promise<ReleaseTicketKey>
  /** All keys, as what opens release tickets. */
  ticketKeys(): Promise<readonly ReleaseTicketKey[]>
  /** Resolves when every key is imported. @throws {GatewayConfigError} if the platform rejects a key. */
  ready(): Promise<void>
}

interface ImportedKey extends ReleaseTicketKey {
  readonly signClaims: SignClaims
}

/** @param signingKeys the active key first; the others sign only for clients that don't trust the active one. */
export function createLeaseSigner(
  signingKeys: readonly SigningKey[],
  leaseCrypto: LeaseCrypto = webCrypto,
): LeaseSigner {
  const imported = Promise.all(signingKeys.map((key) => importKey(key, leaseCrypto)))
  // `sign` and `ready` report the error. This handler prevents an unhandled rejection before either is called.
  imported.catch(() => {})

  async function trustedKey(trustedKeyIds: readonly string[]): Promise<ImportedKey | undefined> {
    return (await imported).find(({ id }) => trustedKeyIds.some((trusted) => id.startsWith(trusted)))
  }

  async function signerFor(trustedKeyIds: readonly string[]): Promise<ImportedKey> {
    const signer = (await trustedKey(trustedKeyIds)) ?? (await imported)[0]
    if (signer === undefined) throw new GatewayConfigError(['There is no signing key.'])
    return signer
  }

  return {
    async sign(claims, trustedKeyIds, type = leaseType) {
      const { id, signClaims } = await signerFor(trustedKeyIds)
      return await signClaims({ alg: 'EdDSA', typ: type, kid: id }, claims)
    },
    async isTrustedBy(trustedKeyIds) {
      return trustedKeyIds.length === 0 || (await trustedKey(trustedKeyIds)) !== undefined
    },
    ticketKeyFor: signerFor,
    ticketKeys: () => imported,
    async ready() {
      await imported
    },
  }
}

async function importKey(key: SigningKey, leaseCrypto: LeaseCrypto): Promise<ImportedKey> {
  const { kty, crv, x } = key
  try {
    return {
      id: await calculateJwkThumbprint({ kty, crv, x }),
      d: key.d,
      signClaims: await leaseCrypto.importKey(key),
    }
  } catch {
    throw new GatewayConfigError([
      'A signing key is not a valid Ed25519 key: its public and private parts may not belong together.',
    ])
  }
}
