import type { LicenseFacts } from './license-facts.ts'

/** The outcome of a call to a licensing service. Calls never throw. */
export type Outcome<Value> = Answer<Value> | Refusal | Unavailable

/** A success in the service's documented format, about this license and activation. */
export interface Answer<Value> {
  readonly kind: 'answer'
  /** What the service reports. */
  readonly value: Value
  /** The response's `Date` header in milliseconds since the epoch; `null` if there is none. */
  readonly serverDateMs: number | null
  /**
   * The signed response as text, to store and verify later with `readProof`; `null` if responses aren't signed. It
   * contains the license key, so treat it as a secret.
   */
  readonly proof: string | null
}

/** The service refused for a documented reason. */
export interface Refusal {
  readonly kind: 'refusal'
  /** Why the service refused. */
  readonly reason: RefusalReason
  /** What the refusal reports about the license; `null` if nothing. */
  readonly license: LicenseFacts | null
  /**
   * ID of an activation that was created before the refusal and couldn't be undone; `null` if there is none. Deactivate
   * it later.
   */
  readonly leftoverActivationId: string | null
  /**
   * Only for an `expired` license: the signed response, as in {@link Answer.proof}. `undefined` means the same as
   * `null`.
   */
  readonly proof?: string | null | undefined
  /** Set for an `unknown-activation` that exists, but for another device than the one that was asked about. */
  readonly isOtherDevices?: boolean | undefined
  /** Set if the service says the same about a license that it doesn't know, so one such refusal proves nothing. */
  readonly mayBeUnknown?: boolean | undefined
  /** The response's HTTP status; `null` without a response. */
  readonly httpStatus: number | null
  /** The response's `Date` header in milliseconds since the epoch; `null` if there is none. */
  readonly serverDateMs: number | null
}

/**
 * Why a service refused.
 *
 * - `unknown-license`: the service doesn't know the license key.
 * - `expired`, `suspended`, `inactive`: see `LicenseStatus`.
 * - `no-seat-left`: all seats are in use.
 * - `wrong-product`: the license key belongs to another product, store, or plan.
 * - `test-license`: the license key was created in the service's test mode.
 * - `unknown-activation`: the service knows the license, but not this activation.
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

/** There is no definite answer. */
export interface Unavailable {
  readonly kind: 'unavailable'
  /** What went wrong. */
  readonly cause: UnavailableCause
  /** The HTTP status; `null` without a response. */
  readonly httpStatus: number | null
  /**
   * The `Retry-After` in milliseconds, as the service sent it; `null` if there is none. Limit it before you wait that
   * long.
   */
  readonly retryAfterMs: number | null
  /** The response's `Date` header in milliseconds since the epoch; `null` if there is none. */
  readonly serverDateMs: number | null
  /**
   * Whether the body was a JSON object or array, and not in another form than the service's answers: that is from a proxy.
   * `null` if no body was read.
   */
  readonly bodyIsJson: boolean | null
  /**
   * Whether the request may have had an effect despite the failure. `false` proves that no seat was used or released.
   */
  readonly mayHaveActed: boolean
  /**
   * A code for the log, such as `ECONNREFUSED`, or the problem with the settings; `null` if there is none. No secret.
   */
  readonly detail: string | null
}

/**
 * Why there is no definite answer.
 *
 * - `network`: no connection, or it was lost.
 * - `timeout`: no complete response in time, or status 408.
 * - `cancelled`: the caller's signal was aborted.
 * - `rate-limited`: status 429.
 * - `server-error`: another temporary status (425, 5xx).
 * - `access-denied`: 401, 403, or 407 without a documented reason.
 * - `not-found`: 404 or 410 without a documented reason. A proxy can send these too.
 * - `rejected`: another 4xx without a documented reason. A proxy can send these too.
 * - `redirected`: a redirect. Redirects are never followed.
 * - `unexpected-answer`: a body that isn't from the service, such as the sign-in page of a network.
 * - `incomplete-answer`: the body was cut off, or the connection was lost before its end.
 * - `unsigned-answer`: the signature is missing, wrong, or too old.
 * - `misconfigured`: a setting is wrong, or the service reports a status that is new to the adapter. `detail` names it.
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
  | 'incomplete-answer'
  | 'unsigned-answer'
  | 'misconfigured'
