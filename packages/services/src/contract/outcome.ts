import type { ActivationList, LicenseFacts } from './license-service.ts'

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

/** All facts unknown. Adapters spread it and set the facts that they know. */
export const nothingTold: LicenseFacts = {
  id: null,
  status: null,
  endsAtMs: null,
  worksAfterEnd: false,
  seatLimit: null,
  seatsInUse: null,
  product: null,
  plan: null,
  isTest: null,
}

/** The response that an outcome is based on. */
interface Origin {
  readonly status: number
  readonly serverDateMs: number | null
}

export function answer<Value>(
  value: Value,
  serverDateMs: number | null,
  proof: string | null = null,
): Answer<Value> {
  return { kind: 'answer', value, serverDateMs, proof }
}

export function refusal(
  reason: RefusalReason,
  { status, serverDateMs }: Origin,
  license: LicenseFacts | null = null,
): Refusal {
  return { kind: 'refusal', reason, license, leftoverActivationId: null, httpStatus: status, serverDateMs }
}

/** A status that the adapter doesn't know, so that it can't say whether the license can be used. */
export function unknownStatus({ serverDateMs }: Pick<Origin, 'serverDateMs'>): Unavailable {
  return unavailable('misconfigured', { serverDateMs, detail: 'status' })
}

/**
 * Creates the outcome of a call without a definite answer. An adapter of your own and what stands before one use it.
 *
 * @param known what is known; everything else is `null`, and `mayHaveActed` is `false`.
 */
export function unavailable(cause: UnavailableCause, known: Partial<Unavailable> = {}): Unavailable {
  return {
    kind: 'unavailable',
    cause,
    httpStatus: null,
    retryAfterMs: null,
    serverDateMs: null,
    bodyIsJson: null,
    mayHaveActed: false,
    detail: null,
    ...known,
  }
}

/** A list of activations that was read to its end. */
interface ReadList extends ActivationList {
  readonly serverDateMs: number | null
}

/**
 * Compares a list with the number of activations that the license itself reports. A vendor's secret may only see the
 * activations of its own account, mode, or product, and then lists fewer without an error.
 *
 * @param seatsInUse what the license reports; `null` if it doesn't.
 * @param secret the option with the secret that authorized the list; `null` if it was the license key.
 */
export function checkedList(
  { activations, isWhole, serverDateMs }: ReadList,
  seatsInUse: number | null,
  secret: string | null,
): Outcome<ActivationList> {
  const expected = seatsInUse ?? 0
  if (isWhole && expected > 0 && activations.length === 0 && secret !== null) {
    const detail = `${secret} lists none of the seats in use (${expected}): check its account, product, and mode`
    return unavailable('unexpected-answer', { httpStatus: 200, bodyIsJson: true, serverDateMs, detail })
  }
  return answer<ActivationList>(
    { activations, isWhole: isWhole && expected <= activations.length },
    serverDateMs,
  )
}

/** How much older than another response a list may be, in milliseconds. */
const longestListAgeMs = 60_000

/**
 * Whether a list is from a cache, because it is much older than another response that was requested just before. Such a
 * list doesn't prove that an activation is gone. If only the list has a date, the other response is from another host, and
 * the list proves nothing either.
 *
 * @param answeredAtMs the other response's `Date` in milliseconds since the epoch; `null` if there is none.
 * @param listedAtMs the list's `Date` in milliseconds since the epoch; `null` if there is none.
 */
export function isOlderThan(answeredAtMs: number | null, listedAtMs: number | null): boolean {
  return listedAtMs !== null && (answeredAtMs === null || answeredAtMs - listedAtMs > longestListAgeMs)
}
