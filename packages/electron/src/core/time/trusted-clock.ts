import type { ClockPort } from '../ports/clock-port.ts'
import {
  advanceMark,
  anchorMark,
  type ClockReading,
  type HighWaterMark,
  isClockBehind,
} from './high-water-mark.ts'

/** The time Latchkey has proof of. Setting the computer's clock back doesn't move it. */
export interface TrustedClock {
  /** The high-water mark now, in milliseconds since the epoch. */
  nowMs(): number
  /** The mark to store with the record. */
  mark(): HighWaterMark
  /** Continues from a stored mark. */
  resume(stored: HighWaterMark): void
  /** Returns how far this clock is ahead of one that continues from a stored mark, in milliseconds. */
  leadOver(stored: HighWaterMark): number
  /** Adopts the time the service stated. @returns how far that moved the mark, in milliseconds. */
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
    leadOver: (stored) => nowMs() - advanceMark(stored, read()).atMs,
    anchor(serverDateMs) {
      const beforeMs = nowMs()
      mark = anchorMark(read(), serverDateMs)
      return serverDateMs - beforeMs
    },
    isBehind: () => isClockBehind(mark, read()),
  }
}
