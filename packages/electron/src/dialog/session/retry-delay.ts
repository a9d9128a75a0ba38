import { isConnectionProblem, type ShownProblem } from '../scene/shown-problem.ts'

/** How long to wait if another operation is running, in milliseconds. */
export const busyRetryMs = 2_000

const shortestMs = 5_000
const longestMs = 60_000
/** The longest pause that a service can ask for. The user can retry at any time. */
const longestAskedMs = 15 * 60_000

/**
 * Returns how long the screen waits before an automatic retry: 5, 10, 20, 40, then 60 seconds, or as long as the
 * service asked to wait; `null` if the problem isn't about the connection.
 * @param failures failed attempts so far, at least 1.
 */
export function retryDelayMs(problem: ShownProblem, failures: number, nowMs: number): number | null {
  if (!isConnectionProblem(problem)) return null
  const growing = Math.min(shortestMs * 2 ** (failures - 1), longestMs)
  return Math.max(growing, Math.min(askedDelayMs(problem, nowMs), longestAskedMs))
}

/** How long the service asked to wait, in milliseconds; 0 if it didn't. */
function askedDelayMs({ retryAt }: ShownProblem, nowMs: number): number {
  return Date.parse(retryAt ?? '') - nowMs || 0
}
