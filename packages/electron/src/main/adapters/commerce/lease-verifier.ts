import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto'
import { toEndDate } from '@latchkey/commerce'
import * as v from 'valibot'
import type { Lease, LeasePort } from '../../../core/ports/lease-port.ts'
import { isSameId } from '../../../core/record/same-id.ts'
import type { LeaseKey } from '../../options/lease-key.ts'
import {
  type LeaseClaims,
  leaseClaimsSchema,
  leaseProtectedHeaderSchema,
  leaseType,
  offlineLeaseSchema,
  offlineType,
} from './lease-claims.ts'

/** Why a signed text is not trusted. */
export type OpenFault = 'malformed' | 'other-type' | 'unknown-key' | 'bad-signature'

/** The claims of a signed text, or why it is not trusted. */
export type OpenedJws =
  | { readonly ok: true; readonly payload: unknown }
  | { readonly ok: false; readonly fault: OpenFault }

/** Verifies leases with the keys this app trusts. */
export interface LeaseVerifier extends LeasePort {
  /** Ids of the trusted keys. */
  readonly keyIds: readonly string[]
  /** Returns the claims of a signed text of this type, not parsed. */
  open(jws: string, type: string): OpenedJws
  /** Returns the claims of a lease with a valid signature; `null` for any other. */
  claims(jws: string): LeaseClaims | null
  /** Whether claims are about this key of this license. */
  areAbout(claims: Pick<LeaseClaims, 'lid' | 'key'>, licenseId: string, keyId: string): boolean
  /** Returns the id of the key that a lease claims to be signed with, unverified; `null` if it names none. */
  signedBy(jws: string): string | null
  verify(jws: string, licenseId: string, keyId: string): Lease | null
  /** Verifies a stored answer to a computer without internet. */
  verifyOffline(jws: string, licenseId: string, keyId: string): Lease | null
  /** Converts a lease to the core's form. */
  leaseOf(jws: string, claims: LeaseClaims): Lease
}

const longestLease = 8_192

/**
 * Creates a verifier for compact JWS that uses Node's own crypto, because Electron before 28 has no global WebCrypto.
 *
 * @throws if a key isn't an Ed25519 key.
 */
export function createLeaseVerifier(leaseKeys: readonly LeaseKey[]): LeaseVerifier {
  const keys = new Map(leaseKeys.map((key) => [thumbprint(key), publicKey(key)]))

  function open(jws: string, type: string): OpenedJws {
    const refuse = (fault: OpenFault): OpenedJws => ({ ok: false, fault })
    if (jws.length > longestLease) return refuse('malformed')
    const [header, payload, signature, ...rest] = jws.split('.')
    if (header === undefined || payload === undefined || signature === undefined || rest.length > 0)
      return refuse('malformed')
    const parsedHeader = v.safeParse(leaseProtectedHeaderSchema, decode(header))
    if (!parsedHeader.success) return refuse('malformed')
    if (parsedHeader.output.typ !== type) return refuse('other-type')
    const key = keys.get(parsedHeader.output.kid)
    if (key === undefined) return refuse('unknown-key')
    const isGenuine = verify(
      null,
      Buffer.from(`${header}.${payload}`),
      key,
      Buffer.from(signature, 'base64url'),
    )
    return isGenuine ? { ok: true, payload: decode(payload) } : refuse('bad-signature')
  }

  function read<Claims>(jws: string, type: string, schema: v.GenericSchema<unknown, Claims>): Claims | null {
    const opened = open(jws, type)
    const parsed = opened.ok ? v.safeParse(schema, opened.payload) : null
    return parsed?.success === true ? parsed.output : null
  }

  const claims = (jws: string): LeaseClaims | null => read(jws, leaseType, leaseClaimsSchema)

  function areAbout(
    { lid, key }: Pick<LeaseClaims, 'lid' | 'key'>,
    licenseId: string,
    keyId: string,
  ): boolean {
    // The commerce service's UUIDs are hashed in lower case, other services' license keys exactly.
    const hashes = [licenseId, licenseId.toLowerCase()].map(sha256)
    return hashes.includes(lid) && isSameId(key, keyId)
  }

  function leaseOf(
    jws: string,
    {
      fp,
      ent,
      sus,
      iat,
      exp,
      lex,
      plan,
      feat,
    }: Omit<LeaseClaims, 'sta' | 'sus' | 'nonce'> & { readonly sus?: string | null },
  ): Lease {
    const endMs = lex === null ? null : (toEndDate(lex)?.getTime() ?? null)
    return {
      jws,
      fingerprint: fp,
      isEntitled: ent,
      // It may have been issued later in that second.
      hasEnded: !ent && sus === null && endMs !== null && endMs < (iat + 1) * 1000,
      issuedAtMs: iat * 1000,
      expiresAtMs: exp * 1000,
      license: { expiresAt: lex, plan: plan ?? null, features: feat ?? [] },
    }
  }

  return {
    keyIds: [...keys.keys()],
    open,
    claims,
    areAbout,
    leaseOf,
    signedBy(jws) {
      const header = v.safeParse(
        leaseProtectedHeaderSchema,
        decode(jws.slice(0, longestLease).split('.')[0] ?? ''),
      )
      return header.success ? header.output.kid.slice(0, 64) : null
    },
    verify(jws, licenseId, keyId) {
      const found = claims(jws)
      return found !== null && areAbout(found, licenseId, keyId) ? leaseOf(jws, found) : null
    },
    verifyOffline(jws, licenseId, keyId) {
      const found = read(jws, offlineType, offlineLeaseSchema)
      return found !== null && areAbout(found, licenseId, keyId)
        ? leaseOf(jws, { ...found, ent: true })
        : null
    },
  }
}

function publicKey({ kty, crv, x }: LeaseKey): KeyObject {
  return createPublicKey({ key: { kty, crv, x }, format: 'jwk' })
}

/** RFC 7638: the hash of the key's required members, sorted by name. */
function thumbprint({ kty, crv, x }: LeaseKey): string {
  return sha256(JSON.stringify({ crv, kty, x }))
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}

function decode(part: string): unknown {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString('utf8'))
  } catch {
    return null
  }
}
