import { composeKeyName, type License, type LicenseKey, readFeatures, readPlan } from '@latchkey/commerce'
import type {
  Activation,
  ActivationList,
  LicenseFacts,
  LicenseService,
  Refusal,
  RefusalReason,
  Unavailable,
  UnavailableCause,
} from '@latchkey/services'
import type { GatewayCode } from '../gateway-codes.ts'
import { type Reply, refused } from '../http/reply.ts'
import { RefusedRequest } from '../http/request-body.ts'
import { RuleError } from './rules.ts'

/**
 * Converts a service's facts to the License of the app's API.
 *
 * All versions of the app decide by `status`, `suspended_at`, and `expires_at`. Some services report "suspended" or
 * "expired" without a time, so the time of the response is used instead. A license that the service reports as active
 * stays active even after its end, because the app checks the end itself, with its trusted clock.
 *
 * @param nowMs when the service responded, in milliseconds since the epoch.
 */
export function licenseOf(licenseKey: string, facts: LicenseFacts, nowMs: number): License {
  const { seatLimit, seatsInUse, endsAtMs, endsAt, worksAfterEnd, suspendedAtMs, createdAtMs, updatedAtMs } =
    facts
  const plan = readPlan(facts.plan ?? undefined)
  const features = readFeatures(facts.features)
  const status = facts.status ?? 'active'
  const endMs = typeof endsAtMs === 'number' && !worksAfterEnd ? endsAtMs : null
  const hasEnded = endMs !== null && endMs <= nowMs
  const limit = typeof seatLimit === 'number' ? seatLimit : null
  return {
    id: licenseKey,
    activation_limit: limit,
    activation_usage: seatsInUse,
    activation_usage_formatted: limit === null || seatsInUse === null ? null : `${seatsInUse}/${limit}`,
    expires_at:
      status === 'expired' && !hasEnded
        ? timestampOfNow(nowMs)
        : worksAfterEnd
          ? null
          : (endsAt ?? timestampOf(endMs)),
    suspended_at: status === 'suspended' ? (timestampOf(suspendedAtMs) ?? timestampOfNow(nowMs)) : null,
    status: facts.rawStatus ?? status.toUpperCase(),
    created_at: timestampOf(createdAtMs),
    updated_at: timestampOf(updatedAtMs),
    ...(plan !== undefined && { plan }),
    ...(features !== undefined && { features }),
  }
}

/** Converts an activation to the LicenseKey of the app's API. */
export function keyOf({ id, deviceName, fingerprint, createdAtMs, updatedAtMs }: Activation): LicenseKey {
  const label = deviceName ?? ''
  return {
    id,
    name: fingerprint === null ? label : composeKeyName(label, fingerprint, Number.POSITIVE_INFINITY),
    // With milliseconds, because of several activations the oldest is kept.
    created_at: timestampOf(createdAtMs),
    updated_at: timestampOf(updatedAtMs),
  }
}

/**
 * Creates the response body of a list of keys. `links.next` is relative, because the gateway doesn't know its public
 * address. `meta.unreadable` counts left-out items, so that apps don't treat the list as complete.
 */
export function keyListOf(
  { activations, isWhole, nextPage = null, unreadableCount = 0 }: ActivationList,
  page = 1,
): object {
  const data = activations.map(keyOf)
  // Without links, an app can't tell a whole list of 25 keys from a first page.
  if (isWhole && page === 1) return { data, links: { next: null }, meta: { total: data.length } }
  const isCut = !isWhole && nextPage === null && unreadableCount === 0
  return {
    data,
    links: { next: nextPage === null ? null : `?page=${nextPage}` },
    meta: { current_page: page, unreadable: isCut ? 1 : unreadableCount },
  }
}

function timestampOf(ms: number | null | undefined): string | null {
  return ms == null ? null : `${new Date(ms).toISOString().slice(0, -1)}000Z`
}

/** In whole seconds, like the `Date` of a response, which must not be before the license's end. */
function timestampOfNow(nowMs: number): string | null {
  return timestampOf(Math.floor(nowMs / 1000) * 1000)
}

/** The longest `Retry-After` passed on, so that a wrong value can't stop apps from retrying for months. */
const longestRetryAfterMs = 3_600_000

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
export function replyOfRefusal(outcome: Refusal): Reply {
  return { ...refusedFor(outcome.reason), upstreamStatus: outcome.httpStatus, outcome }
}

export function refusedFor(reason: RefusalReason): Reply {
  return refused(...refusals[reason])
}

/**
 * Whether a service documents why it refuses. The commerce service doesn't: its 404 or 422 is passed on, and only a list
 * proves that an activation is gone.
 */
