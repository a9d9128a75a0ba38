import type { GatewayLogLine } from '../http/request-log.ts'
import { createInProcessRateLimiter } from '../limits/in-process-rate-limiter.ts'
import type { RateLimiter } from '../limits/rate-limiter.ts'
import type { GatewayEnvironment } from './environment/gateway-environment.ts'
import { connectRedisLimits } from './redis-limits.ts'
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
  const limiter = (name: string, max: number): RateLimiter | false => {
    if (max === 0) return false
    return redis?.perMinute(name, max) ?? createInProcessRateLimiter({ max, windowMs: minuteMs })
  }
  const warn = (message: string): void =>
    log({ time: new Date().toISOString(), level: 'warn', event: 'settings', message })
  const { signingKeys, leaseDays, renewalGraceDays, offlineDays, metricsPort, basePath } = environment
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
    },
    trustedProxies: environment.trustedProxies,
    warn,
    ...(metricsPort === null ? {} : { metricsPort }),
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
