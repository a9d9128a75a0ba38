import { GatewayConfigError } from '../gateway-config-error.ts'
import type { GatewayLogLine } from '../http/request-log.ts'
import {
  createFlexibleRateLimiter,
  createInProcessRateLimiter,
  type RateLimiter,
} from '../limits/rate-limiter.ts'
import type { GatewayEnvironment } from './environment.ts'
import { type GatewayServerOptions, startGatewayServer } from './start-gateway-server.ts'

/** A log line that isn't about a request: the gateway is ready, or a setting is probably wrong. */
export type GatewayStartLine = { readonly time: string } & (
  | {
      readonly level: 'info'
      readonly event: 'listening'
      readonly port: number
      readonly metricsPort: number | null
      readonly basePath: string
      /** Whether responses contain leases. */
      readonly isSigning: boolean
    }
  | { readonly level: 'warn'; readonly event: 'settings'; readonly message: string }
)

/** Starts a gateway with the settings of the environment. */
export async function runGateway(
  { options, limits, redisUrl }: GatewayEnvironment,
  log: (line: GatewayLogLine | GatewayStartLine) => void,
  { ownsProcess }: Pick<GatewayServerOptions, 'ownsProcess'> = {},
): Promise<{ close(): Promise<void> }> {
  const redis = redisUrl === undefined ? null : await connectRedis(redisUrl)
  const counter = redis?.counter ?? ((_name, max) => createInProcessRateLimiter({ max, windowMs: 60_000 }))
  const limiter = (name: 'license' | 'address', max: number | undefined): RateLimiter | false | undefined =>
    max === undefined ? undefined : max > 0 && counter(name, max)
  const time = (): string => new Date().toISOString()
  const server = await startGatewayServer({
    ...options,
    limits: {
      perLicense: limiter('license', limits.perLicense),
      perAddress: limiter('address', limits.perAddress),
      perUpstream: limits.perUpstream === 0 ? false : limits.perUpstream,
      counter,
    },
    warn: (message) => log({ time: time(), level: 'warn', event: 'settings', message }),
    ownsProcess,
    log,
  }).catch((error: unknown) => {
    redis?.close()
    throw error
  })
  const { port, metricsPort } = server
  const { basePath = '/v1', signing } = options
  log({
    time: time(),
    level: 'info',
    event: 'listening',
    port,
    metricsPort,
    basePath,
    isSigning: signing !== undefined,
  })
  return {
    async close() {
      await server.close()
      redis?.close()
    },
  }
}

/** Creates limiters that all instances count together in Redis. */
interface RedisLimits {
  readonly counter: (name: 'license' | 'address', perMinute: number) => RateLimiter
  close(): void
}

/**
 * Connects to Redis. While Redis doesn't answer, each instance counts by itself, and the client reconnects in the
 * background.
 *
 * @throws {GatewayConfigError} if ioredis or rate-limiter-flexible isn't installed.
 */
async function connectRedis(url: string): Promise<RedisLimits> {
  const [{ Redis }, { RateLimiterRedis, RateLimiterMemory }] = await Promise.all([
    import('ioredis'),
    import('rate-limiter-flexible'),
  ]).catch((cause: unknown) => {
    const install = 'npm install ioredis rate-limiter-flexible'
    throw new GatewayConfigError(
      [`LATCHKEY_REDIS_URL needs two more packages. Install them with: ${install}`],
      { cause },
    )
  })
  const redis = new Redis(url, {
    // Fails fast: a request that this instance counts by itself is better than a slow one.
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    connectTimeout: 2_000,
    socketTimeout: 500,
  })
  // Without a listener, the error would crash the process.
  redis.on('error', () => {})
  return {
    counter(name, points) {
      const limit = { points, duration: 60, keyPrefix: `latchkey:${name}` }
      const insuranceLimiter = new RateLimiterMemory(limit)
      return createFlexibleRateLimiter(
        new RateLimiterRedis({ ...limit, storeClient: redis, rejectIfRedisNotReady: true, insuranceLimiter }),
      )
    },
    close: () => redis.disconnect(),
  }
}
