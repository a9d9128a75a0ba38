import { type CommerceError, isCommerceError } from '@latchkey/commerce'
import type { Unavailable, UnavailableCause } from '../contract/outcome.ts'
import { unavailable } from '../contract/outcomes.ts'

/**
 * Converts the error of a failed call. The service doesn't document its errors, so a status alone never becomes a
 * refusal. Only the list shows whether an activation is gone.
 *
 * @param acts whether the call uses or releases a seat.
 */
export function readError(error: unknown, acts: boolean): Unavailable {
  if (!isCommerceError(error)) return unavailable('network', { mayHaveActed: acts })
  return unavailable(causeOf(error), {
    httpStatus: error.status,
    retryAfterMs: error.retryAfterMs,
    serverDateMs: error.serverDateMs,
    bodyIsJson: error.bodyIsJson,
    mayHaveActed: acts && error.code !== 'invalid-argument',
    detail: error.field === null ? codeOf(error.cause) : `field ${error.field}`,
  })
}

function causeOf({ code, status, reason, bodyIsCut }: CommerceError): UnavailableCause {
  if (bodyIsCut) return 'incomplete-answer'
  switch (code) {
    case 'unauthorized':
      return 'access-denied'
    case 'not-found':
      return 'not-found'
    case 'rejected':
      return 'rejected'
    case 'cancelled':
      return 'cancelled'
    case 'invalid-argument':
      return 'misconfigured'
    case 'unexpected-answer':
      return status !== null && status >= 300 && status < 400 ? 'redirected' : 'unexpected-answer'
    case 'unreachable':
      if (reason === 'timeout' || status === 408) return 'timeout'
      if (status === 429) return 'rate-limited'
      return reason === 'network' ? 'network' : 'server-error'
    default:
      return 'unexpected-answer'
  }
}

function codeOf(cause: unknown): string | null {
  for (let it = cause, depth = 0; it instanceof Error && depth < 5; it = it.cause, depth += 1) {
    if ('code' in it && typeof it.code === 'string' && /^[A-Z][A-Z\d_]{1,39}$/u.test(it.code)) return it.code
  }
  return null
}
