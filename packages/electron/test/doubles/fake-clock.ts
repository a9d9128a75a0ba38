import type { ClockPort } from '../../src/core/ports.ts'

/** A clock the test turns by hand. Timers hang on monotonic time, as they do in a real process. */
export interface FakeClock extends ClockPort {
  /** Lets time pass: wall clock and monotonic clock alike. Due timers fire in order, each with promises settled. */
  advance(ms: number): Promise<void>
  /** Sets only the wall clock, forward or back. */
  jump(ms: number): void
  /** The computer sleeps: the wall clock advances, the monotonic clock and the timers don't. */
  sleep(ms: number): void
  /** The process ended: timers are gone, monotonic time restarts, and the wall clock has advanced by `ms`. */
  restart(ms?: number): void
  /** Delays in milliseconds until each waiting timer fires, soonest first. */
  readonly waiting: readonly number[]
}

/** What a fake clock starts with. */
export interface FakeClockOptions {
  /** Wall clock at the start, in milliseconds since the epoch. @default 2026-11-01T12:00:00Z */
  readonly startMs?: number
  /** Seed of `random`: the same seed, the same numbers. @default 1 */
  readonly seed?: number
}

interface Timer {
  readonly dueAtMs: number
  readonly callback: () => void
}

/** Creates a clock that moves only when the test moves it. */
export function createFakeClock(options: FakeClockOptions = {}): FakeClock {
  let wallMs = options.startMs ?? Date.parse('2026-11-01T12:00:00Z')
  let monotonicMs = 0
  let seed = options.seed ?? 1
  let timers: readonly Timer[] = []

  const bySoonest = (): readonly Timer[] => [...timers].sort((one, other) => one.dueAtMs - other.dueAtMs)
  const pass = (ms: number): void => {
    wallMs += ms
    monotonicMs += ms
  }

  return {
    now: () => wallMs,
    monotonic: () => monotonicMs,
    random() {
      seed = (seed + 0x6d2b79f5) | 0
      let mixed = Math.imul(seed ^ (seed >>> 15), seed | 1)
      mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
      return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
    },
    after(delayMs, callback) {
      const timer: Timer = { dueAtMs: monotonicMs + Math.max(0, delayMs), callback }
      timers = [...timers, timer]
      return () => {
        timers = timers.filter((other) => other !== timer)
      }
    },
    async advance(ms) {
      const endMs = monotonicMs + ms
      await settlePromises()
      for (;;) {
        const next = bySoonest()[0]
        if (next === undefined || next.dueAtMs > endMs) break
        pass(next.dueAtMs - monotonicMs)
        timers = timers.filter((other) => other !== next)
        next.callback()
        await settlePromises()
      }
      pass(endMs - monotonicMs)
      await settlePromises()
    },
    jump(ms) {
      wallMs += ms
    },
    sleep(ms) {
      wallMs += ms
    },
    restart(ms = 0) {
      timers = []
      monotonicMs = 0
      wallMs += ms
    },
    get waiting() {
      return bySoonest().map((timer) => timer.dueAtMs - monotonicMs)
    },
  }
}

/** Lets every promise that needs no real waiting settle. */
async function settlePromises(): Promise<void> {
  await new Promise<void>((resolve) => setImmediate(resolve))
}
