import type { ShownProblem } from '../scene/shown-problem.ts'

/** How long to wait if another operation is running, in milliseconds. */
export const busyRetryMs = 2_000

const shortestMs = 5_000
const longestMs = 60_000
/** The longest pause that a service can ask for. The user can retry at any time. */
const longestAskedMs = 15 * 60_000

/**
 * Returns how long the screen waits before an automatic retry: 5, 10, 20, 40, then 60 seconds, or as long as the
 * service asked to wait.
 *
 * @param waits earlier waits for the same activation.
 */
export function retryDelayMs({ retryAt }: ShownProblem, waits: number, nowMs: number): number {
  const askedMs = Date.parse(retryAt ?? '') - nowMs || 0
  return Math.max(Math.min(shortestMs * 2 ** waits, longestMs), Math.min(askedMs, longestAskedMs))
}