export function documentsRefusals(service: LicenseService): boolean {
  return service.showActivation === undefined
}

/** Whether a service without documented refusals refused, or a proxy in front of it, with a status such as 404 or 422. */
export function isRefused({ cause }: Unavailable): boolean {
  return cause === 'not-found' || cause === 'rejected'
}

/** Whether a service that doesn't document its refusals refused in JSON. The error page of a proxy is hardly ever JSON. */
export function isPlainRefusal(outcome: Unavailable): boolean {
  return isRefused(outcome) && outcome.bodyIsJson === true
}

/** Creates the reply if the service gave no reason that it documents. */
export function replyOfUnavailable(outcome: Unavailable, service: LicenseService): Reply {
  const undocumented = documentsRefusals(service) ? undefined : undocumentedRefusal(outcome)
  const reply = undocumented ?? { ...reading(outcome), detail: detailOf(outcome, service) }
  return { ...reply, upstreamStatus: outcome.httpStatus, outcome }
}

/** Creates the reply for any outcome but an answer. */
export function replyOf(outcome: Refusal | Unavailable, service: LicenseService): Reply {
  return outcome.kind === 'refusal' ? replyOfRefusal(outcome) : replyOfUnavailable(outcome, service)
}

/** A service may also refuse in plain text, so these are only hints. */
const notFoundPage =
  'a page instead of JSON: if every request gets one, check LATCHKEY_UPSTREAM, or upstream.baseUrl in code, which usually ends with a version segment such as /v1'
const refusalPage =
  'not JSON: if every request gets this answer, a proxy may send it, or LATCHKEY_UPSTREAM, or upstream.baseUrl in code, has http:// for a port that needs https://'

/** Another gateway, or this one, recognized its own request. */
const loopBehind =
  "LATCHKEY_UPSTREAM, or upstream.baseUrl in code, leads to a gateway whose own requests come back to it: set it to the license service's address"

function undocumentedRefusal({ cause, httpStatus, bodyIsJson }: Unavailable): Reply | undefined {
  if (httpStatus === 508) return { ...refused(508, 'upstream-loop'), detail: loopBehind }
  if (cause === 'not-found') {
    const reply = httpStatus === 410 ? refused(410, 'gone') : refused(404, 'not-found')
    // Without JSON, the response is from a proxy. Passed on without JSON, it can't revoke an activation.
    return bodyIsJson === true ? reply : { ...reply, body: null, detail: notFoundPage }
  }
  if (cause !== 'rejected') return undefined
  const status = httpStatus === 400 || httpStatus === 409 ? httpStatus : 422
  return { ...refused(status, 'rejected'), detail: bodyIsJson === false ? refusalPage : null }
}

/** The reply for each failure of the service. */
const failures: Readonly<Record<UnavailableCause, readonly [status: number, code: GatewayCode]>> = {
  network: [502, 'upstream-unreachable'],
  cancelled: [502, 'upstream-unreachable'],
  timeout: [504, 'upstream-timeout'],
  'rate-limited': [503, 'upstream-busy'],
  'server-error': [503, 'upstream-busy'],
  // Not a 401, because the token is the gateway's and not the app's.
  'access-denied': [502, 'upstream-unauthorized'],
  misconfigured: [502, 'upstream-misconfigured'],
  'incomplete-answer': [502, 'upstream-unexpected-answer'],
  'not-found': [502, 'upstream-unexpected-answer'],
  rejected: [502, 'upstream-unexpected-answer'],
  redirected: [502, 'upstream-unexpected-answer'],
  'unexpected-answer': [502, 'upstream-unexpected-answer'],
  'unsigned-answer': [502, 'upstream-unexpected-answer'],
}

function reading({ cause, httpStatus, bodyIsJson, retryAfterMs }: Unavailable): Reply {
  if (cause === 'timeout' && httpStatus === 408) return refused(503, 'upstream-busy')
  // Without a body, the connection broke.
  if (cause === 'incomplete-answer' && bodyIsJson === null) return refused(502, 'upstream-unreachable')
  const reply = refused(...failures[cause])
  if (reply.code !== 'upstream-busy' || retryAfterMs === null) return reply
  return { ...reply, retryAfterMs: Math.min(retryAfterMs, longestRetryAfterMs) }
}

/** What to check if the adapter only has a code, or nothing. Keygen can't sign an answer about an unknown account. */
const keygenSettings =
  'check LATCHKEY_KEYGEN_ACCOUNT and LATCHKEY_KEYGEN_PUBLIC_KEY, or account and publicKey in code. If you set LATCHKEY_KEYGEN_BASE_URL, or baseUrl in code, it has no /v1 at its end. If only some answers have no signature, a proxy changes them'

