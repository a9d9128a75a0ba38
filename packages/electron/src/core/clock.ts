import type { ClockPort } from './ports.ts'

/** One reading of a machine's two clocks. */
export interface ClockReading {
  /** The wall clock, in milliseconds since the epoch. It may be ahead or behind. */
  readonly wallMs: number
  /** The monotonic clock, in milliseconds. */
  readonly monotonicMs: number
}

/**
 * The latest time Latchkey has proof of, with what the clocks showed at that moment. The mark only moves forward, so
 * setting the wall clock back gains nothing.
 */
export interface HighWaterMark extends ClockReading {
  /** Milliseconds since the epoch. */
  readonly atMs: number
}

const hourMs = 60 * 60 * 1000
const dayMs = 24 * hourMs

/**
 * If the wall clock is further behind the mark than this, the user is informed. A jump back by more means it was set.
 */
export const clockToleranceMs: number = hourMs

/** A clock that was behind by at most this had the wrong time zone and was corrected. */
const zoneMistakeMs = dayMs

/** A clock that was behind and jumps by more than this was corrected, because no computer is off for that long. */
const longestPauseMs = 30 * dayMs

/**
 * Returns the mark now: the last one plus the elapsed time, or plus the wall clock's advance since its last reading,
 * whichever is more. If the clock was set, only its current time counts, if that is later.
 */
export function advanceMark(mark: HighWaterMark, reading: ClockReading): HighWaterMark {
  const runMs = Math.max(0, reading.monotonicMs - mark.monotonicMs)
  const wallShowsMs = wasClockSet(mark, reading, runMs)
    ? reading.wallMs
    : mark.atMs + (reading.wallMs - mark.wallMs)
  return { ...reading, atMs: Math.max(mark.atMs + runMs, wallShowsMs) }
}

/** Whether the wall clock was set since its last reading, as opposed to time passing while the app didn't run. */
function wasClockSet(mark: HighWaterMark, reading: ClockReading, runMs: number): boolean {
  const leapMs = reading.wallMs - mark.wallMs - runMs
  if (leapMs < -clockToleranceMs) return true
  const behindMs = mark.atMs - mark.wallMs
  if (behindMs <= 0) return false
  const catchesUp = reading.wallMs >= mark.atMs
  return leapMs > longestPauseMs || (catchesUp && behindMs <= zoneMistakeMs)
}

/** The time Latchkey has proof of. Setting the computer's clock back doesn't move it. */
export interface TrustedClock {
  /** The high-water mark now, in milliseconds since the epoch. */
  nowMs(): number
  /** The mark to store with the record. */
  mark(): HighWaterMark
  /** Continues from a stored mark. */
  resume(stored: HighWaterMark): void
  /**
   * Adopts the time the service stated, even backward. The service is more reliable than any past reading, so this is the
   * only way to bring back a mark that a wrong clock moved into the future.
   *
   * @returns how far that moved the mark, in milliseconds.
   */
  anchor(serverDateMs: number): number
  /** Whether the computer's clock is so far behind that the user should correct it. */
  isBehind(): boolean
}

/** Creates a clock that starts at `start`. */
export function createTrustedClock(clock: ClockPort, start: HighWaterMark): TrustedClock {
  let mark = start

  function read(): ClockReading {
    return { wallMs: clock.now(), monotonicMs: clock.monotonic() }
  }

  function nowMs(): number {
    mark = advanceMark(mark, read())
    return mark.atMs
  }

  return {
    nowMs,
    mark() {
      nowMs()
      return mark
    },
    resume(stored) {
      mark = advanceMark(stored, read())
    },
    anchor(serverDateMs) {
      const beforeMs = nowMs()
      mark = { ...read(), atMs: serverDateMs }
      return serverDateMs - beforeMs
    },
    isBehind: () => clock.now() < nowMs() - clockToleranceMs,
  }
}
