import { parseTimestamp } from '../../shared/timestamp.ts'
import type { ShownProblem } from '../scene/shown-problem.ts'

const shortestMs = 5_000
const longestMs = 60_000
/** The longest pause that a service can ask for. The user can retry at any time. */
const longestAskedMs = 15 * 60_000

/**
 * Returns how long the screen waits before an automatic retry: 5, 10, 20, 40, then 60 seconds.
 * @param failures failed attempts so far, at least 1.
 * @param askedMs how long the service asked to wait; 0 if it didn't.
 */
export function retryDelayMs(failures: number, askedMs: number): number {
  const growing = Math.min(shortestMs * 2 ** Math.min(failures - 1, 10), longestMs)
  return Math.max(growing, Math.min(askedMs, longestAskedMs))
}

/** How long the service asked to wait, in milliseconds; 0 if it didn't. */
export function askedDelayMs({ retryAt }: ShownProblem, nowMs: number): number {
  const atMs = retryAt === undefined ? null : parseTimestamp(retryAt)
  return atMs === null ? 0 : atMs - nowMs
}
