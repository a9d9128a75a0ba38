/** Time and chance, so that decisions can be tested. All times are milliseconds. */
export interface ClockPort {
  /** Wall clock: milliseconds since the epoch. It may jump. */
  now(): number
  /** Monotonic clock: milliseconds since some fixed moment of this process. It never runs backwards. */
  monotonic(): number
  /** A number in [0, 1), for jitter. */
  random(): number
  /** Calls back once after `delayMs`, without keeping the process alive. @returns cancels it. */
  after(delayMs: number, callback: () => void): () => void
}
