import { isSameId } from '@latchkey/commerce'
import { type LeaseClaims, leaseClaimsSchema, leaseIssuer, leaseType } from '@latchkey/services/leases'
import { createLocalJWKSet, errors, type JWK, jwtVerify } from 'jose'
import { uuidOnly } from '../http/routes.ts'
import { sha256 } from '../sha256.ts'

/** What to check a lease against. Optional fields that are unset aren't checked. */
export interface LeaseExpectation {
  /** The trusted keys as a JWKS: the value of the app's `leaseKeys` option. */
  readonly leaseKeys: { readonly keys: readonly JWK[] }
  /** The current time, in milliseconds since the epoch. */
  readonly nowMs: number
  /** How far in the future a lease may be issued, in seconds. @default 60 */
  readonly toleranceSeconds?: number
  /** The nonce sent with the request. Leave it out for a stored lease. */
  readonly nonce?: string
  /** The license key. */
  readonly licenseId?: string
  /** ID of the device's key. */
  readonly keyId?: string
  /** The fingerprint of this device. A lease for a key that is gone matches any fingerprint. */
  readonly fingerprint?: string
}

/**
 * Why a lease is not trusted.
 *
 * - `malformed`: not a compact JWS, another `typ`, or missing or invalid claims.
 * - `unknown-key`: signed with an untrusted key, or without a `kid`.
 * - `bad-signature`: the signature is wrong, or the algorithm isn't EdDSA.
 * - `expired`: its end has passed.
 * - `not-yet-valid`: issued in the future, beyond the tolerance.
 * - `other-nonce`, `other-license`, `other-key`, `other-device`: not what was expected.
 */
export type LeaseRefusal =
  | 'malformed'
  | 'unknown-key'
  | 'bad-signature'
  | 'expired'
  | 'not-yet-valid'
  | 'other-nonce'
  | 'other-license'
  | 'other-key'
  | 'other-device'

/** The result of {@link verifyLease}. */
export type LeaseVerdict =
  | { readonly trusted: true; readonly claims: LeaseClaims }
  | { readonly trusted: false; readonly refusal: LeaseRefusal }

/**
 * Verifies a lease: its signature, its times, and that it matches the expectation. An invalid lease never throws.
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
        // With a single key in the set, jose would accept a header without kid.
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

/** Commerce license keys are lowercased before hashing. */
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

/** Returns the `lid` of a lease: the license key's SHA-256 as base64url. Commerce UUIDs must be lowercase. */
export function licenseHash(licenseId: string): Promise<string> {
  return sha256(licenseId)
}
