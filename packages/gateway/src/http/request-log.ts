import type { GatewayCode } from '../gateway-codes.ts'
import type { Reply, ReplyRemark } from './reply.ts'
import type { LicenseRoute } from './routes.ts'

/** The log line of one request. It contains no full license ID or key ID, and no name, address, or token of a customer. */
export interface GatewayLogLine {
  /** When the response was ready, as ISO 8601 in UTC. */
  readonly time: string
  /** `error` needs action now; `warn` is worth a look. */
  readonly level: 'info' | 'warn' | 'error'
  /** Distinguishes these lines from others. */
  readonly event: 'request'
  /** Also in the response's `x-request-id` header. */
  readonly requestId: string
  /** The route; `null` if the path isn't one. The path itself is not logged. */
  readonly route: LicenseRoute | null
  /** The response's HTTP status. */
  readonly status: number
  /** From the request to the response, in milliseconds. */
  readonly durationMs: number
  /** The error code; `null` on success. */
  readonly code: GatewayCode | null
  /** A detail that the client doesn't get; `null` if there is none. */
  readonly remark: ReplyRemark | null
  /** The HTTP status of the service's refusal; `null` if it didn't refuse. */
  readonly upstreamStatus: number | null
  /**
   * What failed, if that is known, otherwise `null`. At the service, for example a network error's code or a setting to
   * check. In the gateway, the rule and its error: `rule features: TypeError: …`.
   */
  readonly detail: string | null
  /** Whether the lease in the response allows the device to run; `null` without a lease. */
  readonly lease: 'entitling' | 'denying' | null
  /** Whether a rate limit wasn't applied because its store was unreachable. */
  readonly isUncounted: boolean
  /** First and last four characters of the license ID; only `…` if it has fewer than 16, `null` if there is none. */
  readonly license: string | null
  /** First and last four characters of the key ID; only `…` if it has fewer than 16, `null` if there is none. */
  readonly key: string | null
}

/** Collects the log data of a request while it is handled. */
export interface RequestTrace {
  readonly requestId: string
  /** From `performance.now()`. */
  readonly startedMs: number
  readonly route: LicenseRoute | null
  /** Commerce UUIDs are lowercase. Empty if the route has no license. */
  licenseId: string
  /** Commerce UUIDs are lowercase. Empty until it is known. */
  keyId: string
  /** Whether a limiter's store was unreachable, so the request was allowed without counting it. */
  isUncounted: boolean
}

/** Reuses a valid request ID from the proxy in front, so that both logs have the same ID. */
export function startTrace(
  headers: Headers | null,
  route: LicenseRoute | null,
  licenseId = '',
  keyId = '',
): RequestTrace {
  const offered = headers?.get('x-request-id') ?? ''
  const requestId = /^[\w-]{8,64}$/.test(offered) ? offered : crypto.randomUUID()
  return { requestId, startedMs: performance.now(), route, licenseId, keyId, isUncounted: false }
}

export function logLine(trace: RequestTrace, reply: Reply, nowMs: number): GatewayLogLine {
  const { licenseId, keyId } = trace
  const { detail = null } = reply
  return {
    time: new Date(nowMs).toISOString(),
    level: levelOf(reply, trace),
    event: 'request',
    requestId: trace.requestId,
    route: trace.route,
    status: reply.status,
    durationMs: Math.round((performance.now() - trace.startedMs) * 100) / 100,
    code: reply.code,
    remark: reply.remark ?? null,
    upstreamStatus: reply.upstreamStatus ?? null,
    // The message of an error that a rule throws may contain anything. The other details are texts of ours.
    detail: reply.code === 'internal' && detail !== null ? maskedText(detail, [licenseId, keyId]) : detail,
    lease: reply.lease === undefined ? null : reply.lease.entitling ? 'entitling' : 'denying',
    isUncounted: trace.isUncounted,
    license: masked(licenseId),
    key: masked(keyId),
  }
}

/** Codes that are the service's own answer about a license. */
const answersOfService: ReadonlySet<GatewayCode> = new Set([
  'not-found',
  'gone',
  'rejected',
  'no-seat-left',
  'offline-seat',
  'wrong-product',
  'test-license',
  'license-expired',
  'license-suspended',
  'license-inactive',
])

const urgentCodes: ReadonlySet<GatewayCode | null> = new Set([
  'internal',
  'upstream-misconfigured',
  'upstream-loop',
])

const urgentRemarks: ReadonlySet<ReplyRemark> = new Set([
  'not-allowed-seat-kept',
  'seat-kept',
  'clock-differs',
  'lease-not-signed',
  'token-refused',
  'no-keys-at-all',
])

function levelOf(
  { status, code, remark, upstreamStatus, detail }: Reply,
  { isUncounted }: RequestTrace,
): GatewayLogLine['level'] {
  // The app chooses which keys it trusts. Anyone can claim to trust others, but only a customer gets a 200.
  if (remark === 'lease-key-untrusted') return status === 200 ? 'error' : 'warn'
  // Some services need a token only for the list.
  const isTokenRefused =
    code === 'upstream-unauthorized' || (code === 'list-not-allowed' && upstreamStatus === 401)
  const isUrgent = urgentCodes.has(code) || isTokenRefused
  if (isUrgent || (remark !== undefined && urgentRemarks.has(remark))) return 'error'
  if (isUncounted || remark === 'features-cut') return 'warn'
  // A rule that returned nothing may be a mistake.
  if (code === null && typeof detail === 'string') return 'warn'
  if (code === null || answersOfService.has(code)) return 'info'
  return status >= 400 ? 'warn' : 'info'
}

/** Long enough for any message that is of use. */
const longestText = 300
/** Matching takes the square of this. */
const longestInput = 2_000

/** An email address, or the name and password in a URL. */
const personal = /[^\s/"'`<>()]+@[^\s/"'`<>()]+/gu
/** Keys, tokens and ids. Names in code rarely contain a digit, and none is that long. */
const secretLike = /(?=[\w+=~-]*\d)[\w+=~-]{16,}|[\w+=~-]{40,}/gu

/** Returns the first and last four characters of an ID; only `…` if it has fewer than 16, `null` if it is empty. */
function masked(id: string): string | null {
  if (id === '') return null
  // Eight characters would reveal most of a short license key.
  return id.length < 16 ? '…' : `${id.slice(0, 4)}…${id.slice(-4)}`
}

/**
 * Returns a text that may contain secrets, such as an error's message, in one line for the log.
 *
 * @param ids IDs of the request. Anything else that looks like a key, an ID or an address is masked, too.
 */
export function maskedText(text: string, ids: readonly string[]): string {
  let shown = text.slice(0, longestInput)
  for (const id of ids) if (id !== '') shown = shown.replaceAll(anyCase(id), '…')
  shown = shown.replaceAll(personal, '…').replaceAll(secretLike, '…').replaceAll(/\s+/gu, ' ').trim()
  return shown.length > longestText ? `${shown.slice(0, longestText)}…` : shown
}

function anyCase(id: string): RegExp {
  return new RegExp(id.replaceAll(/[\\^$.*+?()[\]{}|/]/gu, '\\$&'), 'giu')
}
