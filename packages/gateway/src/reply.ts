import type { GatewayCode } from './gateway-codes.ts'
import type { OfflinePage } from './offline/page/offline-page.ts'

/** What a request is answered with, before it is turned into a `Response`. */
export interface Reply {
  readonly status: number
  /** Sent as JSON; `null` for a refusal in plain text that no client takes for the service's word. */
  readonly body: object | null
  /** Why it was refused; `null` for an answer. */
  readonly code: GatewayCode | null
  readonly retryAfterMs?: number
  readonly lease?: SignedLease
  /** Sent instead of `body`. */
  readonly page?: OfflinePage
  /** Whether an answer was made of a service's refusal, which is about the license and names no key. */
  readonly isRefusal?: true
  /** For the log alone: what the client is not told. */
  readonly remark?: ReplyRemark
  /** For the log alone: the status the service refused with. */
  readonly upstreamStatus?: number | null
}

/** A lease on its way to the client. */
export interface SignedLease {
  readonly jws: string
  readonly entitling: boolean
}

/** What the vendor's log is told and the client is not. */
export type ReplyRemark =
  /** The vendor's own rule refused the license. */
  | 'not-allowed'
  /** The rule refused it after an activation, and the seat it took could not be given back. */
  | 'not-allowed-seat-kept'
  /** The service took a seat before it refused, and the seat could not be given back. */
  | 'seat-kept'
  /** Features were left out: see `features` in the options. */
  | 'features-cut'

/** The answer that was asked for. */
export function answered(body: object, lease?: SignedLease): Reply {
  return { status: 200, body, code: null, ...(lease === undefined ? {} : { lease }) }
}

/**
 * A refusal that nothing stands behind. A 502, since apps take a 404 to *show key*, in whatever form, for half of the proof
 * that a key is gone; and plain text, which no app, however old, takes for the service's word.
 */
export function unproven(upstreamStatus: number | null): Reply {
  return { ...refused(502, 'upstream-unexpected-answer'), body: null, upstreamStatus }
}

/** A refusal as JSON. */
export function refused(status: number, code: GatewayCode): Reply {
  return { status, body: { error: code }, code }
}

/**
 * Nothing is served here. Never JSON: a client that reads a 404 as the service's word would take its device for revoked
 * when the vendor merely moved the gateway.
 */
export function notServed(code: 'no-such-route' | 'method-override'): Reply {
  return { status: 404, body: null, code }
}
