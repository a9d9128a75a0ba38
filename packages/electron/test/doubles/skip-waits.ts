import { vi } from 'vitest'

/** The longest wait before a GET request is repeated, in milliseconds. The time limit of a request is longer. */
const longestPauseMs = 2_000

/**
 * How often the clock of Node's fetch ticks, in milliseconds. Each tick counts as that much, so that without a wait its
 * limit of five minutes for an answer would be over within a second, in this test and in later ones of this process.
 */
const tickOfFetchMs = 499

/**
 * Skips the waits before repeated requests, which would run on the real clock. For `beforeEach`.
 *
 * @returns a function that undoes it. Vitest's own option would do so only after the `beforeAll` of the next file.
 */
export function skipWaitsBeforeRetries(): () => void {
  const { setTimeout } = globalThis
  vi.stubGlobal('setTimeout', (callback: () => void, delayMs = 0) =>
    setTimeout(callback, delayMs <= longestPauseMs && delayMs !== tickOfFetchMs ? 0 : delayMs),
  )
  return () => void vi.unstubAllGlobals()
}
