import { vi } from 'vitest'

/** The longest wait before a GET request is repeated, in milliseconds. The time limit of a request is longer. */
const longestPauseMs = 2_000

/**
 * Skips the waits before repeated requests, which would run on the real clock. For `beforeEach`.
 *
 * @returns a function that undoes it. Vitest's own option would do so only after the `beforeAll` of the next file.
 */
export function skipWaitsBeforeRetries(): () => void {
  const { setTimeout } = globalThis
  vi.stubGlobal('setTimeout', (callback: () => void, delayMs = 0) =>
    setTimeout(callback, delayMs <= longestPauseMs ? 0 : delayMs),
  )
  return () => void vi.unstubAllGlobals()
}
