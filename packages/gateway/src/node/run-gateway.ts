import { GatewayConfigError } from '../gateway-config-error.ts'
import type { GatewayLogLine } from '../http/request-log.ts'
import {
  createFlexibleRateLimiter,
  createInProcessRateLimiter,
  type RateLimiter,
} from '../limits/rate-limiter.ts'
import type { GatewayEnvironment } from './environment.ts'
import { type GatewayServerOptions, startGatewayServer } from './start-gateway-server.ts'

/** The log line written when the gateway is ready. */
export interface GatewayStartLine {
  readonly time: string
  readonly level: 'info'
  readonly event: 'listening'
  readonly port: number
  readonly metricsPort: number | null
  readonly basePath: string
  /** Whether responses contain leases. */
  readonly isSigning: boolean
}

/** The log line written if a setting is probably wrong. */
export interface GatewaySettingsLine {
  readonly time: string
  readonly level: 'warn'
  readonly event: 'settings'
  readonly message: string
}

const minuteMs = 60_000

const emptySigningKey =
  'LATCHKEY_SIGNING_KEY is empty, so answers are not signed, and apps with leaseKeys reject them. Set the key, or remove the variable.'

/** Starts a gateway with the settings of the environment. */
export async function runGateway(
  environment: GatewayEnvironment,
  log: (line: GatewayLogLine | GatewayStartLine | GatewaySettingsLine) => void,
  { ownsProcess }: Pick<GatewayServerOptions, 'ownsProcess'> = {},
): Promise<{ close(): Promise<void> }> {
  const { settings, signingKeys, upstreams } = environment
  const redis =
    settings.LATCHKEY_REDIS_URL === '' ? null : await connectRedisLimits(settings.LATCHKEY_REDIS_URL)
  const limiter = (name: string, max: number | null): RateLimiter | false | undefined => {
    if (max === 0) return false
    if (max === null) return undefined
    return redis?.perMinute(name, max) ?? createInProcessRateLimiter({ max, windowMs: minuteMs })
  }
  const warn = (message: string): void =>
    log({ time: new Date().toISOString(), level: 'warn', event: 'settings', message })
  const { LATCHKEY_BASE_PATH: basePath, LATCHKEY_METRICS_PORT: metricsPort } = settings
  const server = await startGatewayServer({
    port: settings.PORT,
    host: settings.HOST,
    upstream: upstreams,
    timeoutMs: settings.LATCHKEY_UPSTREAM_TIMEOUT_MS,
    basePath,
    signing:
      signingKeys.length === 0
        ? undefined
        : {
            keys: signingKeys,
            leaseDays: settings.LATCHKEY_LEASE_DAYS,
            renewalGraceDays: settings.LATCHKEY_RENEWAL_GRACE_DAYS,
          },
    offline: settings.LATCHKEY_OFFLINE_DAYS > 0 ? { days: settings.LATCHKEY_OFFLINE_DAYS } : undefined,
    limits: {
      perLicense: limiter('license', settings.LATCHKEY_LIMIT_PER_LICENSE),
      perAddress: limiter('address', settings.LATCHKEY_LIMIT_PER_ADDRESS),
      // 0 is no limit.
      perUpstream:
        settings.LATCHKEY_LIMIT_PER_UPSTREAM === null
          ? undefined
          : settings.LATCHKEY_LIMIT_PER_UPSTREAM || false,
      counter: redis?.perMinute,
    },
    trustedProxies: settings.LATCHKEY_TRUSTED_PROXIES,
    warn,
    metricsPort: metricsPort ?? undefined,
    metricsHost: settings.LATCHKEY_METRICS_HOST,
    ownsProcess,
    log,
  }).catch((error: unknown) => {
    redis?.close()
    throw error
  })
  log({
    time: new Date().toISOString(),
    level: 'info',
    event: 'listening',
    port: server.port,
    metricsPort: server.metricsPort,
    basePath,
    isSigning: signingKeys.length > 0,
  })
  if (environment.isSigningKeyEmpty) warn(emptySigningKey)
  for (const sentence of environment.unaskedServices) warn(sentence)
  return {
    async close() {
      await server.close()
      redis?.close()
    },
  }
}

const minuteSeconds = 60

/** Rate limits that all instances count together in Redis. */
interface RedisLimits {
  /** @param max requests per minute. */
  perMinute(name: string, max: number): RateLimiter
  close(): void
}

/**
 * Connects to Redis. While Redis doesn't answer, each instance counts by itself, and the client reconnects in the
 * background.
 *
 * @throws {GatewayConfigError} if ioredis or rate-limiter-flexible isn't installed.
 */
async function connectRedisLimits(url: string): Promise<RedisLimits> {
  const { Redis, RateLimiterRedis, RateLimiterMemory } = await loadLibraries()
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
    perMinute: (name, points) => {
      const limit = { points, duration: minuteSeconds, keyPrefix: `latchkey:${name}` }
      return createFlexibleRateLimiter(
        new RateLimiterRedis({
          ...limit,
          storeClient: redis,
          rejectIfRedisNotReady: true,
          insuranceLimiter: new RateLimiterMemory(limit),
        }),
      )
    },
    close: () => redis.disconnect(),
  }
}

async function loadLibraries(): Promise<{
  Redis: typeof import('ioredis').Redis
  RateLimiterRedis: typeof import('rate-limiter-flexible').RateLimiterRedis
  RateLimiterMemory: typeof import('rate-limiter-flexible').RateLimiterMemory
}> {
  try {
    const [{ Redis }, { RateLimiterRedis, RateLimiterMemory }] = await Promise.all([
      import('ioredis'),
      import('rate-limiter-flexible'),
    ])
    return { Redis, RateLimiterRedis, RateLimiterMemory }
  } catch (cause) {
    throw new GatewayConfigError(
      [
        'LATCHKEY_REDIS_URL needs two more packages. Install them with: npm install ioredis rate-limiter-flexible',
      ],
      { cause },
    )
  }
}

/** Collects lines and writes them in batches. */
export interface LineWriter {
  write(line: string): void
  /** Writes all pending lines. */
  flush(): void
}

/** Where lines are written, such as `process.stdout`. */
export interface LineStream {
  write(text: string): unknown
  on(event: 'error', listener: (error: Error) => void): unknown
}

/**
 * Creates a writer that writes all lines of one event-loop turn with one call. Each write to a pipe is a system call on
 * the main thread, and one per request takes about a tenth of the request's processor time. Lines that can't be written,
 * because the disk is full or nobody reads the pipe anymore, are lost: without a listener, the error would end the
 * process. Later lines are tried again.
 *
 * @param onFirstError called for the first line that can't be written.
 */
export function createLineWriter(stream: LineStream, onFirstError: (error: Error) => void): LineWriter {
  let pending = ''
  let hasFailed = false
  stream.on('error', (error) => {
    if (hasFailed) return
    hasFailed = true
    onFirstError(error)
  })
  const flush = (): void => {
    if (pending === '') return
    const text = pending
    pending = ''
    stream.write(text)
  }
  return {
    write(line) {
      if (pending === '') setImmediate(flush)
      pending += `${line}\n`
    },
    flush,
  }
}
