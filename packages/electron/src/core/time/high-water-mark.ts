/**
 * The latest moment Latchkey has proof of, with what the clocks showed then. The mark only runs forward, so setting
 * the wall clock back buys nothing.
 */
export interface HighWaterMark {
  /** Milliseconds since the epoch. */
  readonly atMs: number
  /** Reading of the wall clock at that moment, in milliseconds since the epoch: it may be ahead or behind. */
  readonly wallMs: number
  /** Reading of the monotonic clock at that moment, in milliseconds. */
  readonly monotonicMs: number
}

/** One reading of both clocks of a machine, in milliseconds. */
export interface ClockReading {
  readonly wallMs: number
  readonly monotonicMs: number
}

const hourMs = 60 * 60 * 1000
const dayMs = 24 * hourMs

/** A wall clock this far behind the mark is worth a word to the user, and one moved back by more was set back. */
export const clockToleranceMs: number = hourMs

/** A clock that was behind by no more than this had the wrong time zone, and was corrected. */
const zoneMistakeMs = dayMs

/** A clock that was behind and moves by more than this at once was corrected: no computer is off for that long. */
const longestPauseMs = 30 * dayMs

/**
 * The mark now: the last one plus the time run since, or plus the wall clock's advance since its last reading, whichever
 * is more. Of a clock that was set only what it shows now counts, where that is later.
 */
export function advanceMark(mark: HighWaterMark, reading: ClockReading): HighWaterMark {
  const runMs = Math.max(0, reading.monotonicMs - mark.monotonicMs)
  const wallShowsMs = wasClockSet(mark, reading, runMs)
    ? reading.wallMs
    : mark.atMs + (reading.wallMs - mark.wallMs)
  return { ...reading, atMs: Math.max(mark.atMs + runMs, wallShowsMs) }
}

/** Whether somebody set the wall clock since its last reading, rather than time passing while nobody looked. */
function wasClockSet(mark: HighWaterMark, reading: ClockReading, runMs: number): boolean {
  const leapMs = reading.wallMs - mark.wallMs - runMs
  if (leapMs < -clockToleranceMs) return true
  const behindMs = mark.atMs - mark.wallMs
  if (behindMs <= 0) return false
  const catchesUp = reading.wallMs >= mark.atMs
  return leapMs > longestPauseMs || (catchesUp && behindMs <= zoneMistakeMs)
}

/**
 * The mark after the service stated its time. The service knows better than any past reading, so a mark that a wrong
 * clock once drove into the future comes back here, and only here.
 */
export function anchorMark(reading: ClockReading, serverDateMs: number): HighWaterMark {
  return { ...reading, atMs: serverDateMs }
}

/** Whether the wall clock is so far behind the mark that somebody should set it right. */
export function isClockBehind(mark: HighWaterMark, reading: ClockReading): boolean {
  return reading.wallMs < advanceMark(mark, reading).atMs - clockToleranceMs
}
