import { GatewayConfigError } from '../gateway-config-error.ts'
import type { GatewayLogLine } from '../http/request-log.ts'
import {
  createFlexibleRateLimiter,
  createInProcessRateLimiter,
  type RateLimiter,
} from '../limits/rate-limiter.ts'
import type { GatewayEnvironment } from './environment.ts'
import { startGatewayServer } from './start-gateway-server.ts'

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
): Promise<{ close(): Promise<void> }> {
  const redis = environment.redisUrl === null ? null : await connectRedisLimits(environment.redisUrl)
  const limiter = (name: string, max: number | null): RateLimiter | false | undefined => {
    if (max === 0) return false
    if (max === null) return undefined
    return redis?.perMinute(name, max) ?? createInProcessRateLimiter({ max, windowMs: minuteMs })
  }
  const warn = (message: string): void =>
    log({ time: new Date().toISOString(), level: 'warn', event: 'settings', message })
  const { signingKeys, leaseDays, renewalGraceDays, offlineDays, metricsPort, metricsHost, basePath } =
    environment
  const server = await startGatewayServer({
    port: environment.port,
    host: environment.host,
    upstream: environment.upstreams,
    timeoutMs: environment.upstreamTimeoutMs,
    basePath,
    ...(signingKeys.length === 0 ? {} : { signing: { keys: signingKeys, leaseDays, renewalGraceDays } }),
    ...(offlineDays > 0 && { offline: { days: offlineDays } }),
    limits: {
      perLicense: limiter('license', environment.perLicense),
      perAddress: limiter('address', environment.perAddress),
      perUpstream: environment.perUpstream === 0 ? false : (environment.perUpstream ?? undefined),
      counter: redis?.perMinute,
    },
    trustedProxies: environment.trustedProxies,
    warn,
    ...(metricsPort === null ? {} : { metricsPort, metricsHost }),
    ownsProcess: true,
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
