import { type License, type LicenseKey, parseKeyName, toEndDate } from '@latchkey/commerce'
import {
  goneStatus,
  type LeaseClaims,
  leaseIssuer,
  leaseType,
  nonceHeader,
  trustedKeysHeader,
} from '@latchkey/services/leases'
import type { OfflineClaims, ReleaseTicketKey } from '@latchkey/services/offline'
import { calculateJwkThumbprint, importJWK, SignJWT } from 'jose'
import { GatewayConfigError } from '../gateway-config-error.ts'
import type { Reply } from '../http/reply.ts'
import { sha256 } from '../sha256.ts'
import type { SigningKey } from './signing-keys.ts'

const dayMs = 86_400_000

/** How long a lease is valid. */
interface LeaseSpan {
  readonly leaseDays: number
  /** How many days it may extend past the license's end. */
  readonly renewalGraceDays: number
}

/** The license and key that a lease is about, the request's nonce, and how long the lease is valid. */
interface LeaseTerms extends LeaseSpan {
  /** SHA-256 of the license key as base64url. Commerce UUIDs must be lowercase. */
  readonly licenseHash: string
  /** ID of the device's key, spelled as in the lease. */
  readonly keyId: string
  readonly nonce: string
  /** The gateway's clock, in milliseconds since the epoch. */
  readonly nowMs: number
}

/** Returns the claims for a validated or activated key. @param answeredAtMs when the service answered. */
export function validatedClaims(
  terms: LeaseTerms,
  license: License,
  key: LicenseKey,
  answeredAtMs: number = terms.nowMs,
): LeaseClaims {
  const expiresMs = endMsOf(license)
  const entitled = license.status === 'ACTIVE' && license.suspended_at === null && expiresMs > terms.nowMs
  // The license's end doesn't limit a lease that denies: after that end, it would be expired when issued.
  const latestMs = entitled ? expiresMs + terms.renewalGraceDays * dayMs : Number.POSITIVE_INFINITY
  return {
    ...goneClaims(terms),
    fp: parseKeyName(key.name).fingerprint,
    ent: entitled,
    sta: license.status,
    sus: license.suspended_at,
    lex: license.expires_at,
    ...(license.plan !== undefined && { plan: license.plan }),
    ...(license.features !== undefined && { feat: license.features }),
    exp: seconds(Math.min(answeredAtMs + terms.leaseDays * dayMs, latestMs)),
  }
}

/** Returns the claims for a key that the service no longer knows. */
export function goneClaims({ licenseHash, keyId, nonce, nowMs, leaseDays }: LeaseTerms): LeaseClaims {
  return {
    iss: leaseIssuer,
    lid: licenseHash,
    key: keyId,
    fp: null,
    ent: false,
    sta: goneStatus,
    sus: null,
    lex: null,
    nonce,
    iat: seconds(nowMs),
    exp: seconds(nowMs + leaseDays * dayMs),
  }
}

/** Returns when a license ends, in milliseconds since the epoch, parsed exactly as the app parses it. */
export function endMsOf({ expires_at }: License): number {
  if (expires_at === null) return Number.POSITIVE_INFINITY
  return toEndDate(expires_at)?.getTime() ?? Number.NEGATIVE_INFINITY
}

function seconds(ms: number): number {
  return Math.floor(ms / 1000)
}

/** A client's request for a lease. */
export interface LeaseRequest {
  /** Repeated in the lease, which ties the lease to this request. */
  readonly nonce: string
  /** IDs of the keys the client trusts; empty if it didn't send them. */
  readonly trustedKeyIds: readonly string[]
}

const noncePattern = /^[A-Za-z0-9_-]{22,128}$/
const keyIdPattern = /^[A-Za-z0-9_-]{43}$/
const maxTrustedKeys = 8

/** @returns `null` if no lease is requested, `'invalid'` if the nonce is malformed. */
export function readLeaseRequest(headers: Headers): LeaseRequest | 'invalid' | null {
  const nonce = headers.get(nonceHeader)
  if (nonce === null) return null
  if (!noncePattern.test(nonce)) return 'invalid'
  const trustedKeyIds = (headers.get(trustedKeysHeader) ?? '')
    .split(',', maxTrustedKeys)
    .map((keyId) => keyId.trim())
    .filter((keyId) => keyIdPattern.test(keyId))
  return { nonce, trustedKeyIds }
}

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

