import type * as z from 'zod/mini'
import type { AnswerMeta, CallOptions } from './call-options.ts'
import type { ClientSettings } from './client-options.ts'
import { CommerceError, type CommerceErrorDetails } from './commerce-error.ts'
import { type Deadline, startDeadline } from './deadline.ts'
import type { Operation } from './operation.ts'
import {
  breaksOff,
  errorCodeOf,
  isJsonDocument,
  readBody,
  refusalCodeOf,
  statusError,
} from './read-answer.ts'
import { readBoundedText } from './read-bounded-text.ts'
import { requestHeaders } from './request-headers.ts'
import { httpDateMs, retryAfterMs } from './retry-after.ts'
import { safeCause } from './safe-cause.ts'

/** One request, and the schema of its answer. */
export interface Plan<T> {
  operation: Operation
  method: 'GET' | 'POST' | 'DELETE'
  /** Absolute. */
  url: string
  json?: Record<string, string>
  schema: z.ZodMiniType<T>
}

/** Sends one request, once, and parses its answer. Every failure is a {@link CommerceError}. */
export type Transport = <T>(plan: Plan<T>, call?: CallOptions) => Promise<T>

export function createTransport(settings: ClientSettings): Transport {
  return async (plan, call = {}) => {
    const headers = requestHeaders(settings, plan.operation, call.headers)
    const startedMs = performance.now()
    const deadline = startDeadline(settings.timeoutMs, call.signal)
    let response: Response | undefined
    let isExpected = false
    try {
      if (deadline.endedBy !== null) throw new CommerceError('cancelled', { operation: plan.operation })
      response = await deadline.race(request(settings, plan, headers, deadline))
      const text = await deadline.race(readBoundedText(response, settings.maxAnswerBytes))
      const value = readAnswer(plan, response, text)
      isExpected = true
      return value
    } catch (error) {
      throw error instanceof CommerceError
        ? error
        : brokenOff(settings, plan.operation, deadline, response, error)
    } finally {
      deadline.release()
      if (response !== undefined) {
        call.onAnswer?.(answerMeta(plan.operation, response, performance.now() - startedMs, isExpected))
      }
    }
  }
}

async function request<T>(
  settings: ClientSettings,
  plan: Plan<T>,
  headers: Headers,
  deadline: Deadline,
): Promise<Response> {
  // Importing ky makes Node load its own `fetch`, which would slow down the launch of an app that may never send a
  // request.
  const { default: ky } = await import('ky')
  return await ky(plan.url, {
    method: plan.method,
    headers,
    ...(plan.json === undefined ? {} : { json: plan.json }),
    fetch: (input, init) => settings.fetch(input instanceof Request ? input : new Request(input), init),
    signal: deadline.signal,
    // A list of keys from a browser's cache could cost a seat.
    cache: 'no-store',
    // A followed redirect would send the token to its target.
    redirect: 'manual',
    // ky retries DELETE by default, and its timeout only covers the headers.
    retry: 0,
    timeout: false,
    // ky's HTTPError contains the URL and reads the body without our size limit.
    throwHttpErrors: false,
  })
}

function readAnswer<T>(plan: Plan<T>, response: Response, text: string | null): T {
  const details: CommerceErrorDetails = {
    operation: plan.operation,
    // A browser reports a redirect as status 0.
    status: response.status === 0 ? null : response.status,
    serverDateMs: httpDateMs(response.headers.get('date')),
  }
  const code = errorCodeOf(response.status)
  if (code !== null) {
    throw statusError(code, {
      ...details,
      bodyIsJson: text !== null && isJsonDocument(text),
      refusalCode: text === null ? null : refusalCodeOf(text),
      retryAfterMs: retryAfterMs(response.headers, details.serverDateMs ?? null),
    })
  }
  if (text === null) {
    throw new CommerceError('unexpected-answer', {
      ...details,
      bodyIsJson: false,
      hint: 'the body is too large',
    })
  }
  const reading = readBody(text, plan.schema)
  if (reading.holds) return reading.value
  const { bodyIsJson, field } = reading
  throw new CommerceError('unexpected-answer', {
    ...details,
    bodyIsJson,
    bodyIsCut: !bodyIsJson && breaksOff(text),
    bodyIsEmpty: text.trim() === '',
    field,
    ...(bodyIsJson ? {} : { hint: 'the body is not a JSON document' }),
  })
}

/** Creates the error for an exchange that ended before its last byte. */
function brokenOff(
  settings: ClientSettings,
  operation: Operation,
  deadline: Deadline,
  response: Response | undefined,
  error: unknown,
): CommerceError {
  const details = {
    operation,
    status: response?.status ?? null,
    serverDateMs: httpDateMs(response?.headers.get('date')),
  }
  if (deadline.endedBy === 'cancelled') return new CommerceError('cancelled', details)
  if (deadline.endedBy === 'timeout')
    return new CommerceError('unreachable', { ...details, reason: 'timeout' })
  const cause = safeCause(error, settings.accessToken)
  const bodyIsCut = response !== undefined
  return new CommerceError('unreachable', { ...details, reason: 'network', bodyIsCut, cause })
}

function answerMeta(
  operation: Operation,
  response: Response,
  durationMs: number,
  isExpected: boolean,
): AnswerMeta {
  const { status, headers } = response
  return { operation, status, headers, serverDateMs: httpDateMs(headers.get('date')), durationMs, isExpected }
}
