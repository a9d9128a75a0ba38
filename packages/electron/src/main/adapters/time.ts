import type { ClockPort } from '../../core/ports.ts'

/** The longest delay a timer supports, in milliseconds. With a longer one it fires immediately. */
const maxDelayMs = 2 ** 31 - 1

/** The clocks and timers of this process. */
export function createSystemClock(): ClockPort {
  return {
    now: () => Date.now(),
    monotonic: () => performance.now(),
    random: () => Math.random(),
    after(delayMs, callback) {
      let timer: NodeJS.Timeout | undefined
      const wait = (leftMs: number): void => {
        const stepMs = Math.min(Math.max(0, leftMs), maxDelayMs)
        timer = setTimeout(() => (leftMs > stepMs ? wait(leftMs - stepMs) : callback()), stepMs)
        timer.unref()
      }
      wait(delayMs)
      return () => clearTimeout(timer)
    },
  }
}

/** Waits that many milliseconds. `node:timers/promises` would be another module to load at every launch. */
export function sleep(delayMs: number | undefined): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, delayMs))
}

/** Thrown when a time limit is exceeded. */
export class TimeLimitError extends Error {
  override readonly name = 'TimeLimitError' as const
}

/**
 * Waits for a promise, but no longer than the time limit. The operation itself continues.
 *
 * @throws {TimeLimitError} if the time limit is exceeded; otherwise the promise's own error.
 */
export async function withinTime<Value>(promise: Promise<Value>, timeoutMs: number): Promise<Value> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new TimeLimitError('No answer in time')), timeoutMs)
  })
  try {
    return await Promise.race([promise, timeout])
  } finally {
    clearTimeout(timer)
  }
}
