import type { Refusal, RefusalReason, Unavailable } from '@latchkey/services'
import type { GatewayCode } from '../gateway-codes.ts'
import { type Reply, refused } from '../http/reply.ts'
import { longestRetryAfterMs, type UnlistedCode, unlisted } from '../licenses/upstream-refusal.ts'

/** The reply for each refusal that a service documents. */
const refusals: Readonly<Record<RefusalReason, readonly [status: number, code: GatewayCode]>> = {
  'unknown-license': [404, 'not-found'],
  'unknown-activation': [404, 'not-found'],
  'no-seat-left': [422, 'no-seat-left'],
  'wrong-product': [422, 'wrong-product'],
  'test-license': [422, 'test-license'],
  expired: [422, 'license-expired'],
  suspended: [422, 'license-suspended'],
  inactive: [422, 'license-inactive'],
}

/** Creates the reply for a refusal that the service documents. */
export function replyOfRefusal({ reason, httpStatus }: Refusal): Reply {
  return { ...refused(...refusals[reason]), upstreamStatus: httpStatus }
}

/** Creates the reply if the service's response isn't definite. Only a documented refusal becomes a 404 in JSON. */
export function replyOfUnavailable(outcome: Unavailable): Reply {
  return { ...reading(outcome), upstreamStatus: outcome.httpStatus, detail: detailOf(outcome) }
}

const unsigned =
  "the answer has no valid signature of the service: check LATCHKEY_KEYGEN_PUBLIC_KEY, or publicKey in code. If only some answers haven't, a proxy changes them"

/** Keygen can't sign an answer about an account that it doesn't know. */
const unsignedNotFound =
  'a 404 without a valid signature of the service: check LATCHKEY_KEYGEN_ACCOUNT and LATCHKEY_KEYGEN_PUBLIC_KEY, or account and publicKey in code. If you set LATCHKEY_KEYGEN_BASE_URL, or baseUrl in code, it has no /v1 at its end'

const unknownAccount =
  "the service doesn't know the account: check LATCHKEY_KEYGEN_ACCOUNT, or account in code. If you set LATCHKEY_KEYGEN_BASE_URL, or baseUrl in code, it has no /v1 at its end"

const checkAddress =
  "if every request gets this answer, check the service's _BASE_URL variable, or baseUrl in code, if you set it"

/** Names the setting to check where the adapter only has a code, or none. */
function detailOf(outcome: Unavailable): string | null {
  const { cause, httpStatus, bodyIsJson, detail } = outcome
  if (cause === 'misconfigured' && detail === 'ACCOUNT') return unknownAccount
  // An app has no token, so the adapter doesn't mention it.
  if (detail?.includes('authenticationStrategy'))
    return `${detail}, or set LATCHKEY_KEYGEN_TOKEN, or token in code`
  // Without a status, what is missing isn't in one answer.
  if (detail !== null || httpStatus === null) return detail
  switch (cause) {
    case 'unsigned-answer':
      return httpStatus === 404 ? unsignedNotFound : unsigned
    case 'redirected':
      return `the service redirects: ${checkAddress}`
    case 'rejected':
    case 'not-found':
      return `a ${httpStatus} that the service doesn't document: ${checkAddress}`
    case 'unexpected-answer':
      return bodyIsJson === true
        ? "JSON in another form than the service's"
        : `not JSON of the service, but for example a page of a proxy: ${checkAddress}`
    default:
      return null
  }
}

/**
 * Returns the code if only the list may be missing: it is refused or unreadable, and asking again won't help. Returns
 * `null` for a failure that may pass, and for a page in place of JSON, which is from a proxy.
 */
export function unlistedCode(outcome: Unavailable): UnlistedCode | null {
  const { cause, bodyIsJson } = outcome
  switch (cause) {
    case 'access-denied':
      return bodyIsJson === true ? 'list-not-allowed' : null
    case 'rejected':
    case 'not-found':
      return bodyIsJson === true ? 'list-unreadable' : null
    case 'unexpected-answer':
      return bodyIsJson === true || isUnfindable(outcome) ? 'list-unreadable' : null
    default:
      return null
  }
}

/** Whether the adapter can't find the license, because there are too many. No answer has such a status. */
export function isUnfindable({ cause, httpStatus }: Unavailable): boolean {
  return cause === 'unexpected-answer' && httpStatus === null
}

const listDenied =
  "the service refuses the token only for this list: check the service's _API_KEY, _ACCESS_TOKEN or _TOKEN variable, or its option in code"

/** Creates the reply if only the list is missing. */
export function unlistedReply(code: UnlistedCode, { cause, httpStatus, detail }: Unavailable): Reply {
  return unlisted(code, httpStatus, detail ?? (cause === 'access-denied' ? listDenied : null))
}

function reading({ cause, retryAfterMs }: Unavailable): Reply {
  switch (cause) {
    case 'network':
    case 'cancelled':
      return refused(502, 'upstream-unreachable')
    case 'timeout':
      return refused(504, 'upstream-timeout')
    case 'rate-limited':
    case 'server-error': {
      const reply = refused(503, 'upstream-busy')
      if (retryAfterMs === null) return reply
      return { ...reply, retryAfterMs: Math.min(retryAfterMs, longestRetryAfterMs) }
    }
    case 'access-denied':
      return refused(502, 'upstream-unauthorized')
    case 'misconfigured':
      return refused(502, 'upstream-misconfigured')
    case 'not-found':
    case 'rejected':
    case 'redirected':
    case 'unexpected-answer':
    case 'incomplete-answer':
    case 'unsigned-answer':
      return refused(502, 'upstream-unexpected-answer')
  }
}
