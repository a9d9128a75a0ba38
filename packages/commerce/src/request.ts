import * as z from 'zod/mini'
import { CommerceError, type CommerceErrorCode, type Operation } from './commerce-error.ts'
import {
  createHttpClient,
  type Fetch,
  faultOf,
  type HttpFailure,
  type HttpFault,
  type HttpReply,
  type RetryPolicy,
} from './http.ts'
import { pathText } from './options.ts'

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
    headers.set('content-type', 'application/json')
    if (userAgent !== undefined) headers.set('user-agent', userAgent)

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
        ? answerError(outcome, operation)
        : failureError(outcome, operation, accessToken)

    const outcome = await http(
      { method, url, json, headers: Object.fromEntries(headers) },
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
    const isDocument = outcome.kind === 'reply' && outcome.body !== undefined
    if (!isDocument || faultOf(outcome.status) !== 'unexpected-answer') {
      tell(outcome, false)
      throw errorOf(outcome)
    }
    const { success, data, error } = schema.safeParse(outcome.body)
    tell(outcome, success)
    if (success) return data
    throw answerError(outcome, operation, pathText(error.issues[0]?.path ?? []) || null)
  }
}

const ownHeaders = ['authorization', 'content-type', 'accept']

/** @throws {CommerceError} `invalid-argument` without the header's value. */
function callerHeaders(extra: Record<string, string> | undefined, operation: Operation): Headers {
  const refuse = (hint: string): never => {
    throw new CommerceError('invalid-argument', { operation, hint })
  }
  let headers: Headers
  try {
    headers = new Headers(extra)
  } catch {
    return refuse('a header contains characters that HTTP cannot carry')
  }
  const own = ownHeaders.find((name) => headers.has(name))
  return own === undefined ? headers : refuse(`the client sets ${own} itself`)
}

const errorCodes: Readonly<Record<HttpFault, CommerceErrorCode>> = {
  timeout: 'unreachable',
  'rate-limited': 'unreachable',
  'server-error': 'unreachable',
  'access-denied': 'unauthorized',
  'not-found': 'not-found',
  rejected: 'rejected',
  redirected: 'unexpected-answer',
  'unexpected-answer': 'unexpected-answer',
}

/** The error for an answer that isn't the documented one. @param field the first missing or wrong field of a success. */
function answerError(reply: HttpReply, operation: Operation, field: string | null = null): CommerceError {
  const { status, headers, body, text, isCut, serverDateMs, retryAfterMs } = reply
  const code = errorCodes[faultOf(status)]
  const isSuccess = status >= 200 && status < 300
  const isUnreadable = isSuccess && body === undefined
  const isJson = /^application\/(?:[\w.-]+\+)?json(?:;|\s|$)/iu.test(headers.get('content-type') ?? '')
  const problem = text === null ? 'the body is too large' : 'the body is not a JSON document'
  return new CommerceError(code, {
    operation,
    // A browser reports a redirect as status 0.
    status: status === 0 ? null : status,
    reason: code === 'unreachable' ? 'http-status' : null,
    serverDateMs,
    retryAfterMs,
    field,
    bodyIsJson: body !== undefined,
    bodyIsEmpty: text?.trim() === '',
    bodyIsCut: isUnreadable && isCut,
    bodyIsTooLarge: isUnreadable && text === null && isJson,
    refusalCode: isSuccess ? null : refusalCodeOf(body),
    hint: isUnreadable ? problem : null,
  })
}

/** Returns the `error` of a JSON body if it is a short code such as `no-seat-left`; otherwise `null`. */
function refusalCodeOf(body: unknown): string | null {
  return refusalSchema.safeParse(body).data?.error ?? null
}

const refusalSchema = z.object({ error: z.string().check(z.regex(/^[a-z][a-z-]{1,40}$/u)) })

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

const uuidPattern = /[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/gi
const maxDepth = 5

/**
 * Copies the useful parts of a foreign error (name, message, code, causes) and drops the rest: the raw error may
 * contain the request with the license id and the Authorization header.
 */
function safeCause(raw: unknown, accessToken: string | undefined, depth = 0): Error {
  // An error's fields can have any type.
  const scrub = (text: unknown): string => {
    const withoutIds = String(text).replaceAll(uuidPattern, '<id>')
    return accessToken === undefined ? withoutIds : withoutIds.replaceAll(accessToken, '<token>')
  }
  if (!(raw instanceof Error)) return frame(new Error('A value that is not an Error was thrown'), 'NonError')
  const cause =
    raw.cause === undefined || depth >= maxDepth
      ? undefined
      : { cause: safeCause(raw.cause, accessToken, depth + 1) }
  const code = 'code' in raw && typeof raw.code === 'string' ? scrub(raw.code) : undefined
  const safe = frame(new Error(scrub(raw.message) || code || 'unknown', cause), scrub(raw.name))
  return code === undefined ? safe : Object.assign(safe, { code })
}

function frame(error: Error, name: string): Error {
  error.name = name
  // Stack frames of this file would be misleading.
  error.stack = `${name}: ${error.message}`
  return error
}
