import type * as z from 'zod/mini'
import { CommerceError, type CommerceErrorCode, type Operation, safeCause } from './commerce-error.ts'
import {
  createHttpClient,
  type Fetch,
  type HttpFailure,
  type HttpReply,
  isTemporary,
  type RetryPolicy,
} from './http.ts'

/** Options of every call. */
export interface CallOptions {
  /** Cancels the call, which then rejects with a `cancelled` error. */
  signal?: AbortSignal | undefined
  /**
   * Additional headers. The client sets `authorization`, `content-type` and `accept` itself and refuses them
   * here.
   */
  headers?: Record<string, string> | undefined
  /** Performs the requests of this call. @default the client's own `fetch` */
  fetch?: Fetch | undefined
  /** Time limit of each request in milliseconds. @default the client's own `timeout` */
  timeout?: number | undefined
  /** Called once for every HTTP answer, even an error. If it throws, the call rejects with that error. */
  onAnswer?: ((answer: AnswerMeta) => void) | undefined
}

/** Information about an HTTP answer besides its body. */
export interface AnswerMeta {
  operation: Operation
  status: number
  headers: Headers
  /** The `Date` header in milliseconds since the epoch; `null` if there is none. */
  serverDateMs: number | null
  /** From the call to the last byte of the body, in milliseconds. */
  durationMs: number
  /** Whether this was a success with the documented body, so that it comes from the service and not from a proxy. */
  isExpected: boolean
}

/** One request, and the schema of its answer. */
export interface Plan<T> {
  operation: Operation
  method: 'GET' | 'POST' | 'DELETE'
  /** Absolute. */
  url: string
  json?: Record<string, string>
  schema: z.ZodMiniType<T>
  /** How to repeat a GET request, with the error of each attempt. @default once, after a short wait */
  retry?: Omit<RetryPolicy, 'onRetry'> & {
    onRetry?: ((error: CommerceError, waitMs: number) => void) | undefined
  }
}

/** Sends a request and parses its answer. Every failure is a {@link CommerceError}. */
export type Requester = <T>(plan: Plan<T>, call?: CallOptions) => Promise<T>

/** What is the same for all requests of a client. */
export interface RequesterSettings {
  accessToken: string | undefined
  fetch: Fetch | undefined
  timeoutMs: number | undefined
  maxAnswerBytes: number | undefined
  userAgent: string | undefined
}

export function createRequester(settings: RequesterSettings): Requester {
  const { accessToken, fetch, timeoutMs, maxAnswerBytes, userAgent } = settings
  const http = createHttpClient(accessToken === undefined ? undefined : `Bearer ${accessToken}`)

  return async <T>(plan: Plan<T>, call: CallOptions = {}): Promise<T> => {
    const { operation, method, url, json, schema, retry = { limit: 1, maxWaitMs: 2_000 } } = plan
    const headers = callerHeaders(call.headers, operation)
    headers['content-type'] = 'application/json'
    if (userAgent !== undefined) headers['user-agent'] = userAgent

    const startedMs = performance.now()
    const tell = (outcome: HttpReply | HttpFailure, isExpected: boolean): void => {
      const head = outcome.kind === 'reply' ? outcome : outcome.head
      if (head === null) return
      const { status, headers: answered, serverDateMs } = head
      const durationMs = performance.now() - startedMs
      call.onAnswer?.({ operation, status, headers: answered, serverDateMs, durationMs, isExpected })
    }
    const errorOf = (outcome: HttpReply | HttpFailure): CommerceError =>
      outcome.kind === 'reply'
        ? (statusError(outcome, operation) ?? unexpected(outcome, operation, null))
        : failureError(outcome, operation, accessToken)

    const outcome = await http(
      { method, url, json, headers },
      {
        fetch: call.fetch ?? fetch,
        timeoutMs: call.timeout ?? timeoutMs,
        maxAnswerBytes,
        signal: call.signal,
        retry: {
          ...retry,
          onRetry(failed, waitMs) {
            tell(failed, false)
            retry.onRetry?.(errorOf(failed), waitMs)
          },
        },
      },
    )
    const isSuccess =
      outcome.kind === 'reply' && errorCodeOf(outcome.status) === null && outcome.body !== undefined
    const reading = isSuccess ? schema.safeParse(outcome.body) : null
    tell(outcome, reading?.success === true)
    if (reading?.success) return reading.data
    const path = reading?.error.issues[0]?.path
    throw path === undefined || outcome.kind !== 'reply'
      ? errorOf(outcome)
      : unexpected(outcome, operation, fieldName(path))
  }
}

