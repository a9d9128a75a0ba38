import type { Fetch } from '@latchkey/commerce'
import type { Unavailable, UnavailableCause } from '../contract/outcome.ts'
import { unavailable } from '../contract/outcomes.ts'
import type { ServiceCall } from '../contract/service-call.ts'
import { readText } from './read-text.ts'
import { httpDateMs, retryAfterMs } from './server-time.ts'

/** A request to a service. */
export interface WireRequest {
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  /** The JSON body. */
  readonly json?: unknown
  /** The form body, instead of a JSON body. */
  readonly form?: Readonly<Record<string, string>>
  /** Whether it uses or releases a seat. If so, the request may have had an effect even if the response is lost. */
  readonly acts?: boolean
}

/** A response that looks like the service's. Parse `body` with a schema. */
export interface Reply {
  readonly kind: 'reply'
  readonly request: WireRequest
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The JSON body; `undefined` without one. */
  readonly body: unknown
  readonly serverDateMs: number | null
}

/** Timeout of a request for which the call has none, in milliseconds. */
export const defaultTimeoutMs = 15_000

/** Error codes of Node and Chromium for a failed connection, before anything was sent. */
const neverConnected = /(?:CONN(?:ECTION_)?REFUSED|ENOTFOUND|NOT_RESOLVED)$/u

/**
 * Sends a request without retries. Returns a reply for a 2xx status, or for a 4xx that may be about the license.
 * Anything else is unavailable.
 */
export async function send(request: WireRequest, call: ServiceCall = {}): Promise<Reply | Unavailable> {
  if (call.signal?.aborted) return unavailable('cancelled')
  const controller = new AbortController()
  let endedBy: 'timeout' | 'cancelled' | null = null
  let hasResponded = false
  let giveUp = (): void => {}
  // Ends the call on timeout even if a custom fetch ignores the signal.
  const ended = new Promise<never>((_, reject) => {
    giveUp = reject
  })
  ended.catch(() => {})
  const end = (by: 'timeout' | 'cancelled'): void => {
    endedBy ??= by
    giveUp()
    controller.abort()
  }
  const cancel = (): void => end('cancelled')
  const timer = setTimeout(end, call.timeoutMs ?? defaultTimeoutMs, 'timeout')
  call.signal?.addEventListener('abort', cancel, { once: true })
  try {
    const response = await Promise.race([ended, perform(request, call, controller.signal)])
    hasResponded = true
    const serverDateMs = httpDateMs(response.headers.get('date'))
    call.onResponse?.({ status: response.status, headers: response.headers, serverDateMs })
    const text = await Promise.race([ended, readText(response)])
    return readReply(request, response, text, serverDateMs)
  } catch (error) {
    const detail = codeOf(error)
    const wasSent = hasResponded || endedBy !== null || !neverConnected.test(detail ?? '')
    return unavailable(endedBy ?? 'network', { mayHaveActed: request.acts === true && wasSent, detail })
  } finally {
    clearTimeout(timer)
    call.signal?.removeEventListener('abort', cancel)
  }
}

/**
 * The outcome for a reply whose body isn't documented by the service.
 *
 * @param isOwn whether the body has the form of the service's answers. A proxy's error may be JSON as well.
 */
export function undocumented(reply: Reply, isOwn: boolean = reply.body !== undefined): Unavailable {
  const { status, serverDateMs, request } = reply
  return unavailable(causeOf(status), {
    httpStatus: status,
    retryAfterMs: retryAfterMs(reply.headers, serverDateMs),
    serverDateMs,
    bodyIsJson: isOwn,
    mayHaveActed: request.acts === true,
  })
}

async function perform(request: WireRequest, call: ServiceCall, signal: AbortSignal): Promise<Response> {
  const headers = new Headers({ ...call.headers, accept: 'application/json', ...request.headers })
  const body = bodyOf(request)
  if (body !== undefined && !headers.has('content-type')) {
    const type = request.form === undefined ? 'application/json' : 'application/x-www-form-urlencoded'
    headers.set('content-type', type)
  }
  const fetch: Fetch = call.fetch ?? globalThis.fetch
  // Following a redirect would send the license key to another address.
  return await fetch(new Request(request.url, { method: request.method, headers, body: body ?? null }), {
    redirect: 'manual',
    signal,
  })
}

/** Returns the body; `undefined` without one, as `JSON.stringify` does. */
function bodyOf({ json, form }: WireRequest): string | undefined {
  return form === undefined ? JSON.stringify(json) : new URLSearchParams(form).toString()
}

function readReply(
  request: WireRequest,
  response: Response,
  text: string | null,
  serverDateMs: number | null,
): Reply | Unavailable {
  const { status, headers, ok } = response
  const body = text === null ? undefined : parseDocument(text)
  const reply: Reply = { kind: 'reply', request, status, headers, text: text ?? '', body, serverDateMs }
  // A success may have no body, but a web page instead of JSON isn't a success.
  if (ok && (body !== undefined || text === '')) return reply
  const maySayWhy = status >= 400 && !isLater(status) && body !== undefined
  return maySayWhy ? reply : undocumented(reply)
}

function isLater(status: number): boolean {
  return status >= 500 || status === 408 || status === 425 || status === 429
}

function causeOf(status: number): UnavailableCause {
  if (status === 429) return 'rate-limited'
  if (status === 408) return 'timeout'
  if (isLater(status)) return 'server-error'
  if (status === 401 || status === 403 || status === 407) return 'access-denied'
  if (status === 404 || status === 410) return 'not-found'
  if (status >= 400) return 'rejected'
  // In browsers, fetch reports a redirect as status 0.
  return status === 0 || status >= 300 ? 'redirected' : 'unexpected-answer'
}

/** Parses a JSON object or array. A bare string or number doesn't come from the service. */
function parseDocument(text: string): unknown {
  try {
    const json: unknown = JSON.parse(text)
    return Object(json) === json ? json : undefined
  } catch {
    return undefined
  }
}

/** Returns the error code of the platform. The error's message isn't used, because it may contain the request. */
function codeOf(error: unknown): string | null {
  for (let it = error, depth = 0; it instanceof Error && depth < 5; it = it.cause, depth += 1) {
    const { code }: Error & { code?: unknown } = it
    if (typeof code === 'string' && /^[A-Z][A-Z\d_]{1,39}$/u.test(code)) return code
    const chromium = /net::(ERR_[A-Z_]+)/u.exec(it.message)?.[1]
    if (chromium !== undefined) return chromium
  }
  return null
}
