import { type CommerceError, isCommerceError } from '@latchkey/commerce'
import { type Reply, refused } from '../http/reply.ts'

/** The longest `Retry-After` passed on, so that a wrong value can't stop apps from retrying for months. */
export const longestRetryAfterMs = 3_600_000

/**
 * Creates the reply for an error of the service, without the service's text and headers. Only a definite refusal from
 * the service becomes a definite refusal for the app.
 */
export function upstreamRefusal(error: unknown): Reply {
  if (!isCommerceError(error)) return refused(500, 'internal')
  return { ...reading(error), upstreamStatus: error.status }
}

/**
 * Like {@link upstreamRefusal}, for the list of keys. A token may be allowed to activate but not to list. The app then
 * activates without looking for an earlier activation. A 502 would make it retry the list forever.
 */
export function listRefusal(error: unknown): Reply {
  const isForbidden = isCommerceError(error) && error.code === 'unauthorized' && error.status === 403
  // Without JSON, the response is from a proxy.
  if (!isForbidden || error.bodyIsJson !== true) return upstreamRefusal(error)
  return { ...refused(403, 'list-not-allowed'), upstreamStatus: error.status }
}

function reading(error: CommerceError): Reply {
  switch (error.code) {
    case 'not-found': {
      const reply = error.status === 410 ? refused(410, 'gone') : refused(404, 'not-found')
      // Without JSON, the response is from a proxy. Passed on without JSON, it can't revoke an activation.
      return error.bodyIsJson === true ? reply : { ...reply, body: null }
    }
    case 'rejected':
      return refused(error.status === 400 || error.status === 409 ? error.status : 422, 'rejected')
    case 'unauthorized':
      // Not a 401, because the token is the gateway's and not the app's.
      return refused(502, 'upstream-unauthorized')
    case 'unexpected-answer':
    case 'untrusted-link':
      return refused(502, 'upstream-unexpected-answer')
    case 'unreachable':
      return unreachable(error)
    default:
      return refused(500, 'internal')
  }
}

function unreachable(error: CommerceError): Reply {
  if (error.reason === 'timeout') return refused(504, 'upstream-timeout')
  if (error.reason === 'network') return refused(502, 'upstream-unreachable')
  const reply = refused(503, 'upstream-busy')
  if (error.retryAfterMs === null) return reply
  return { ...reply, retryAfterMs: Math.min(error.retryAfterMs, longestRetryAfterMs) }
}
