import {
  type OfflineProblem,
  type OfflineProblemCode,
  offlineProblemMessages,
} from '../../shared/offline-problem.ts'
import type { ProblemCode } from '../../shared/problem.ts'
import { formatTimestamp } from '../../shared/timestamp.ts'
import { describeProblem, type ProblemCause } from '../problem.ts'

/** The cause of a problem, which may be one with the answer. */
export type OfflineCause = ProblemCause | { readonly code: OfflineProblemCode | ProblemCode }

/** Creates the plain data for results of an activation without internet. `nowMs` is wall-clock time. */
export function describeOfflineProblem(cause: OfflineCause, nowMs: number): OfflineProblem {
  const { code } = cause
  if (!isAboutAnswer(code)) return describeProblem({ ...cause, code }, nowMs)
  const message = offlineProblemMessages[code]
  return { code, message, isRetryable: false, occurredAt: formatTimestamp(nowMs) }
}

function isAboutAnswer(code: OfflineProblemCode | ProblemCode): code is OfflineProblemCode {
  return Object.hasOwn(offlineProblemMessages, code)
}
