import { parseTimestamp } from '../../shared/timestamp.ts'
import type { ShownProblem } from '../scene/shown-problem.ts'

const shortestMs = 5_000
const longestMs = 60_000
/** A service may ask for more patience than this; the screen's button stays there for people. */
const longestAskedMs = 15 * 60_000

/**
 * How long the screen waits before it tries again by itself: 5, 10, 20, 40, then 60 seconds.
 * @param failures tries that failed so far, at least 1.
 * @param askedMs how long the service asked to wait; 0 when it did not.
 */
export function retryDelayMs(failures: number, askedMs: number): number {
  const growing = Math.min(shortestMs * 2 ** Math.min(failures - 1, 10), longestMs)
  return Math.max(growing, Math.min(askedMs, longestAskedMs))
}

/** How long the service asked to wait, in milliseconds; 0 when it did not. */
export function askedDelayMs({ retryAt }: ShownProblem, nowMs: number): number {
  const atMs = retryAt === undefined ? null : parseTimestamp(retryAt)
  return atMs === null ? 0 : atMs - nowMs
}
