/** Timers that tests can replace. All times are in milliseconds. */
export interface SessionTimers {
  /** Milliseconds since the epoch. */
  nowMs(): number
  /** Calls back once. @returns a function that cancels it. */
  after(delayMs: number, callback: () => void): () => void
}

/** Watches a pending answer, so that no wait is endless. */
export interface WaitClock {
  /** Starts or stops it. Repeated calls have no effect. */
  set(isWaiting: boolean): void
}

/** After this long without an answer, the screen mentions it. */
const slowMs = 8_000
/** After this long, the screen stops waiting and offers to try again. */
const patienceMs = 60_000

/** Creates a clock. @param onSlow called when the wait gets long @param onOverdue called when it ends */
export function createWaitClock(timers: SessionTimers, onSlow: () => void, onOverdue: () => void): WaitClock {
  let cancels: readonly (() => void)[] = []
  return {
    set: (isWaiting) => {
      if (isWaiting === cancels.length > 0) return
      for (const cancel of cancels) cancel()
      cancels = isWaiting ? [timers.after(slowMs, onSlow), timers.after(patienceMs, onOverdue)] : []
    },
  }
}
