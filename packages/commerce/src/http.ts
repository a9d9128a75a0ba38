export { isAnyId } from './ids.ts'

/** Performs one HTTP request. `globalThis.fetch` and Electron's `net.fetch` both fit. */
export type Fetch = (request: Request, init?: RequestInit) => Promise<Response>

/** A request to a service. */
export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** Absolute. */
  readonly url: string
  readonly searchParams?: Readonly<Record<string, string | number>> | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** The JSON body. */
  readonly json?: unknown
  /** The form body, instead of a JSON body. */
  readonly form?: Readonly<Record<string, string>> | undefined
}

/** Options of a call. */
export interface HttpCall {
  /** @default globalThis.fetch, looked up at each call */
  readonly fetch?: Fetch | undefined
  /** Cancels the call. */
  readonly signal?: AbortSignal | undefined
  /** Time limit of each request in milliseconds, from its start to the last byte of its answer. @default 15_000 */
  readonly timeoutMs?: number | undefined
  /** Maximum size of an answer's body after decompression, in bytes. The rest isn't read. @default 2_097_152 */
  readonly maxAnswerBytes?: number | undefined
  /** Additional headers. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Called for each complete HTTP answer, also before a request is repeated. */
  readonly onResponse?: ((response: HttpHead) => void) | undefined
  /** How to repeat a GET request. @default once, if that takes no wait of more than two seconds */
  readonly retry?: RetryPolicy | undefined
}

/** When a GET request is repeated: after a lost connection, 408, 413, 425, 429, 500, 502, 503, or 504. Others never are. */
export interface RetryPolicy {
  /** How often a request is repeated at most. */
  readonly limit: number
  /** Longest wait in milliseconds. If the service asks for a longer one, the request isn't repeated. */
  readonly maxWaitMs: number
  /** Whether a request is also repeated after a timeout. @default false */
  readonly afterTimeout?: boolean | undefined
  /** Called before each wait with the outcome and the length of the wait in milliseconds. */
  readonly onRetry?: ((outcome: HttpReply | HttpFailure, waitMs: number) => void) | undefined
}

/** Status and headers of an HTTP answer. */
export interface HttpHead {
  readonly status: number
  readonly headers: Headers
  /** The `Date` header in milliseconds since the epoch; `null` if there is none. */
  readonly serverDateMs: number | null
}

/** An HTTP answer of any status, read to its end. */
export interface HttpReply extends HttpHead {
  readonly kind: 'reply'
  readonly request: HttpRequest
  /** The body; `null` if it is too large. */
  readonly text: string | null
  /** The JSON object or array in the body; `undefined` without one. A bare word or number doesn't come from a service. */
  readonly body: unknown
  /** Whether the body starts like JSON and isn't: its end is missing. */
  readonly isCut: boolean
  /** `Retry-After` in milliseconds, as sent; `null` if there is none. Limit it before you wait that long. */
  readonly retryAfterMs: number | null
}

/** A request without a complete answer. */
export interface HttpFailure {
  readonly kind: 'failure'
  readonly cause: 'network' | 'timeout' | 'cancelled'
  /** The head of an answer that broke off; `null` without one. */
  readonly head: HttpHead | null
  /** Whether the request may have arrived, so that it may have acted. */
  readonly wasSent: boolean
  /** The platform's code, such as `ECONNREFUSED` or `ERR_CERT_DATE_INVALID`; `null` if there is none. */
  readonly code: string | null
  /** The platform's own error. It may contain the request, so it is no text for a log. */
  readonly error: unknown
}

/**
 * Sends requests to one service. Rejects only for a request that can't be sent, such as one with an invalid header, and
 * with an error of `onResponse` or `onRetry`.
 */
export type HttpClient = (request: HttpRequest, call?: HttpCall) => Promise<HttpReply | HttpFailure>

/** How long a request may take unless its call says otherwise, in milliseconds. */
export const defaultTimeoutMs = 15_000

/** How large a body may be unless its call says otherwise, in bytes after decompression: 2 MiB. */
export const maxAnswerBytes: number = 2 * 1024 * 1024

/** A person may be waiting, so a request is repeated once and soon. */
const onceAndSoon: RetryPolicy = { limit: 1, maxWaitMs: 2_000 }

/**
 * Creates the client for one service. It follows no redirects, because they would carry the license key or the token to
 * another address, and it repeats only GET requests.
 *
 * @param authorization sent as the header of that name.
 */