const ownHeaders = ['authorization', 'content-type', 'accept']
// As specified by RFC 9110.
const headerName = /^[\w!#$%&'*+.^`|~-]+$/u
const headerValue = /^[^\0\r\n\u0100-\u{10ffff}]*$/u

/** @throws {CommerceError} `invalid-argument` without the header's value. */
function callerHeaders(extra: Record<string, string> = {}, operation: Operation): Record<string, string> {
  const headers = Object.entries(extra).map(([givenName, givenValue]) => {
    const name = givenName.toLowerCase()
    const value = String(givenValue).replace(/^[\t\n\r ]+|[\t\n\r ]+$/gu, '')
    const isSendable = headerName.test(name) && headerValue.test(value)
    if (isSendable && !ownHeaders.includes(name)) return [name, value]
    const hint = isSendable
      ? `the client sets ${name} itself`
      : 'a header contains characters that HTTP cannot carry'
    throw new CommerceError('invalid-argument', { operation, hint })
  })
  return Object.fromEntries(headers)
}

/** Returns the error code for an answer's status; `null` for a success. */
function errorCodeOf(status: number): CommerceErrorCode | null {
  if (status >= 200 && status < 300) return null
  if (isTemporary(status)) return 'unreachable'
  if (status === 401 || status === 403 || status === 407) return 'unauthorized'
  if (status === 404 || status === 410) return 'not-found'
  return status >= 400 ? 'rejected' : 'unexpected-answer'
}

function statusError(reply: HttpReply, operation: Operation): CommerceError | null {
  const code = errorCodeOf(reply.status)
  if (code === null) return null
  const { status, body, text, serverDateMs, retryAfterMs } = reply
  return new CommerceError(code, {
    operation,
    // A browser reports a redirect as status 0.
    status: status === 0 ? null : status,
    reason: code === 'unreachable' ? 'http-status' : null,
    serverDateMs,
    retryAfterMs,
    bodyIsJson: body !== undefined,
    bodyIsEmpty: text?.trim() === '',
    refusalCode: refusalCodeOf(body),
  })
}

/** Returns the `error` of a JSON body if it is a short code such as `no-seat-left`; otherwise `null`. */
function refusalCodeOf(body: unknown): string | null {
  if (typeof body !== 'object' || body === null || !('error' in body)) return null
  return typeof body.error === 'string' && /^[a-z][a-z-]{1,40}$/u.test(body.error) ? body.error : null
}

/** The error for a success without the documented body. */
function unexpected(reply: HttpReply, operation: Operation, field: string | null): CommerceError {
  const { status, headers, body, text, serverDateMs } = reply
  const details = { operation, status, serverDateMs, field, bodyIsJson: body !== undefined }
  if (body !== undefined) return new CommerceError('unexpected-answer', details)
  if (text === null) {
    const isJson = /^application\/(?:[\w.-]+\+)?json(?:;|\s|$)/iu.test(headers.get('content-type') ?? '')
    return new CommerceError('unexpected-answer', {
      ...details,
      bodyIsTooLarge: isJson,
      hint: 'the body is too large',
    })
  }
  return new CommerceError('unexpected-answer', {
    ...details,
    // It starts like JSON, so its end is missing.
    bodyIsCut: /^\s*[[{]/u.test(text),
    bodyIsEmpty: text.trim() === '',
    hint: 'the body is not a JSON document',
  })
}

function fieldName(path: readonly PropertyKey[]): string | null {
  const name = path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`)).join('')
  return name === '' ? null : name.replace(/^\./u, '')
}

/** The error for a request without a complete answer. */
function failureError(
  { cause, head, error }: HttpFailure,
  operation: Operation,
  accessToken: string | undefined,
): CommerceError {
  const details = { operation, status: head?.status ?? null, serverDateMs: head?.serverDateMs ?? null }
  if (cause === 'cancelled') return new CommerceError('cancelled', details)
  if (cause === 'timeout') return new CommerceError('unreachable', { ...details, reason: 'timeout' })
  return new CommerceError('unreachable', {
    ...details,
    reason: 'network',
    bodyIsCut: head !== null,
    cause: safeCause(error, accessToken),
  })
}
