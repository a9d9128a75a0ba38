import { sha256 } from '../sha256.ts'
import type { RateLimiter } from './rate-limiter.ts'

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
