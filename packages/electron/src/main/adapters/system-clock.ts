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
      // A process's first timer takes a millisecond. The app creates its first window before that.
      const beginning = setImmediate(wait, delayMs)
      return () => {
        clearImmediate(beginning)
        clearTimeout(timer)
      }
    },
  }
}
