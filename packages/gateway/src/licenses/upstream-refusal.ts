import { type CommerceError, isCommerceError } from '@latchkey/commerce'
import { type Reply, refused } from '../http/reply.ts'
import { AllowRuleError } from './allow-rule.ts'
import { internalDetail } from './internal-detail.ts'
import { networkCodeOf } from './network-code.ts'
import { refusalDetail, unexpectedDetail } from './unexpected-detail.ts'

/** The longest `Retry-After` passed on, so that a wrong value can't stop apps from retrying for months. */
export const longestRetryAfterMs = 3_600_000

/**
 * Creates the reply for an error of the service, without the service's text and headers. Only a definite refusal from
 * the service becomes a definite refusal for the app.
 */
export function upstreamRefusal(error: unknown): Reply {
  if (!isCommerceError(error)) return internalFailure(error)
  return { ...reading(error), upstreamStatus: error.status }
}

/** Creates the reply if the gateway itself or a rule of the vendor failed. */
export function internalFailure(error: unknown): Reply {
  const reply: Reply = { ...refused(500, 'internal'), detail: internalDetail(error) }
  return error instanceof AllowRuleError ? { ...reply, remark: 'allow-not-boolean' } : reply
}

/** The code for a list of keys that can't be had, although nothing may be wrong with the license. */
export type UnlistedCode = 'list-not-allowed' | 'list-unreadable'

/**
 * Like {@link upstreamRefusal}, for the list of keys. If only the list can't be had, the app activates without looking
 * for an earlier activation. A 502 would make it retry the list forever. The reply proves nothing about a key.
 *
 * @param answersOthers returns whether the service answers another request about the license. If it doesn't, the token
 * may be wrong, or a proxy may answer everything: the app then retries.
 */
export async function listRefusal(error: unknown, answersOthers: () => Promise<boolean>): Promise<Reply> {
  const code = isCommerceError(error) ? unlistedCode(error) : null
  if (!isCommerceError(error) || code === null) return upstreamRefusal(error)
  // A service states with a 403 that the token is valid, but may not list. An empty one may be from a proxy.
  const isStated = error.status === 403 && !error.bodyIsEmpty
  if (!isStated && !(await answersOthers())) return upstreamRefusal(error)
  return unlisted(code, error.status, code === 'list-unreadable' ? unexpectedDetail(error) : null)
}

/** Creates the reply for a list that can't be had. Every version of the app activates after a 403 to the list. */
export function unlisted(
  code: UnlistedCode,
  upstreamStatus: number | null,
  detail: string | null = null,
): Reply {
  return { ...refused(403, code), upstreamStatus, detail }
}

/** Returns `null` for a failure that may pass, and for a page in place of JSON, which is from a proxy. */
function unlistedCode({
  code,
  status,
  operation,
  bodyIsJson,
  bodyIsEmpty,
  bodyIsTooLarge,
}: CommerceError): UnlistedCode | null {
  if (operation !== 'licenses.keys') return null
  switch (code) {
    case 'unauthorized':
      return (status === 401 || status === 403) && (bodyIsJson || bodyIsEmpty) ? 'list-not-allowed' : null
    case 'unexpected-answer': {
      // Without a status, the list was readable but doesn't end.
      const isSuccess = status === null || (status >= 200 && status < 300)
      return isSuccess && (bodyIsJson !== false || bodyIsTooLarge) && !bodyIsEmpty ? 'list-unreadable' : null
    }
    case 'untrusted-link':
      return 'list-unreadable'
    default:
      return null
  }
}

/** A service may also answer an unknown license this way, so this is only a hint. */
const notFoundPage =
  'a page instead of JSON: if every request gets one, check LATCHKEY_UPSTREAM, or upstream.baseUrl in code, which usually ends with a version segment such as /v1'

function reading(error: CommerceError): Reply {
  switch (error.code) {
    case 'not-found': {
      const reply = error.status === 410 ? refused(410, 'gone') : refused(404, 'not-found')
      // Without JSON, the response is from a proxy. Passed on without JSON, it can't revoke an activation.
      return error.bodyIsJson === true ? reply : { ...reply, body: null, detail: notFoundPage }
    }
    case 'rejected':
      return {
        ...refused(error.status === 400 || error.status === 409 ? error.status : 422, 'rejected'),
        detail: refusalDetail(error),
      }
    case 'unauthorized':
      // Not a 401, because the token is the gateway's and not the app's.
      return refused(502, 'upstream-unauthorized')
    case 'unexpected-answer':
    case 'untrusted-link':
      return { ...refused(502, 'upstream-unexpected-answer'), detail: unexpectedDetail(error) }
    case 'unreachable':
      return unreachable(error)
    default:
      return refused(500, 'internal')
  }
}

/** Another gateway, or this one, recognized its own request. */
const loopBehind =
  "LATCHKEY_UPSTREAM, or upstream.baseUrl in code, leads to a gateway whose own requests come back to it: set it to the license service's address"

function unreachable(error: CommerceError): Reply {
  if (error.reason === 'timeout') return refused(504, 'upstream-timeout')
  if (error.reason === 'network')
    return { ...refused(502, 'upstream-unreachable'), detail: networkCodeOf(error) }
  if (error.status === 508 && error.refusalCode === 'upstream-loop')
    return { ...refused(508, 'upstream-loop'), detail: loopBehind }
  const reply = refused(503, 'upstream-busy')
  if (error.retryAfterMs === null) return reply
  return { ...reply, retryAfterMs: Math.min(error.retryAfterMs, longestRetryAfterMs) }
}
