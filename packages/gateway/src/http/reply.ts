import type { ActivatedLicense, ActivationList, Refusal, Unavailable } from '@latchkey/services'
import { devicesPageHeader } from '@latchkey/services/commerce'
import { leaseHeader } from '@latchkey/services/leases'
import type { GatewayCode } from '../gateway-codes.ts'

/** The answer to a request, before it becomes a `Response`. */
export interface Reply {
  readonly status: number
  /** Sent as JSON. `null` for an error in plain text, which apps don't read as an answer from the service. */
  readonly body: object | null
  /** Why it was refused; `null` for an answer. */
  readonly code: GatewayCode | null
  readonly retryAfterMs?: number
  /** How many devices the license allows. The limit of its requests follows. */
  readonly seatLimit?: number | null
  readonly lease?: SignedLease
  /** What the body is about, as the service told it, for activations without internet. */
  readonly activated?: ActivatedLicense
  /** The devices in the body, as the service told them. */
  readonly list?: ActivationList
  /** Why there is no answer, as the service told it. */
  readonly outcome?: Refusal | Unavailable
  /** Sent instead of `body`. */
  readonly page?: SitePage
  /** Sent instead of `body`, for a person. */
  readonly text?: string
  /** Whether the service refused because of the license. Such an answer names no key. */
  readonly isRefusal?: true
  /** Only for the log. The client doesn't get it. */
  readonly remark?: ReplyRemark
  /** For the log only: the HTTP status of the service's refusal. */
  readonly upstreamStatus?: number | null
  /** For the log only: what failed. If the code is `internal`, the log masks it. */
  readonly detail?: string | null
}

/** A page and the policy it is sent with. */
export interface SitePage {
  readonly html: string
  /** The `Content-Security-Policy`: only the site's own style and script, and requests to this gateway. */
  readonly policy: string
  /** `same-origin` for a page with a form: with `no-referrer`, a browser hides the form's origin, too. */
  readonly referrers?: 'same-origin'
}

/** A signed lease for the client. */
export interface SignedLease {
  readonly jws: string
  readonly entitling: boolean
}

/**
 * A detail for the gateway's log that the client doesn't get.
 *
 * - `not-allowed`: the `allow` rule refused the license.
 * - `not-allowed-seat-kept`: the `allow` rule refused the license after it was activated, and releasing the seat
 *   failed.
 * - `allow-not-boolean`: the `allow` rule returned a value that counts as false but isn't `false`, for example
 *   `undefined`. A value that counts as true allows the license.
 * - `seat-kept`: the service used a seat before it refused, and releasing the seat failed.
 * - `clock-differs`: the gateway's clock is more than five minutes ahead of the service's, so no end of a license is
 *   signed.
 * - `lease-not-signed`: the app requested a lease, but the gateway has no signing key. The app rejects the answer.
 * - `lease-key-untrusted`: the app trusts none of the gateway's signing keys, so it rejects the signed answer.
 * - `features-cut`: some features didn't fit into the lease; see the `features` option.
 * - `token-refused`: one of several services refuses the gateway's token, so a missing key can't be confirmed.
 * - `no-keys-listed`: the service refuses the key and lists no keys of the license at all.
 * - `no-keys-at-all`: the same for the third license in a row, and for those after it. A gateway whose address or token
 *   belongs to another store gets an empty list for every license, so no key counts as gone until the service knows one.
 */
export type ReplyRemark =
  | 'not-allowed'
  | 'not-allowed-seat-kept'
  | 'allow-not-boolean'
  | 'seat-kept'
  | 'clock-differs'
  | 'lease-not-signed'
  | 'lease-key-untrusted'
  | 'features-cut'
  | 'token-refused'
  | 'no-keys-listed'
  | 'no-keys-at-all'

/** Creates the reply for a successful request. */
export function answered(body: object): Reply {
  return { status: 200, body, code: null }
}

/**
 * Creates the reply for a refusal that couldn't be confirmed. It is a 502 because apps count any 404 to *show key* as
 * half of the proof that a key is gone. It is plain text because an app could read JSON as the service's answer.
 */
export function unproven(upstreamStatus: number | null): Reply {
  return { ...refused(502, 'upstream-unexpected-answer'), body: null, upstreamStatus }
}

/** Creates an error reply in JSON. */
export function refused(status: number, code: GatewayCode): Reply {
  return { status, body: { error: code }, code }
}

/**
 * Creates the reply for a path that isn't a route. It is plain text: an app could read a 404 in JSON as a revoked
 * activation when the gateway only moved to another path.
 */
export function notServed(code: 'no-such-route' | 'method-override'): Reply {
  return { status: 404, body: null, code }
}

/**
 * Creates the `Response` of a reply. It sets every header itself; none of the service's headers is passed on.
 *
 * @param hasDevicesPage whether apps may link to `/devices`.
 */
export function responseOf(
  reply: Reply,
  requestId: string,
  nowMs: number,
  hasDevicesPage: boolean,
): Response {
  const headers: Record<string, string> = {
    'content-type': typeOf(reply),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'x-request-id': requestId,
    // Apps read the current time from this header, and not every runtime adds it.
    date: new Date(nowMs).toUTCString(),
  }
  if (hasDevicesPage) headers[devicesPageHeader] = '1'
  if (reply.lease !== undefined) headers[leaseHeader] = reply.lease.jws
  if (reply.retryAfterMs !== undefined) {
    headers['retry-after'] = String(Math.max(1, Math.ceil(reply.retryAfterMs / 1000)))
  }
  if (reply.page !== undefined) {
    headers['content-security-policy'] = reply.page.policy
    headers['referrer-policy'] = reply.page.referrers ?? 'no-referrer'
  }
  return new Response(bodyOf(reply), { status: reply.status, headers })
}

function typeOf({ body, page }: Reply): string {
  if (page !== undefined) return 'text/html; charset=utf-8'
  return body === null ? 'text/plain; charset=utf-8' : 'application/json'
}

function bodyOf({ status, body, page, text }: Reply): string {
  if (page !== undefined) return page.html
  if (text !== undefined) return `${text}\n`
  return body === null ? (status < 500 ? 'Not found\n' : 'Bad gateway\n') : JSON.stringify(body)
}
