/** Time, so that waiting can be tested. All times are milliseconds. */
export interface SessionTimers {
  /** Milliseconds since the epoch. */
  nowMs(): number
  /** Calls back once. @returns cancels it. */
  after(delayMs: number, callback: () => void): () => void
}

/** Watches an answer under way, so that no waiting is without end. */
export interface WaitClock {
  /** Starts it or stops it; asking twice changes nothing. */
  set(isWaiting: boolean): void
}

/** After this long without an answer the screen says so. */
const slowMs = 8_000
/** After this long the screen stops waiting and offers to try again. */
const patienceMs = 60_000

/** Makes a clock. @param onSlow when waiting gets long @param onOverdue when it is enough */
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
