import { type CommerceError, isCommerceError } from '@latchkey/commerce'
import { type Reply, refused } from './reply.ts'

/** The longest `Retry-After` that is passed on: a mistyped one must not silence a fleet of apps for a year. */
export const longestRetryAfterMs = 3_600_000

/**
 * What the app is told when the service did not answer as asked. Its words, headers and the token stay behind. What was
 * a definite answer stays one, and nothing else becomes one.
 */
export function upstreamRefusal(error: unknown): Reply {
  if (!isCommerceError(error)) return refused(500, 'internal')
  return { ...reading(error), upstreamStatus: error.status }
}

/**
 * The same for the list of keys. A service may let this token activate and not list: the app then activates without
 * looking for an earlier activation, as it does without a gateway. A 502 would make it wait for a list that never comes.
 */
export function listRefusal(error: unknown): Reply {
  const isForbidden = isCommerceError(error) && error.code === 'unauthorized' && error.status === 403
  // A proxy's page is not the service's word.
  if (!isForbidden || error.bodyIsJson !== true) return upstreamRefusal(error)
  return { ...refused(403, 'list-not-allowed'), upstreamStatus: error.status }
}

function reading(error: CommerceError): Reply {
  switch (error.code) {
    case 'not-found': {
      const reply = error.status === 410 ? refused(410, 'gone') : refused(404, 'not-found')
      // A proxy's page says nothing about a license: without JSON it stays without JSON, which revokes nobody.
      return error.bodyIsJson === true ? reply : { ...reply, body: null }
    }
    case 'rejected':
      return refused(error.status === 400 || error.status === 409 ? error.status : 422, 'rejected')
    case 'unauthorized':
      // Never 401: it is the vendor's token, the user can do nothing about it.
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
