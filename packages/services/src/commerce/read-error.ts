import { type CommerceError, isCommerceError } from '@latchkey/commerce'
import type { Refusal, RefusalReason, Unavailable, UnavailableCause } from '../contract/outcome.ts'
import { refusal, unavailable } from '../contract/outcomes.ts'

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
    // An empty body says nothing about who sent it.
    bodyIsJson: error.bodyIsTooLarge || (error.bodyIsEmpty ? null : error.bodyIsJson),
    // A gateway checks its own limits before it asks the service.
    mayHaveActed: acts && error.code !== 'invalid-argument' && error.refusalCode !== 'too-many-requests',
    // A gateway's code names what is wrong with it or behind it.
    detail: error.refusalCode ?? (error.field === null ? codeOf(error.cause) : `field ${error.field}`),
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

/** The reasons that a gateway passes on from the service behind it. */
const reasons: Readonly<Record<string, RefusalReason>> = {
  'no-seat-left': 'no-seat-left',
  'wrong-product': 'wrong-product',
  'test-license': 'test-license',
  'license-expired': 'expired',
  'license-suspended': 'suspended',
  'license-inactive': 'inactive',
}

/**
 * Returns the reason of a gateway in front of another service; `null` if it gives none. A refused *validate* has none: only
 * an answer, which a gateway can sign, decides about a device that is already activated.
 */
export function readReason(error: unknown): Refusal | Unavailable | null {
  if (!isCommerceError(error)) return null
  const { status, refusalCode, serverDateMs } = error
  if (refusalCode === 'upstream-misconfigured') {
    // It may come from a later request than the one that took a seat.
    const known = { httpStatus: status, serverDateMs, bodyIsJson: true, mayHaveActed: true }
    return unavailable('misconfigured', known)
  }
  const isUnknown = status === 404 && refusalCode === 'not-found'
  const reason = isUnknown ? 'unknown-license' : status === 422 ? reasons[refusalCode ?? ''] : undefined
  return reason === undefined || status === null ? null : refusal(reason, { status, serverDateMs })
}