/** A key that signs leases and offline activations, and seals release tickets. */
export interface LeaseSigner extends ReleaseTicketKey {
  /** @param type the `typ` of the protected header. @default the type of a lease. @returns a compact JWS */
  sign(claims: LeaseClaims | OfflineClaims, type?: string): string | Promise<string>
}

/** The vendor's signing keys. @throws {GatewayConfigError} if the platform rejects a key. */
export interface LeaseSigners {
  /** The active key first. */
  all(): Promise<readonly LeaseSigner[]>
  /**
   * Returns the first key that the client trusts, or else the active one.
   *
   * @param trustedKeyIds IDs, or prefixes of IDs, of the keys that the client trusts; empty if unknown.
   */
  forClient(trustedKeyIds: readonly string[]): Promise<LeaseSigner & { readonly isTrusted: boolean }>
}

/** @param signingKeys the active key first; the others sign only for clients that don't trust the active one. */
export function createLeaseSigners(
  signingKeys: readonly SigningKey[],
  leaseCrypto: LeaseCrypto = webCrypto,
): LeaseSigners {
  const imported = Promise.all(signingKeys.map((key) => importKey(key, leaseCrypto)))
  // `all` and `forClient` report the error. This handler prevents an unhandled rejection before either is called.
  imported.catch(() => {})
  return {
    all: () => imported,
    async forClient(trustedKeyIds) {
      const keys = await imported
      const trusted = keys.find(({ id }) => trustedKeyIds.some((prefix) => id.startsWith(prefix)))
      const signer = trusted ?? keys[0]
      if (signer === undefined) throw new GatewayConfigError(['There is no signing key.'])
      return { ...signer, isTrusted: trusted !== undefined || trustedKeyIds.length === 0 }
    },
  }
}

async function importKey(key: SigningKey, leaseCrypto: LeaseCrypto): Promise<LeaseSigner> {
  const { kty, crv, x, d } = key
  try {
    const id = await calculateJwkThumbprint({ kty, crv, x })
    const signClaims = await leaseCrypto.importKey(key)
    return { id, d, sign: (claims, typ = leaseType) => signClaims({ alg: 'EdDSA', typ, kid: id }, claims) }
  } catch {
    throw new GatewayConfigError([
      'A signing key is not a valid Ed25519 key: its public and private parts may not belong together.',
    ])
  }
}

/** The parts of a reply that issuing a lease sets. Empty if the client requested none. */
export type Issued = Pick<Reply, 'lease' | 'remark'>

/**
 * Issues a lease if the client requested one and there is a signing key. Otherwise, or if the client doesn't trust the
 * key, the remark gives the reason, because an app that requested a lease rejects such an answer.
 *
 * @param claimsOf the claims of this lease.
 */
export type IssueLease = (
  licenseId: string,
  keyId: string,
  leaseRequest: LeaseRequest | null,
  claimsOf: (terms: LeaseTerms) => LeaseClaims,
) => Promise<Issued>

export function createLeaseIssuer(
  signers: LeaseSigners | null,
  { sha256 }: Pick<LeaseCrypto, 'sha256'>,
  span: LeaseSpan,
  clock: () => number,
): IssueLease {
  return async (licenseId, keyId, leaseRequest, claimsOf) => {
    if (leaseRequest === null) return {}
    if (signers === null) return { remark: 'lease-not-signed' }
    const { nonce, trustedKeyIds } = leaseRequest
    const licenseHash = await sha256(licenseId)
    const claims = claimsOf({ licenseHash, keyId, nonce, nowMs: clock(), ...span })
    const signer = await signers.forClient(trustedKeyIds)
    const lease = { jws: await signer.sign(claims), entitling: claims.ent }
    return signer.isTrusted ? { lease } : { lease, remark: 'lease-key-untrusted' }
  }
}
