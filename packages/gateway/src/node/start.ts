import manifest from '../../package.json' with { type: 'json' }
import { GatewayConfigError } from '../gateway-config-error.ts'
import type { GatewayLogLine } from '../http/request-log.ts'
import {
  createFlexibleRateLimiter,
  createInProcessRateLimiter,
  type RateLimiter,
} from '../limits/rate-limiter.ts'
import { type CommandLine, helpText, keysCommand, parseCommandLine } from './command-line.ts'
import {
  applySettings,
  describeIgnored,
  type GatewayEnvironment,
  isUnset,
  overriddenText,
  readGatewayEnvironment,
  readSettingsFile,
} from './environment.ts'
import { type GatewayServerOptions, startGatewayServer } from './start-gateway-server.ts'

/** Runs the command line, and sets the exit code. */
export async function main(): Promise<void> {
  try {
    await start(parseCommandLine(process.argv.slice(2)))
  } catch (error) {
    const isConfig = error instanceof GatewayConfigError
    console.error(
      isConfig
        ? [...error.problems, 'latchkey-gateway --help explains each setting.'].join('\n')
        : `The gateway could not start: ${reasonOf(error)}`,
    )
    process.exitCode = 1
  }
}

async function start(line: CommandLine): Promise<void> {
  if (line.kind === 'help') return console.log(helpText)
  if (line.kind === 'version') return console.log(manifest.version)
  if (line.kind === 'error') {
    console.error(`${line.message}\nlatchkey-gateway --help lists the available options.`)
    process.exitCode = 2
    return
  }
  if (line.settingsFile !== null) {
    const settings = readSettingsFile(line.settingsFile)
    const overridden = overriddenText('LATCHKEY_SIGNING_KEY', settings, process.env)
    for (const sentence of applySettings(settings, process.env)) console.error(sentence)
    if (line.kind === 'keys' && line.verb !== 'generate' && overridden !== null) {
      throw new GatewayConfigError([`${overridden} Unset the variable, so that no key of the file is lost.`])
    }
  }
  if (line.kind === 'keys')
    await printKeys(await keysCommand(line.verb, process.env['LATCHKEY_SIGNING_KEY'], line.json))
  else await run()
}

/** Prints keys. Unlike `console.log`, it doesn't ignore a full disk, where the output would be an empty file. */
async function printKeys(text: string): Promise<void> {
  // The callback has the same error.
  process.stdout.on('error', () => {})
  await new Promise<void>((resolve, reject) => {
    process.stdout.write(`${text}\n`, (error) => {
      if (error == null || codeOf(error) === 'EPIPE') resolve()
      else reject(keysNotWritten(error))
    })
  })
}

function keysNotWritten(error: Error): GatewayConfigError {
  const why = `The keys can't be written (${codeOf(error)}).`
  return new GatewayConfigError([`${why} Don't use a file that has only a part of them.`])
}

async function run(): Promise<void> {
  const environment = readGatewayEnvironment(process.env)
  // A secret that wasn't mounted is often an empty variable.
  const signingKey = process.env['LATCHKEY_SIGNING_KEY']
  if (signingKey !== undefined && isUnset(signingKey))
    console.error('LATCHKEY_SIGNING_KEY is empty, so answers are not signed.')
  for (const name of environment.unknownVariables) console.error(describeIgnored(name))
  const server = await runGateway(environment, createLog(), { ownsProcess: true })
  // Without a listener, a second signal ends the process at once.
  const end = (): void => {
    process.off('SIGINT', end)
    process.off('SIGTERM', end)
    void server.close()
  }
  process.on('SIGINT', end)
  process.on('SIGTERM', end)
}

/**
 * Creates a log that writes all lines of one turn of the event loop with one call, because each write to a pipe is a
 * system call on the main thread. Lines that can't be written, because the disk is full or nobody reads them anymore, are
 * lost: without a listener, the error would end the process.
 */
function createLog(): (line: object) => void {
  let pending = ''
  process.stdout.once('error', (error) =>
    console.error(
      `The log can't be written (${codeOf(error)}), so lines are lost. The gateway keeps serving.`,
    ),
  )
  // The next ones are the same, and the same may go wrong with stderr.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
  const flush = (): void => {
    if (pending !== '') process.stdout.write(pending)
    pending = ''
  }
  process.on('exit', flush)
  return (line) => {
    if (pending === '') setImmediate(flush)
    pending += `${JSON.stringify(line)}\n`
  }
}

function codeOf(error: Error): unknown {
  return 'code' in error ? error.code : error.name
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  switch (codeOf(error)) {
    case 'EADDRINUSE':
      return `a port is in use by another program (${error.message}). Set PORT or LATCHKEY_METRICS_PORT to another one.`
    case 'ENOTFOUND':
    case 'EADDRNOTAVAIL':
      return `HOST is not an address of this machine (${error.message}). Set 127.0.0.1 for a reverse proxy on this machine, or 0.0.0.0. The public name belongs in the reverse proxy's settings.`
    default:
      return error.message
  }
}

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
  const limiter = (name: 'license' | 'address', max: number | undefined): RateLimiter | false | undefined => {
    if (max === undefined) return undefined
    if (max === 0) return false
    return redis?.counter(name, max) ?? createInProcessRateLimiter({ max, windowMs: 60_000 })
  }
  const time = (): string => new Date().toISOString()
  const server = await startGatewayServer({
    ...options,
    limits: {
      perLicense: limiter('license', limits.perLicense),
      perAddress: limiter('address', limits.perAddress),
      perUpstream: limits.perUpstream === 0 ? false : limits.perUpstream,
      counter: redis?.counter,
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

/**
 * Connects to Redis, where all instances count together. While Redis doesn't answer, each instance counts by itself, and
 * the client reconnects in the background.
 *
 * @throws {GatewayConfigError} if ioredis or rate-limiter-flexible isn't installed.
 */
async function connectRedis(url: string) {
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
    counter(name: 'license' | 'address', points: number): RateLimiter {
      const limit = { points, duration: 60, keyPrefix: `latchkey:${name}` }
      const insuranceLimiter = new RateLimiterMemory(limit)
      return createFlexibleRateLimiter(
        new RateLimiterRedis({ ...limit, storeClient: redis, rejectIfRedisNotReady: true, insuranceLimiter }),
      )
    },
    close: () => redis.disconnect(),
  }
}
