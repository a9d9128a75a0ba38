import type * as z from 'zod/mini'
import { CommerceError, type CommerceErrorDetails } from '../errors/commerce-error.ts'
import type { Operation } from '../errors/operation.ts'
import { safeCause } from '../errors/safe-cause.ts'
import type { AnswerMeta, CallOptions } from './call-options.ts'
import type { ClientSettings } from './client-options.ts'
import { type Deadline, startDeadline } from './deadline.ts'
import type { Exchange, ExchangeAnswer } from './exchange.ts'
import {
  breaksOff,
  errorCodeOf,
  isJsonDocument,
  readBody,
  refusalCodeOf,
  statusError,
} from './read-answer.ts'
import { requestHeaders } from './request-headers.ts'
import { httpDateMs, retryAfterMs } from './retry-after.ts'

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

export function createTransport(settings: ClientSettings, exchange: Exchange): Transport {
  return async (plan, call = {}) => {
    const headers = requestHeaders(settings, plan.operation, call.headers)
    const startedMs = performance.now()
    const deadline = startDeadline(settings.timeoutMs, call.signal)
    let response: ExchangeAnswer | undefined
    let isExpected = false
    try {
      if (deadline.endedBy !== null) throw new CommerceError('cancelled', { operation: plan.operation })
      const { method, url, json } = plan
      const body = json === undefined ? null : JSON.stringify(json)
      response = await deadline.race(exchange({ method, url, headers, body }, deadline.signal))
      const reading = response.text(settings.maxAnswerBytes)
      // Chromium cuts off what a proxy for outgoing requests answers. Its status says enough.
      const text = await deadline.race(response.status === 407 ? reading.catch(() => '') : reading)
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

function readAnswer<T>(plan: Plan<T>, response: ExchangeAnswer, text: string | null): T {
  const details: CommerceErrorDetails = {
    operation: plan.operation,
    // A browser reports a redirect as status 0.
    status: response.status === 0 ? null : response.status,
    serverDateMs: httpDateMs(response.header('date')),
  }
  const code = errorCodeOf(response.status)
  if (code !== null) {
    throw statusError(code, {
      ...details,
      bodyIsJson: text !== null && isJsonDocument(text),
      bodyIsEmpty: text?.trim() === '',
      refusalCode: text === null ? null : refusalCodeOf(text),
      retryAfterMs: retryAfterMs(response.header('retry-after'), details.serverDateMs ?? null),
    })
  }
  if (text === null) {
    throw new CommerceError('unexpected-answer', {
      ...details,
      bodyIsJson: false,
      bodyIsTooLarge: /^application\/(?:[\w.-]+\+)?json(?:;|\s|$)/i.test(
        response.header('content-type') ?? '',
      ),
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
  response: ExchangeAnswer | undefined,
  error: unknown,
): CommerceError {
  const details = {
    operation,
    status: response?.status ?? null,
    serverDateMs: httpDateMs(response?.header('date')),
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
  response: ExchangeAnswer,
  durationMs: number,
  isExpected: boolean,
): AnswerMeta {
  return {
    operation,
    status: response.status,
    // An app that only needs the date should not load the class.
    get headers() {
      return response.headers()
    },
    serverDateMs: httpDateMs(response.header('date')),
    durationMs,
    isExpected,
  }
}
