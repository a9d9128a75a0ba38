import { vi } from 'vitest'

/** The longest wait before a GET request is repeated, in milliseconds. The time limit of a request is longer. */
const longestPauseMs = 2_000

/** Skips the waits before repeated requests, which would run on the real clock. Vitest undoes it after the test. */
export function skipWaitsBeforeRetries(): void {
  const { setTimeout } = globalThis
  vi.stubGlobal('setTimeout', (callback: () => void, delayMs = 0) =>
    setTimeout(callback, delayMs <= longestPauseMs ? 0 : delayMs),
  )
}
