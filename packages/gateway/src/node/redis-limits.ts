import { GatewayConfigError } from '../gateway-config-error.ts'
import { createFlexibleRateLimiter } from '../limits/flexible-rate-limiter.ts'
import type { RateLimiter } from '../limits/rate-limiter.ts'

const minuteSeconds = 60

/** Limits counted in Redis, for all instances together. */
export interface RedisLimits {
  /** @param max requests a minute. */
  perMinute(name: string, max: number): RateLimiter
  close(): void
}

/**
 * Connects to Redis. While it is out of reach requests go uncounted, and the connection is tried again in the
 * background.
 *
 * @throws {GatewayConfigError} when the libraries it takes are not installed.
 */
export async function connectRedisLimits(url: string): Promise<RedisLimits> {
  const { Redis, RateLimiterRedis } = await loadLibraries()
  const redis = new Redis(url, {
    // A request waits for its answer: better uncounted than late.
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    connectTimeout: 2_000,
    commandTimeout: 500,
  })
  // Told request by request in the log; without a listener the process would end.
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