function detailOf(
  { cause, httpStatus, bodyIsJson, detail }: Unavailable,
  service: LicenseService,
): string | null {
  if (cause === 'misconfigured' && detail === 'ACCOUNT') return `the account is unknown: ${keygenSettings}`
  // An app has no token, so the adapter doesn't mention it.
  if (detail?.includes('authenticationStrategy'))
    return `${detail}, or set LATCHKEY_KEYGEN_TOKEN, or token in code`
  if (detail?.startsWith('field ')) return `the ${detail} is missing or wrong`
  // Without a status, what is missing isn't in one answer.
  if (detail !== null || httpStatus === null) return detail
  const checkAddress = documentsRefusals(service)
    ? "if every request gets this answer, check the service's _BASE_URL variable, or baseUrl in code, if you set it"
    : 'if every request gets this answer, check LATCHKEY_UPSTREAM, or upstream.baseUrl in code, such as http:// in place of https://'
  switch (cause) {
    case 'unsigned-answer':
      return `an answer without a valid signature of the service: ${keygenSettings}`
    case 'redirected':
      return `the service redirects: ${checkAddress}`
    case 'rejected':
    case 'not-found':
      return `a ${httpStatus} that the service doesn't document: ${checkAddress}`
    case 'incomplete-answer':
      return 'incomplete JSON'
    case 'unexpected-answer':
      return bodyIsJson === true
        ? "JSON in another form than the service's, too large, or about another license"
        : `${bodyIsJson === null ? 'an empty body' : 'not JSON of the service, but for example a page of a proxy'}: ${checkAddress}`
    default:
      return null
  }
}

/** Why a list of keys can't be had, although nothing may be wrong with the license. */
type UnlistedCode = 'list-not-allowed' | 'list-unreadable'

const listDenied =
  "the service refuses the token only for this list: check the service's _API_KEY, _ACCESS_TOKEN or _TOKEN variable, or its option in code"

/** Creates the reply if only the list is missing. Every version of the app activates after a 403 to the list. */
export function unlistedReply(code: UnlistedCode, { cause, httpStatus, detail }: Unavailable): Reply {
  const why = detail ?? (cause === 'access-denied' ? listDenied : null)
  return { ...refused(403, code), upstreamStatus: httpStatus, detail: why }
}

/**
 * Returns the code if only the list may be missing: it is refused or unreadable, and asking again won't help. Returns
 * `null` for a failure that may pass, and for a page in place of JSON, which is from a proxy.
 */
export function unlistedCode(outcome: Unavailable, service: LicenseService): UnlistedCode | null {
  const { cause, httpStatus, bodyIsJson } = outcome
  switch (cause) {
    case 'access-denied':
      return httpStatus !== 407 && bodyIsJson !== false ? 'list-not-allowed' : null
    case 'rejected':
    case 'not-found':
      return documentsRefusals(service) && bodyIsJson === true ? 'list-unreadable' : null
    case 'unexpected-answer':
      return bodyIsJson === true || isUnfindable(outcome) ? 'list-unreadable' : null
    default:
      return null
  }
}

/** Whether the list or the license is too long to be found in it. No answer has such a status. */
export function isUnfindable({ cause, httpStatus }: Unavailable): boolean {
  return cause === 'unexpected-answer' && httpStatus === null
}

/** Creates the reply if a request is refused before it is sent, or if the gateway itself or a rule of the vendor failed. */
export function replyOfError(error: unknown): Reply {
  if (error instanceof RefusedRequest) return error.reply
  const reply = refused(500, 'internal')
  if (!(error instanceof RuleError)) return { ...reply, detail: textOf(error) }
  const { cause, message, rule } = error
  const detail = `rule ${rule}: ${cause === undefined ? message : textOf(cause)}`
  return { ...reply, detail, ...(rule === 'allow' && cause === undefined && { remark: 'allow-not-boolean' }) }
}

/** `fetch` only says why it failed in the cause, and a refused connection may have a code but no message. */
function textOf(error: unknown, isCause = false): string {
  if (typeof error === 'string') return error
  if (!(error instanceof Error)) return 'something other than an error was thrown'
  const { name, message, cause } = error
  const code = 'code' in error ? String(error.code) : ''
  const text = [name, message || code].filter((part) => part !== '').join(': ')
  return cause instanceof Error && !isCause ? `${text} (${textOf(cause, true)})` : text
}
