/**
 * The latest moment Latchkey has proof of. A wall clock lies; the mark only runs forward, so turning the clock
 * back buys nothing.
 */
export interface HighWaterMark {
  /** Milliseconds since the epoch. */
  readonly atMs: number
  /** Reading of the monotonic clock at that moment, in milliseconds. */
  readonly monotonicMs: number
  /**
   * How far the wall clock was ahead when the service last stated its time, in milliseconds, never below 0. A
   * clock that is a year ahead must not end a paying customer's grace a year early.
   */
  readonly wallAheadMs: number
}

/** One reading of both clocks of a machine, in milliseconds. */
export interface ClockReading {
  readonly wallMs: number
  readonly monotonicMs: number
}

/** A wall clock this far behind the mark is worth a word to the user. */
const behindToleranceMs = 60 * 60 * 1000

/** The mark now: the last one plus the time run since, or the wall clock when that is ahead. */
export function advanceMark(mark: HighWaterMark, reading: ClockReading): HighWaterMark {
  const runMs = Math.max(0, reading.monotonicMs - mark.monotonicMs)
  const ranToMs = mark.atMs + runMs
  // A clock that was set back is not the one that was found ahead: what was known of it no longer holds.
  const wasSetBack = reading.wallMs - mark.wallAheadMs < ranToMs - behindToleranceMs
  const wallAheadMs = wasSetBack ? 0 : mark.wallAheadMs
  const atMs = Math.max(ranToMs, reading.wallMs - wallAheadMs)
  return { atMs, monotonicMs: reading.monotonicMs, wallAheadMs }
}

/**
 * The mark after the service stated its time. The service knows better than any past reading, so a mark that a
 * wrong clock once drove into the future comes back here, and only here.
 */
export function anchorMark(reading: ClockReading, serverDateMs: number): HighWaterMark {
  return {
    atMs: serverDateMs,
    monotonicMs: reading.monotonicMs,
    wallAheadMs: Math.max(0, reading.wallMs - serverDateMs),
  }
}

/** Whether the wall clock stands so far behind the mark that somebody should set it right. */
export function isClockBehind(mark: HighWaterMark, reading: ClockReading): boolean {
  return reading.wallMs < advanceMark(mark, reading).atMs - behindToleranceMs
}
