import type { LicenseFacts } from './license-facts.ts'

/** What became of a request to a licensing service. Nothing here is ever thrown. */
export type Outcome<Value> = Answer<Value> | Refusal | Unavailable

/** The service answered, in its documented form, about this license and this activation. */
export interface Answer<Value> {
  readonly kind: 'answer'
  readonly value: Value
  /** The answer's `Date` in milliseconds since the epoch. */
  readonly serverDateMs: number | null
  /**
   * The signed answer as text, to be kept and read again by `readProof`; `null` where answers aren't signed. It holds
   * the license key: treat it as a secret.
   */
  readonly proof: string | null
}

/** The service refused, for a reason that it documents. */
export interface Refusal {
  readonly kind: 'refusal'
  readonly reason: RefusalReason
  /** What the refusal says about the license; `null` when it says nothing. */
  readonly license: LicenseFacts | null
  /** An activation that was made before the reason came out and couldn't be undone: deactivate it later. */
  readonly leftoverActivationId: string | null
  readonly httpStatus: number | null
  /** The answer's `Date` in milliseconds since the epoch. */
  readonly serverDateMs: number | null
}

/**
 * - `unknown-license`: the service doesn't know the license key.
 * - `expired`, `suspended`, `inactive`: see `LicenseStatus`.
 * - `no-seat-left`: every seat is taken.
 * - `wrong-product`: the license key belongs to another product, store or plan.
 * - `test-license`: the license key was created in the service's test mode.
 * - `unknown-activation`: the license is known, this activation of it isn't.
 */
export type RefusalReason =
  | 'unknown-license'
  | 'expired'
  | 'suspended'
  | 'inactive'
  | 'no-seat-left'
  | 'wrong-product'
  | 'test-license'
  | 'unknown-activation'

/** Nothing definite is known. */
export interface Unavailable {
  readonly kind: 'unavailable'
  readonly cause: UnavailableCause
  /** The HTTP status; `null` when no answer came. */
  readonly httpStatus: number | null
  /** The answer's `Retry-After`, as the service sent it: bound it before you wait that long. */
  readonly retryAfterMs: number | null
  /** The answer's `Date` in milliseconds since the epoch. */
  readonly serverDateMs: number | null
  /** Whether the body was a JSON object or array, which a proxy's page isn't; `null` when none was read. */
  readonly bodyIsJson: boolean | null
  /**
   * Whether the request may have changed something at the service all the same. `false` proves that no seat was taken
   * or freed.
   */
  readonly mayHaveActed: boolean
  /** A code for a log, such as `ECONNREFUSED`, or what is wrong with the vendor's settings. Holds no secret. */
  readonly detail: string | null
}

/**
 * - `network`: no connection, or it broke.
 * - `timeout`: no whole answer in time, or status 408.
 * - `cancelled`: the caller's signal was aborted.
 * - `rate-limited`: status 429.
 * - `server-error`: another status that means "later" (425, 5xx).
 * - `access-denied`: 401, 403 or 407 without a reason that the service documents.
 * - `not-found`, `rejected`: 404 or 410, another 4xx, likewise. A proxy can send these too.
 * - `redirected`: a redirect, which is never followed.
 * - `unexpected-answer`: a body that the service doesn't send, such as a portal's page.
 * - `unsigned-answer`: the signature is missing, wrong, or stale.
 * - `misconfigured`: the vendor's settings don't fit; `detail` says which.
 */
export type UnavailableCause =
  | 'network'
  | 'timeout'
  | 'cancelled'
  | 'rate-limited'
  | 'server-error'
  | 'access-denied'
  | 'not-found'
  | 'rejected'
  | 'redirected'
  | 'unexpected-answer'
  | 'unsigned-answer'
  | 'misconfigured'
