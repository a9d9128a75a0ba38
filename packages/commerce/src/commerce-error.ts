import { type CommerceErrorCode, commerceErrorMessages } from './error-messages.ts'
import type { Operation } from './operation.ts'

/** What kept the service out of reach: nothing came back, nothing came back in time, or a status that says "later". */
export type UnreachableReason = 'network' | 'timeout' | 'http-status'

/** What is known about a failure. Whatever is left out is `null` on the error. */
export interface CommerceErrorDetails {
  operation?: Operation | null
  status?: number | null
  reason?: UnreachableReason | null
  retryAfterMs?: number | null
  bodyIsJson?: boolean | null
  bodyIsCut?: boolean
  bodyIsEmpty?: boolean
  field?: string | null
  serverDateMs?: number | null
  /** A short remark for the message; must hold no secret. */
  hint?: string
  cause?: unknown
}

/**
 * The one error this package throws. It holds no access token, no license id and no key id: not in its message, not
 * in its fields, not in its cause.
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
  readonly code: CommerceErrorCode
  /** The call that failed; `null` when the client itself could not be created. */
  readonly operation: Operation | null
  /** The HTTP status; `null` when no answer came. */
  readonly status: number | null
  /** Whether the same call may succeed later: true for `unreachable` and `unexpected-answer`. */
  readonly isRetryable: boolean
  /** The answer's `Retry-After` in milliseconds, as the service sent it: bound it before you wait that long. */
  readonly retryAfterMs: number | null
  /** Set for `unreachable` alone. */
  readonly reason: UnreachableReason | null
  /** Whether the answer's body was a JSON object or array, which a proxy's page is not; `null` when no body was read. */
  readonly bodyIsJson: boolean | null
  /** Whether the answer ended too soon: JSON that breaks off, or a connection that did. */
  readonly bodyIsCut: boolean
  /** Whether a success came without a body, such as a 204: what was asked for may be done all the same. */
  readonly bodyIsEmpty: boolean
  /** The first missing or wrong field of an `unexpected-answer`, like `license.expires_at` or `data[3].id`. */
  readonly field: string | null
  /** The answer's `Date` header in milliseconds since the epoch. */
  readonly serverDateMs: number | null

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
    this.field = details.field ?? null
    this.serverDateMs = details.serverDateMs ?? null
  }
}

/** Tells a {@link CommerceError} from anything else, also across realms and copies of this package. */
export function isCommerceError(value: unknown): value is CommerceError {
  return (
    value instanceof CommerceError ||
    (value instanceof Error && value.name === 'CommerceError' && 'code' in value)
  )
}

function messageOf(code: CommerceErrorCode, details: CommerceErrorDetails): string {
  const { operation, status, reason, field, hint } = details
  const facts = [
    operation,
    reason === 'timeout' ? 'timeout' : null,
    status == null ? null : `status ${status}`,
    field == null ? null : `field ${field}`,
    hint,
  ].filter((fact) => fact != null)
  return facts.length === 0
    ? `${commerceErrorMessages[code]}.`
    : `${commerceErrorMessages[code]} (${facts.join(', ')}).`
}
