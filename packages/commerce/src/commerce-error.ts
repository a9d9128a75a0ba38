/** The message of each {@link CommerceErrorCode}: what happened, and what to do next. */
export const commerceErrorMessages = {
  unreachable: 'The commerce service could not be reached; try again later',
  'unexpected-answer':
    'The answer did not come from the commerce service; check for a proxy or a login page on the network',
  unauthorized: 'The commerce service refused the access token; check that it is set and still valid',
  'not-found': 'The commerce service found nothing at this address; check the id and the base URL',
  rejected: 'The commerce service refused the request; the operation is not possible now',
  cancelled: 'The caller canceled the request',
  'invalid-argument': 'The request was not sent because an argument is invalid',
  'untrusted-link': 'The link to the next page is outside the base URL and was not followed',
} as const

/**
 * Why a call failed.
 *
 * - `unreachable`: no network, timeout, TLS, or an answer 408, 425, 429 or 5xx.
 * - `unexpected-answer`: a 2xx without the documented body, a redirect, or a body over the size limit.
 * - `unauthorized`: 401, 403 or 407.
 * - `not-found`: 404 or 410.
 * - `rejected`: any other 4xx, such as 400, 409 and 422.
 * - `cancelled`: the caller's signal was aborted.
 * - `invalid-argument`: an argument is invalid, so nothing was sent.
 * - `untrusted-link`: a page's `links.next` points outside the base URL and contains no page number.
 */
export type CommerceErrorCode = keyof typeof commerceErrorMessages

/** One operation of the service's interface, named like the client's method that performs it. */
export type Operation =
  | 'licenses.keys'
  | 'licenses.key'
  | 'licenses.activate'
  | 'licenses.validate'
  | 'licenses.deactivate'
  | 'discounts.list'
  | 'customers.list'

/** Why the service was unreachable: no answer, no answer in time, or a status that asks to try later. */
export type UnreachableReason = 'network' | 'timeout' | 'http-status'

/** Details of a failure, explained at the error's properties. None of them may contain a secret. */
export type CommerceErrorDetails = Partial<Omit<CommerceError, keyof Error | 'code' | 'isRetryable'>> & {
  readonly cause?: unknown
}

/**
 * The only error this package throws. Neither its message nor its fields nor its cause contain an access token, a
 * license id or a key id.
 *
 * @example
 * ```ts
 * try {
 *   await commerce.licenses.validate(licenseId, { key })
 * } catch (error) {
 *   if (isCommerceError(error) && error.isRetryable) return 'later'
 *   throw error
 * }
 * ```
 */
export class CommerceError extends Error {
  override readonly name = 'CommerceError' as const
  /** Why the call failed, stable across versions. See {@link CommerceErrorCode}. */
  readonly code: CommerceErrorCode
  /** The call that failed; `null` if the client itself could not be created. */
  readonly operation: Operation | null = null
  /** The HTTP status; `null` if there was no answer. */
  readonly status: number | null = null
  /** Whether the same call may succeed later: true for `unreachable` and `unexpected-answer`. */
  readonly isRetryable: boolean
  /**
   * The answer's `Retry-After` in milliseconds, as sent by the service; `null` if there is none. Limit it before you
   * wait that long.
   */
  readonly retryAfterMs: number | null = null
  /** Why the service was `unreachable`; `null` for every other code. */
  readonly reason: UnreachableReason | null = null
  /** Whether the answer's body was a JSON object or array, unlike a proxy's page; `null` if no body was read. */
  readonly bodyIsJson: boolean | null = null
  /** Whether the answer was incomplete: truncated JSON, or a broken connection. */
  readonly bodyIsCut: boolean = false
  /** Whether the answer had no body. After a success, such as a 204, the request may have been carried out. */
  readonly bodyIsEmpty: boolean = false
  /** Whether a success had a body of JSON, by its `Content-Type`, that is larger than `maxAnswerBytes`. */
  readonly bodyIsTooLarge: boolean = false
  /**
   * The first missing or wrong field of an `unexpected-answer`, such as `license.expires_at` or `data[3].id`; `null` if
   * there is none.
   */
  readonly field: string | null = null
  /** The answer's `Date` header in milliseconds since the epoch; `null` if there is none. */
  readonly serverDateMs: number | null = null
  /**
   * The `error` of a refusal's JSON body, such as a gateway's `no-seat-left`; `null` if there is none. The commerce
   * service documents no such field, so only a gateway's codes mean something.
   */
  readonly refusalCode: string | null = null
  /**
   * What is wrong in particular, such as `baseUrl must start with https://`; `null` if the code says it all. It names
   * options and arguments, never their values, and is part of the message.
   */
  readonly hint: string | null = null

  constructor(code: CommerceErrorCode, { cause, ...details }: CommerceErrorDetails = {}) {
    super(messageOf(code, details), cause === undefined ? undefined : { cause })
    this.code = code
    this.isRetryable = code === 'unreachable' || code === 'unexpected-answer'
    Object.assign(this, details)
  }
}

/** The code is `unreachable`, because nothing is known about the license, but the service was reached. */
const tooManyRequests = 'The limit of requests is reached'

function messageOf(code: CommerceErrorCode, details: CommerceErrorDetails): string {
  const { operation, status, reason, field, hint } = details
  const facts = [
    operation,
    reason === 'timeout' ? 'timeout' : null,
    status == null ? null : `status ${status}`,
    field == null ? null : `field ${field}`,
    hint,
  ].filter((fact) => fact != null)
  const message = status === 429 ? tooManyRequests : commerceErrorMessages[code]
  return facts.length === 0 ? `${message}.` : `${message} (${facts.join(', ')}).`
}

/** Whether a value is a {@link CommerceError}. Also works across copies of this package. */
export function isCommerceError(value: unknown): value is CommerceError {
  return value instanceof Error && value.name === 'CommerceError' && 'code' in value
}