export function createHttpClient(authorization?: string): HttpClient {
  const ownHeaders = { accept: 'application/json', ...(authorization !== undefined && { authorization }) }
  return async (request, call = {}) => {
    // Loading ky makes Node load its own `fetch`, which takes time at the launch of an app.
    const { default: ky, isHTTPError, isKyError, isTimeoutError } = await import('ky')
    const { method, url, json, form, searchParams } = request
    const { signal, onResponse, timeoutMs = defaultTimeoutMs, retry = onceAndSoon } = call
    let attempt: Attempt = { controller: null, head: null, text: null, error: undefined }
    let waitMs = 0

    const stop = (): void => attempt.controller?.abort()
    const isCancelled = (): boolean => signal?.aborted === true
    const outcomeOf = (error: unknown): HttpReply | HttpFailure =>
      isHTTPError(error) ? replyTo(request, attempt) : failureOf(attempt, causeOf(error))
    const causeOf = (error: unknown): HttpFailure['cause'] => {
      if (isCancelled()) return 'cancelled'
      return isTimeoutError(error) ? 'timeout' : 'network'
    }

    if (isCancelled()) return failureOf(attempt, 'cancelled')
    signal?.addEventListener('abort', stop, { once: true })
    try {
      await ky(url, {
        method,
        headers: { ...call.headers, ...ownHeaders, ...request.headers },
        ...(json !== undefined && { json }),
        ...(form !== undefined && { body: new URLSearchParams(form) }),
        ...(searchParams !== undefined && { searchParams }),
        redirect: 'manual',
        // A list of activations from a browser's cache could cost a seat.
        cache: 'no-store',
        timeout: timeoutMs,
        // Before Node 20.3, ky can't combine signals, and a `Request` with one can keep Electron 25 from quitting.
        ...(signal !== undefined && 'any' in AbortSignal && { signal }),
        async fetch(input, init) {
          // A request that timed out may still be running. A canceled one isn't sent, nor sent again.
          stop()
          if (isCancelled()) throw new TypeError('fetch failed')
          attempt = { controller: new AbortController(), head: null, text: null, error: undefined }
          const sent = input instanceof Request ? input : new Request(input)
          const response = await fetchWhole(sent, init, call, attempt)
          if (attempt.head !== null) onResponse?.(attempt.head)
          return response
        },
        retry: {
          limit: method === 'GET' ? retry.limit : 0,
          methods: ['get'],
          shouldRetry({ error, retryCount }) {
            const outcome = outcomeOf(error)
            const pauseMs = isKyError(error) ? pauseBeforeRetry(outcome, retryCount, retry) : null
            if (pauseMs === null) return false
            waitMs = pauseMs
            retry.onRetry?.(outcome, pauseMs)
            return true
          },
          delay: () => waitMs,
        },
      })
      return replyTo(request, attempt)
    } catch (error) {
      // The request may still be running.
      if (isTimeoutError(error)) stop()
      if (!isCancelled() && !isKyError(error)) throw error
      return outcomeOf(error)
    } finally {
      signal?.removeEventListener('abort', stop)
    }
  }
}

/** One of the times that a request is sent. */
interface Attempt {
  /** Stops it; `null` before the first one. */
  readonly controller: AbortController | null
  head: HttpHead | null
  /** The body; `null` if it is too large. */
  text: string | null
  error: unknown
}

/**
 * Sends a request and reads the body up to a limit, so that ky's time limit covers it as well. ky only gets the status. It
 * also ends when it is stopped although `fetch` ignores its signal.
 */
async function fetchWhole(
  request: Request,
  init: RequestInit | undefined,
  call: HttpCall,
  attempt: Attempt,
): Promise<Response> {
  // The signal isn't part of the request, because Node's copies of one stop following it when the original is collected
  // as garbage.
  const { signal = null } = attempt.controller ?? {}
  const stopped = new Promise<never>((_, reject) => {
    signal?.addEventListener('abort', () => reject(new Error('stopped')))
  })
  const read = async (): Promise<Response> => {
    const fetch: Fetch = call.fetch ?? globalThis.fetch
    const response = await fetch(request, { ...init, redirect: 'manual', signal })
    const { status, headers } = response
    attempt.head = { status, headers, serverDateMs: httpDateMs(headers.get('date')) }
    const reading = readText(response, call.maxAnswerBytes ?? maxAnswerBytes)
    // Chromium cuts off what a proxy for outgoing requests answers. Its status says enough.
    attempt.text = await (status === 407 ? reading.catch(() => '') : reading)
    return status >= 200 && status < 600 ? new Response(null, { status }) : Response.error()
  }
  try {
    return await Promise.race([read(), stopped])
  } catch (error) {
    attempt.error = error
    // ky recognizes the network errors of some platforms by this text.
    throw new TypeError('fetch failed', { cause: error })
  }
}

