import type { OfflineProblemCode } from '../shared/offline-problem.ts'
import { type Problem, type ProblemCode, problemMessages } from '../shared/problem.ts'
import { formatTimestamp } from '../shared/timestamp.ts'

/** The cause of a problem, as decisions use it. */
export interface ProblemCause<Code = ProblemCode> {
  readonly code: Code
  readonly httpStatus?: number
  /** Chromium's code of why there was no connection. */
  readonly networkError?: string
  /** How long the service asked to wait, in milliseconds. */
  readonly retryAfterMs?: number
  /** Where the license key came from, if an administrator provided it. */
  readonly source?: string
}

/** The cause of a problem, which may be one with the answer to a computer without internet. */
export type AnyCause = ProblemCause<ProblemCode | OfflineProblemCode>

/** Nothing definite is known about an activation, and nothing shows why. */
export const unconfirmed: ProblemCause = { code: 'unconfirmed' }

/** Why the seat of a device that was signed out isn't free yet. */
export function seatNotFreed(cause: ProblemCause): ProblemCause {
  return { ...cause, code: 'deactivation-pending' }
}

/** The longest wait to accept from a service, in milliseconds, so that a paying customer never waits for days. */
export const maxRetryAfterMs: number = 24 * 60 * 60 * 1000

const retryable: ReadonlySet<ProblemCode> = new Set<ProblemCode>([
  'activation-refused',
  'activation-unconfirmed',
  'seat-may-be-taken',
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
  // The service states the time as soon as it can be reached.
  'clock-behind',
  'busy',
  'unexpected',
])

/** Returns the code and the HTTP status, for a log line or a report. */
export function nameCause({ code, httpStatus }: AnyCause): string {
  return httpStatus === undefined ? code : `${code} (status ${httpStatus})`
}

/** Creates the plain data for states and results. `nowMs` is wall-clock time. */
export function describeProblem(cause: ProblemCause, nowMs: number): Problem {
  const { code, httpStatus, networkError, retryAfterMs, source } = cause
  return {
    code,
    message: problemMessages[code],
    isRetryable: retryable.has(code),
    occurredAt: formatTimestamp(nowMs),
    ...(httpStatus === undefined ? {} : { httpStatus }),
    ...(networkError === undefined ? {} : { networkError }),
    ...(retryAfterMs === undefined
      ? {}
      : { retryAt: formatTimestamp(nowMs + Math.min(retryAfterMs, maxRetryAfterMs)) }),
    ...(source === undefined ? {} : { source }),
  }
}

/** Names an error for the log: its code, or else its class. Its message may contain a secret. */
export function nameError(error: unknown): string {
  if (!(error instanceof Error)) return typeof error
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name
}
