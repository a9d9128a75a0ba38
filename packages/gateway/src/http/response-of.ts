import { leaseHeader } from '../leases/lease-request.ts'
import type { Reply } from './reply.ts'

/** Creates the `Response` of a reply. It sets every header itself; none of the service's headers is passed on. */
export function responseOf(reply: Reply, requestId: string, nowMs: number): Response {
  const headers: Record<string, string> = {
    'content-type': typeOf(reply),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'x-request-id': requestId,
    // Apps read the current time from this header, and not every runtime adds it.
    date: new Date(nowMs).toUTCString(),
  }
  if (reply.lease !== undefined) headers[leaseHeader] = reply.lease.jws
  if (reply.retryAfterMs !== undefined) {
    headers['retry-after'] = String(Math.max(1, Math.ceil(reply.retryAfterMs / 1000)))
  }
  if (reply.page !== undefined) {
    headers['content-security-policy'] = reply.page.policy
    headers['referrer-policy'] = 'no-referrer'
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