function replyTo(request: HttpRequest, { head, text }: Attempt): HttpReply {
  const { status, headers, serverDateMs } = head ?? { status: 0, headers: new Headers(), serverDateMs: null }
  const body = text === null ? undefined : parseDocument(text)
  const isCut = body === undefined && /^\s*[[{]/u.test(text ?? '')
  const waitMs = retryAfterMs(headers.get('retry-after'), serverDateMs)
  return { kind: 'reply', request, status, headers, serverDateMs, text, body, isCut, retryAfterMs: waitMs }
}

function failureOf({ controller, head, error }: Attempt, cause: HttpFailure['cause']): HttpFailure {
  const code = cause === 'network' ? networkCode(error) : null
  const wasSent = controller !== null && (head !== null || mayHaveArrived(code))
  return { kind: 'failure', cause, head, wasSent, code, error: cause === 'network' ? error : undefined }
}

/** Error codes of Node and Chromium for a failed connection, before anything was sent. */
const neverConnected = /(?:CONN(?:ECTION_)?REFUSED|ENOTFOUND|NOT_RESOLVED)$/u

/** Whether a request without an answer may have arrived. @param code the platform's code of the failure. */
export function mayHaveArrived(code: string | null): boolean {
  return !neverConnected.test(code ?? '')
}

/** ky's own list, and 425. Other errors of a server, such as 501 and 508, stay. */
const repeatedStatuses: readonly number[] = [408, 413, 425, 429, 500, 502, 503, 504]

/** Returns how long to wait before a request is repeated, in milliseconds; `null` if it isn't. */
function pauseBeforeRetry(
  outcome: HttpReply | HttpFailure,
  retryCount: number,
  { maxWaitMs, afterTimeout = false }: RetryPolicy,
): number | null {
  let askedMs: number | null = null
  if (outcome.kind === 'failure') {
    if (outcome.cause === 'cancelled' || (outcome.cause === 'timeout' && !afterTimeout)) return null
  } else {
    const { status } = outcome
    askedMs = outcome.retryAfterMs
    // Too large a request stays too large, and a service that limits requests, such as Polar, blocks for a minute.
    const isFutile = status === 413 || (status === 429 && maxWaitMs < 60_000)
    if (!repeatedStatuses.includes(status) || (isFutile && askedMs === null)) return null
  }
  // Many clients may have lost the same service, so not all of them come back at once.
  const backoffMs = Math.min(300 * 2 ** (retryCount - 1), 30_000) * (0.5 + Math.random() / 2)
  const waitMs = Math.max(askedMs ?? 0, backoffMs)
  return waitMs > maxWaitMs ? null : waitMs
}

/** What an answer's status means if the body doesn't say more. */
export type HttpFault =
  | 'timeout'
  | 'rate-limited'
  | 'server-error'
  | 'access-denied'
  | 'not-found'
  | 'rejected'
  | 'redirected'
  | 'unexpected-answer'

const faults: Readonly<Record<number, HttpFault>> = {
  401: 'access-denied',
  403: 'access-denied',
  404: 'not-found',
  407: 'access-denied',
  408: 'timeout',
  410: 'not-found',
  425: 'server-error',
  429: 'rate-limited',
}

/** Returns what a status means. @param status 0 for a redirect that a browser hides. */
export function faultOf(status: number): HttpFault {
  const fault = faults[status]
  if (fault !== undefined) return fault
  if (status >= 400) return status >= 500 ? 'server-error' : 'rejected'
  return status >= 200 && status < 300 ? 'unexpected-answer' : 'redirected'
}

/** Whether a status asks to try again later. */
export function isTemporary(status: number): boolean {
  return ['timeout', 'rate-limited', 'server-error'].includes(faultOf(status))
}

/** Reads a body as UTF-8; `null` as soon as it is too large, without the rest. */
async function readText(response: Response, maxBytes: number): Promise<string | null> {
  if (response.body === null) return ''
  const reader = response.body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  let leftBytes = maxBytes
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    leftBytes -= value.byteLength
    if (leftBytes < 0) {
      reader.cancel().catch(() => {})
      return null
    }
    text += decoder.decode(value, { stream: true })
  }
}

/** Returns the JSON object or array in a text; `undefined` without one. */
export function parseDocument(text: string): unknown {
  try {
    const json: unknown = JSON.parse(text)
    return Object(json) === json ? json : undefined
  } catch {
    return undefined
  }
}

/**
 * Returns the platform's code of a failed connection; `null` if there is none. The rest of a message isn't used, because
 * it may contain the request.
 */
export function networkCode(error: unknown): string | null {
  for (let it = error, depth = 0; it instanceof Error && depth < 5; it = it.cause, depth += 1) {
    if ('code' in it && typeof it.code === 'string' && /^[A-Z][A-Z\d_]{1,39}$/u.test(it.code)) return it.code
    const chromium = /net::(ERR_[A-Z_]+)/u.exec(it.message)?.[1]
    if (chromium !== undefined) return chromium
  }
  return null
}

/**
 * Parses `Retry-After`, which is a number of seconds or a date.
 *
 * @param serverDateMs the answer's own `Date`. A date is relative to it, because the local clock may be wrong.
 * @returns milliseconds from now; `null` if the header is missing or invalid.
 */
function retryAfterMs(header: string | null, serverDateMs: number | null): number | null {
  const value = header?.trim() ?? ''
  if (/^\d+$/u.test(value)) return Number(value) * 1000
  const dateMs = httpDateMs(value)
  return dateMs === null ? null : Math.max(0, dateMs - (serverDateMs ?? Date.now()))
}

/** Parses an HTTP date such as `Sun, 06 Nov 1994 08:49:37 GMT`; `null` if it is invalid. */
export function httpDateMs(value: string | null | undefined): number | null {
  // Date.parse alone would read "-1" as a year, and a date without a zone as local time.
  if (!/^[A-Z][a-z]{2,8},? .* (?:GMT|UTC|[+-]\d{4})$/u.test(value ?? '')) return null
  const dateMs = Date.parse(value ?? '')
  return Number.isNaN(dateMs) ? null : dateMs
}
