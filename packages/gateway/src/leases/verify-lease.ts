import { createLocalJWKSet, errors, type JWK, jwtVerify } from 'jose'
import { isSameId, uuidOnly } from '../ids.ts'
import { type LeaseClaims, leaseClaimsSchema, leaseIssuer, leaseType } from './lease-claims.ts'
import { licenseHash } from './license-hash.ts'

/** What a lease has to be about. Whatever is left out is not looked at. */
export interface LeaseExpectation {
  /** The keys that are trusted, as a JWKS: an app's `leaseKeys`. */
  readonly leaseKeys: { readonly keys: readonly JWK[] }
  /** The time to check against, milliseconds since the epoch. */
  readonly nowMs: number
  /** How far ahead of `nowMs` a lease's issue may be, in seconds. @default 60 */
  readonly toleranceSeconds?: number
  /** The nonce sent with the request. A stored lease is checked without. */
  readonly nonce?: string
  readonly licenseId?: string
  readonly keyId?: string
  /** The fingerprint of this device. A lease about a key that is gone names none. */
  readonly fingerprint?: string
}

/** Why a lease is not believed. */
export type LeaseRefusal =
  /** No compact JWS, or not of this type, or claims that are missing or wrong. */
  | 'malformed'
  /** Signed by a key that is not trusted, or by none that is named. */
  | 'unknown-key'
  /** Not what the named key signed; also `alg: none`, HMAC, or any algorithm but EdDSA. */
  | 'bad-signature'
  | 'expired'
  | 'not-yet-valid'
  | 'other-nonce'
  | 'other-license'
  | 'other-key'
  | 'other-device'

/** What became of a lease. */
export type LeaseVerdict =
  | { readonly trusted: true; readonly claims: LeaseClaims }
  | { readonly trusted: false; readonly refusal: LeaseRefusal }

/**
 * Checks a lease: signature, time, and that it is about what it has to be about. Never throws for what a lease holds.
 *
 * @example
 * ```ts
 * const verdict = await verifyLease(response.headers.get('latchkey-lease') ?? '', {
 *   leaseKeys, nowMs: Date.now(), nonce, licenseId, keyId, fingerprint,
 * })
 * if (verdict.trusted && verdict.claims.ent) run()
 * ```
 */
export async function verifyLease(lease: string, expectation: LeaseExpectation): Promise<LeaseVerdict> {
  const findKey = createLocalJWKSet({ keys: [...expectation.leaseKeys.keys] })
  try {
    const { payload } = await jwtVerify(
      lease,
      (header, token) => {
        // With a single key in the set jose would take a header without kid for it.
        if (header.kid === undefined) throw new errors.JWKSNoMatchingKey()
        return findKey(header, token)
      },
      {
        algorithms: ['EdDSA'],
        typ: leaseType,
        issuer: leaseIssuer,
        currentDate: new Date(expectation.nowMs),
      },
    )
    const reading = leaseClaimsSchema.safeParse(payload)
    if (!reading.success) return { trusted: false, refusal: 'malformed' }
    const refusal = await mismatch(reading.data, expectation)
    return refusal === null ? { trusted: true, claims: reading.data } : { trusted: false, refusal }
  } catch (error) {
    return { trusted: false, refusal: refusalOf(error) }
  }
}

async function mismatch(claims: LeaseClaims, expectation: LeaseExpectation): Promise<LeaseRefusal | null> {
  const { nowMs, toleranceSeconds = 60, nonce, licenseId, keyId, fingerprint } = expectation
  if (claims.iat > nowMs / 1000 + toleranceSeconds) return 'not-yet-valid'
  if (nonce !== undefined && claims.nonce !== nonce) return 'other-nonce'
  if (licenseId !== undefined && !(await isHashOf(claims.lid, licenseId))) return 'other-license'
  if (keyId !== undefined && !isSameId(claims.key, keyId)) return 'other-key'
  const isAnotherDevice = fingerprint !== undefined && claims.fp !== fingerprint
  return isAnotherDevice && (claims.ent || claims.fp !== null) ? 'other-device' : null
}

/** The commerce service's license keys are hashed in lower case. */
async function isHashOf(hash: string, licenseId: string): Promise<boolean> {
  if (hash === (await licenseHash(licenseId))) return true
  return uuidOnly.test(licenseId) && hash === (await licenseHash(licenseId.toLowerCase()))
}

function refusalOf(error: unknown): LeaseRefusal {
  if (error instanceof errors.JWTExpired) return 'expired'
  if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys) {
    return 'unknown-key'
  }
  if (error instanceof errors.JWSSignatureVerificationFailed || error instanceof errors.JOSEAlgNotAllowed) {
    return 'bad-signature'
  }
  return 'malformed'
}
