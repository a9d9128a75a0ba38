import { type Problem, type ProblemCode, problemMessages } from '../shared/problem.ts'
import { formatTimestamp } from '../shared/timestamp.ts'

/** ProblemCause as a decision knows it, before it is told to anyone. */
export interface ProblemCause {
  readonly code: ProblemCode
  readonly httpStatus?: number
  /** How long the service asked to wait, in milliseconds. */
  readonly retryAfterMs?: number
}

/** A service may ask for a pause, but not for one that keeps a paying customer waiting for days. */
export const maxRetryAfterMs: number = 24 * 60 * 60 * 1000

const retryable: ReadonlySet<ProblemCode> = new Set<ProblemCode>([
  'activation-refused',
  'activation-unconfirmed',
  'unconfirmed',
  'deactivation-pending',
  'offline',
  'timeout',
  'service-error',
  'rate-limited',
  'unexpected-answer',
  'incomplete-answer',
  'unauthorized',
  'untrusted-answer',
  'store-not-writable',
  'disk-full',
  // The service names the time, once it can be reached.
  'clock-behind',
  'busy',
  'unexpected',
])

/** The code, and the status that came with it: for a log line or a report. */
export function nameCause({ code, httpStatus }: ProblemCause): string {
  return httpStatus === undefined ? code : `${code} (status ${httpStatus})`
}

/** Makes the plain data that states and results carry. `nowMs` is wall-clock time. */
export function describeProblem(cause: ProblemCause, nowMs: number): Problem {
  const { code, httpStatus, retryAfterMs } = cause
  return {
    code,
    message: problemMessages[code],
    isRetryable: retryable.has(code),
    occurredAt: formatTimestamp(nowMs),
    ...(httpStatus === undefined ? {} : { httpStatus }),
    ...(retryAfterMs === undefined
      ? {}
      : { retryAt: formatTimestamp(nowMs + Math.min(retryAfterMs, maxRetryAfterMs)) }),
  }
}
