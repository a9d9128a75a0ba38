import * as z from 'zod/mini'
import { checkedOptions } from '../gateway-config-error.ts'
import { sha256 } from '../sha256.ts'

/** Whether a request is allowed, and if not, when to retry. */
export type RateLimitAnswer =
  | { readonly allowed: true }
  | { readonly allowed: false; readonly retryAfterMs: number }

/**
 * Counts requests per key. Implement it to share the counters between several instances of the gateway.
 */
export interface RateLimiter {
  /**
   * Counts one request of `key`, which is a license ID or a client address. If the store is unreachable, the promise
   * rejects, and the gateway allows the request so that customers aren't blocked.
   */
  take(key: string): Promise<RateLimitAnswer>
}

/** How many requests a license or an address may make in a time window. */
export interface RateLimit {
  /** Number of requests. */
  readonly max: number
  /** Length of the window in milliseconds. */
  readonly windowMs: number
}

/** Options for {@link createInProcessRateLimiter}. */
export interface InProcessRateLimiterOptions extends RateLimit {
  /**
   * Maximum number of keys counted in one window. Further keys are allowed without counting them, so that a flood of
   * made-up keys can't use up the memory.
   * @default 100_000
   */
  readonly maxKeys?: number | undefined
  /** Returns the current time in milliseconds since the epoch. @default Date.now */
  readonly clock?: (() => number) | undefined
}

const limiterSchema = z.strictObject({
  max: z.number().check(z.minimum(0)),
  windowMs: z.number().check(z.gt(0, 'must be more than 0 milliseconds')),
  maxKeys: z.optional(z.number().check(z.minimum(1))),
  clock: z.optional(z.custom<() => number>((value) => typeof value === 'function', 'must be a function')),
})

/**
 * Creates a limiter for a single instance.
 *
 * @throws {GatewayConfigError} if an option is missing, invalid, or isn't an option.
 */
export function createInProcessRateLimiter(options: InProcessRateLimiterOptions): RateLimiter {
  const { max, ...window } = checkedOptions('createInProcessRateLimiter', limiterSchema, options)
  return limiterIn(createSlidingWindow(window), max)
}

/** Limiters of several maximums can share a window, so that a limit that grows keeps its counts. */
export function limiterIn(window: SlidingWindow, max: number): RateLimiter {
  return { take: async (key) => window.take(await storedKey(key), max) }
}

/** Counts per key. A request of the previous window counts less and less while the current one passes. */
export interface SlidingWindow {
  /** Counts a request of a key, unless it would exceed the maximum. */
  take(key: string, max: number): RateLimitAnswer
  /** How many requests of a key count at the moment. */
  used(key: string): number
  count(key: string): void
  /** How long the current window lasts, in milliseconds. */
  remainingMs(): number
}

/** It has two counters per key, and no timer, so it also runs where a timer isn't allowed outside of a request. */
export function createSlidingWindow({
  windowMs,
  maxKeys = 100_000,
  clock = Date.now,
}: Omit<InProcessRateLimiterOptions, 'max'>): SlidingWindow {
  let window = 0
  let current = new Map<string, number>()
  let previous = new Map<string, number>()

  /** @returns how much of the current window has passed, from 0 to 1. */
  const turn = (): number => {
    const windows = clock() / windowMs
    const next = Math.floor(windows)
    if (next !== window) {
      previous = next === window + 1 ? current : new Map()
      current = new Map()
      window = next
    }
    return windows - window
  }
  const used = (key: string): number => {
    const passed = turn()
    return (current.get(key) ?? 0) + (previous.get(key) ?? 0) * (1 - passed)
  }
  const count = (key: string): void => {
    turn()
    const counted = current.get(key) ?? 0
    if (counted > 0 || current.size < maxKeys) current.set(key, counted + 1)
  }
  const remainingMs = (): number => windowMs * (1 - turn())

  return {
    take(key, max) {
      if (used(key) + 1 > max) return { allowed: false, retryAfterMs: remainingMs() }
      count(key)
      return { allowed: true }
    },
    used,
    count,
    remainingMs,
  }
}

/** A UUID has 36 characters and an address fewer. Other license keys can have two thousand. */
const longestStoredKey = 64

/**
 * Returns a key that takes little memory. A part of a string keeps the whole string in memory, for example a client's
 * long `X-Forwarded-For` header, so the key is copied.
 */
export function storedKey(id: string): string | Promise<string> {
  return id.length > longestStoredKey ? sha256(id) : Array.from(id).join('')
}

/** A limiter of rate-limiter-flexible, with any store. */
export interface FlexibleLimiter {
  /** Rejects with an object that has `msBeforeNext` if the limit is reached, or with an Error if the store fails. */
  consume(key: string): Promise<unknown>
}

/**
 * Creates a limiter that counts in a store shared by all instances, using the rate-limiter-flexible library: Redis,
 * Valkey, Memcached, PostgreSQL, and others. Keys are hashed before they are sent to the store.
 *
 * @example
 * ```ts
 * const perLicense = createFlexibleRateLimiter(
 *   new RateLimiterRedis({ storeClient: redis, keyPrefix: 'latchkey:license', points: 120, duration: 60 }),
 * )
 * createGateway({ upstream, limits: { perLicense } })
 * ```
 */
export function createFlexibleRateLimiter(limiter: FlexibleLimiter): RateLimiter {
  return {
    async take(key) {
      try {
        await limiter.consume(await sha256(key))
        return { allowed: true }
      } catch (error) {
        const retryAfterMs = msBeforeNext(error)
        if (retryAfterMs === null) throw error
        return { allowed: false, retryAfterMs }
      }
    },
  }
}

function msBeforeNext(reason: unknown): number | null {
  if (typeof reason !== 'object' || reason === null || reason instanceof Error) return null
  return 'msBeforeNext' in reason && typeof reason.msBeforeNext === 'number' ? reason.msBeforeNext : null
}

/** A rate-limit binding of Cloudflare Workers. Its limit and period are set in the worker's configuration. */
export interface WorkersRateLimitBinding {
  /** Counts a request of `key`. `success` says whether it is allowed. */
  limit(options: { key: string }): Promise<{ success: boolean }>
}

/**
 * Creates a limiter that uses a Workers rate-limit binding. Keys are hashed before they are passed to the binding.
 *
 * @param options how long the binding counts.
 * @param options.periodMs the binding's configured `period` in milliseconds, sent as `Retry-After`. The binding doesn't
 * report it. 60,000 if you leave it out.
 */
export function createWorkersRateLimiter(
  binding: WorkersRateLimitBinding,
  { periodMs = 60_000 }: { readonly periodMs?: number | undefined } = {},
): RateLimiter {
  return {
    async take(key) {
      const { success } = await binding.limit({ key: await sha256(key) })
      return success ? { allowed: true } : { allowed: false, retryAfterMs: periodMs }
    },
  }
}
