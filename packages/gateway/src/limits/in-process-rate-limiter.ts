import type { RateLimit, RateLimiter } from './rate-limiter.ts'

/** How an in-process limiter counts. */
export interface InProcessRateLimiterOptions extends RateLimit {
  /**
   * Keys counted at most in one window; further ones are let through uncounted, so that a flood of made-up keys takes
   * no more memory than this.
   * @default 100_000
   */
  readonly maxKeys?: number
  /** Milliseconds since the epoch. @default Date.now */
  readonly clock?: () => number
}

/**
 * A limiter for one machine: a sliding window over two counters for each key. It holds no timer, so it runs where timers
 * outside of requests are not allowed.
 */
export function createInProcessRateLimiter(options: InProcessRateLimiterOptions): RateLimiter {
  const { max, windowMs, maxKeys = 100_000, clock = Date.now } = options
  let window = 0
  let current = new Map<string, number>()
  let previous = new Map<string, number>()

  const turnTo = (now: number): void => {
    const nextWindow = Math.floor(now / windowMs)
    if (nextWindow === window) return
    previous = nextWindow === window + 1 ? current : new Map()
    current = new Map()
    window = nextWindow
  }

  return {
    async take(key) {
      const now = clock()
      turnTo(now)
      const count = current.get(key) ?? 0
      const passedMs = now - window * windowMs
      const weighted = count + (previous.get(key) ?? 0) * (1 - passedMs / windowMs)
      if (weighted + 1 > max) return { allowed: false, retryAfterMs: windowMs - passedMs }
      if (count > 0 || current.size < maxKeys) current.set(key, count + 1)
      return { allowed: true }
    },
  }
}
