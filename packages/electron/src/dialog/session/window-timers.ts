import type { SessionTimers } from './wait-clock.ts'

/** The window's own timers. */
export const windowTimers: SessionTimers = {
  nowMs: () => Date.now(),
  after: (delayMs, callback) => {
    const timer = setTimeout(callback, delayMs)
    return () => clearTimeout(timer)
  },
}
