import { sha256 } from '../sha256.ts'
import type { RateLimiter } from './rate-limiter.ts'

/** What is needed of a limiter of rate-limiter-flexible, whichever store it counts in. */
export interface FlexibleLimiter {
  /** Rejects with an object that has `msBeforeNext` when the limit is reached, with an Error when the store fails. */
  consume(key: string): Promise<unknown>
}

/**
 * A limiter that counts in a store all instances share, by the library rate-limiter-flexible: Redis, Valkey, Memcached,
 * PostgreSQL and others. Keys are hashed before they leave the process.
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
