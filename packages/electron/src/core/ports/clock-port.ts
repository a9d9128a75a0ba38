/** Time and randomness, so that decisions can be tested. All times are in milliseconds. */
export interface ClockPort {
  /** Wall clock: milliseconds since the epoch. It may jump. */
  now(): number
  /** Monotonic clock: milliseconds since a fixed moment of this process. It never goes backwards. */
  monotonic(): number
  /** A random number in [0, 1), for jitter. */
  random(): number
  /** Calls `callback` once after `delayMs`, without keeping the process alive. @returns a function that cancels it. */
  after(delayMs: number, callback: () => void): () => void
}
