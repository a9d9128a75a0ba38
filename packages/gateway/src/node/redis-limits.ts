import { GatewayConfigError } from '../gateway-config-error.ts'
import { createFlexibleRateLimiter } from '../limits/flexible-rate-limiter.ts'
import type { RateLimiter } from '../limits/rate-limiter.ts'

const minuteSeconds = 60

/** Rate limits that all instances count together in Redis. */
export interface RedisLimits {
  /** @param max requests per minute. */
  perMinute(name: string, max: number): RateLimiter
  close(): void
}

/**
 * Connects to Redis. While Redis is unreachable, requests aren't counted, and the client reconnects in the background.
 *
 * @throws {GatewayConfigError} if ioredis or rate-limiter-flexible isn't installed.
 */
export async function connectRedisLimits(url: string): Promise<RedisLimits> {
  const { Redis, RateLimiterRedis } = await loadLibraries()
  const redis = new Redis(url, {
    // Fails fast: an uncounted request is better than a slow one.
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    connectTimeout: 2_000,
    commandTimeout: 500,
  })
  // The log shows each uncounted request. Without a listener, the error would crash the process.
  redis.on('error', () => {})
  return {
    perMinute: (name, max) =>
      createFlexibleRateLimiter(
        new RateLimiterRedis({
          storeClient: redis,
          keyPrefix: `latchkey:${name}`,
          points: max,
          duration: minuteSeconds,
          rejectIfRedisNotReady: true,
        }),
      ),
    close: () => redis.disconnect(),
  }
}

async function loadLibraries(): Promise<{
  Redis: typeof import('ioredis').Redis
  RateLimiterRedis: typeof import('rate-limiter-flexible').RateLimiterRedis
}> {
  try {
    const [{ Redis }, { RateLimiterRedis }] = await Promise.all([
      import('ioredis'),
      import('rate-limiter-flexible'),
    ])
    return { Redis, RateLimiterRedis }
  } catch (cause) {
    throw new GatewayConfigError(
      [
        'LATCHKEY_REDIS_URL needs two more packages. Install them with: npm install ioredis rate-limiter-flexible',
      ],
      { cause },
    )
  }
}
