import { type CommerceErrorCode, commerceErrorMessages } from './error-messages.ts'
import type { Operation } from './operation.ts'

/** Why the service was unreachable: no answer, no answer in time, or a status that asks to try later. */
export type UnreachableReason = 'network' | 'timeout' | 'http-status'

/** Details of a failure, explained at the error's properties. A missing detail is `null` on the error. */
export interface CommerceErrorDetails {
  operation?: Operation | null
  status?: number | null
  reason?: UnreachableReason | null
  retryAfterMs?: number | null
  bodyIsJson?: boolean | null
  bodyIsCut?: boolean
  bodyIsEmpty?: boolean
  bodyIsTooLarge?: boolean
  field?: string | null
  serverDateMs?: number | null
  refusalCode?: string | null
  /** A short note for the message. Must not contain a secret. */
  hint?: string
  cause?: unknown
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
  readonly operation: Operation | null
  /** The HTTP status; `null` if there was no answer. */
  readonly status: number | null
  /** Whether the same call may succeed later: true for `unreachable` and `unexpected-answer`. */
  readonly isRetryable: boolean
  /**
   * The answer's `Retry-After` in milliseconds, as sent by the service; `null` if there is none. Limit it before you
   * wait that long.
   */
  readonly retryAfterMs: number | null
  /** Why the service was `unreachable`; `null` for every other code. */
  readonly reason: UnreachableReason | null
  /** Whether the answer's body was a JSON object or array, unlike a proxy's page; `null` if no body was read. */
  readonly bodyIsJson: boolean | null
  /** Whether the answer was incomplete: truncated JSON, or a broken connection. */
  readonly bodyIsCut: boolean
  /** Whether the answer had no body. After a success, such as a 204, the request may have been carried out. */
  readonly bodyIsEmpty: boolean
  /** Whether a success had a body of JSON, by its `Content-Type`, that is larger than `maxAnswerBytes`. */
  readonly bodyIsTooLarge: boolean
  /**
   * The first missing or wrong field of an `unexpected-answer`, such as `license.expires_at` or `data[3].id`; `null` if
   * there is none.
   */
  readonly field: string | null
  /** The answer's `Date` header in milliseconds since the epoch; `null` if there is none. */
  readonly serverDateMs: number | null
  /**
   * The `error` of a refusal's JSON body, such as a gateway's `no-seat-left`; `null` if there is none. The commerce
   * service documents no such field, so only a gateway's codes mean something.
   */
  readonly refusalCode: string | null
  /**
   * What is wrong in particular, such as `baseUrl must start with https://`; `null` if the code says it all. It names
   * options and arguments, never their values, and is part of the message.
   */
  readonly hint: string | null

  constructor(code: CommerceErrorCode, details: CommerceErrorDetails = {}) {
    super(messageOf(code, details), details.cause === undefined ? undefined : { cause: details.cause })
    this.code = code
    this.operation = details.operation ?? null
    this.status = details.status ?? null
    this.isRetryable = code === 'unreachable' || code === 'unexpected-answer'
    this.retryAfterMs = details.retryAfterMs ?? null
    this.reason = details.reason ?? null
    this.bodyIsJson = details.bodyIsJson ?? null
    this.bodyIsCut = details.bodyIsCut ?? false
    this.bodyIsEmpty = details.bodyIsEmpty ?? false
    this.bodyIsTooLarge = details.bodyIsTooLarge ?? false
    this.field = details.field ?? null
    this.serverDateMs = details.serverDateMs ?? null
    this.refusalCode = details.refusalCode ?? null
    this.hint = details.hint ?? null
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
