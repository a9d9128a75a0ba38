import type { GatewayCode } from './gateway-codes.ts'
import type { LicenseRoute } from './license-routes.ts'
import type { Reply, ReplyRemark } from './reply.ts'

/** One line for each request, and no more than one. It holds no license id, key id, name, address or token. */
export interface GatewayLogLine {
  /** ISO 8601 UTC, when the answer was ready. */
  readonly time: string
  /** `error` is for the vendor to act on at once, `warn` is for one to look at. */
  readonly level: 'info' | 'warn' | 'error'
  readonly event: 'request'
  /** Also in the answer's `x-request-id`. */
  readonly requestId: string
  /** Which of the routes; `null` when nothing is served there. The path itself is not logged. */
  readonly route: LicenseRoute | null
  readonly status: number
  readonly durationMs: number
  /** Why it was refused. */
  readonly code: GatewayCode | null
  /** What the client was not told. */
  readonly remark: ReplyRemark | null
  /** The status the service refused with. */
  readonly upstreamStatus: number | null
  /** What the answer's lease says. */
  readonly lease: 'entitling' | 'denying' | null
  /** Whether no limit counted it, because the store of the counters was out of reach. */
  readonly isUncounted: boolean
  /** First and last four characters of the license id; `…` for one with fewer than 16. */
  readonly license: string | null
  /** First and last four characters of the key id. */
  readonly key: string | null
}

/** What is known of a request while it is answered. */
export interface RequestTrace {
  readonly requestId: string
  /** On `performance.now()`. */
  readonly startedMs: number
  readonly route: LicenseRoute | null
  /** A UUID of the commerce service is in lower case; empty if there is none. */
  licenseId: string
  /** The same for the key; empty until it is known. */
  keyId: string
  /** Whether a limiter's store was out of reach, so that the request was let through uncounted. */
  isUncounted: boolean
}

/** A request id comes from the proxy in front where it looks like one, so that both logs speak of the same request. */
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
    lease: reply.lease === undefined ? null : reply.lease.entitling ? 'entitling' : 'denying',
    isUncounted: trace.isUncounted,
    license: masked(trace.licenseId),
    key: masked(trace.keyId),
  }
}

/** What the service itself says about a license. */
const answersOfService: ReadonlySet<GatewayCode> = new Set([
  'not-found',
  'gone',
  'rejected',
  'no-seat-left',
  'wrong-product',
  'license-expired',
  'license-suspended',
  'license-inactive',
])

function levelOf({ status, code, remark }: Reply, { isUncounted }: RequestTrace): GatewayLogLine['level'] {
  const isUrgent =
    code === 'internal' || code === 'upstream-unauthorized' || code === 'upstream-misconfigured'
  if (isUrgent || remark === 'not-allowed-seat-kept' || remark === 'seat-kept') return 'error'
  if (isUncounted || remark === 'features-cut') return 'warn'
  if (code === null || answersOfService.has(code)) return 'info'
  return status >= 400 ? 'warn' : 'info'
}

function masked(id: string): string | null {
  if (id === '') return null
  // Of a short license key, eight characters would be most of it.
  return id.length < 16 ? '…' : `${id.slice(0, 4)}…${id.slice(-4)}`
}
