import {
  isServiceName,
  nearestName,
  readService,
  readSwitch,
  serviceNames,
  serviceVariableNames,
  serviceVariablesHelp,
  switchRule,
  withoutQuotes,
} from '@latchkey/services/environment'
import { longestOfflineDays } from '@latchkey/services/offline'
import * as z from 'zod/mini'
import { GatewayConfigError } from '../gateway-config-error.ts'
import { basePathPattern, basePathRule, type Upstream } from '../gateway-options.ts'
import { parseSigningKeys, type SigningKey } from '../leases/signing-keys.ts'
import { openCommerce } from '../upstreams/upstream.ts'
import { describeIgnored, findUnaskedServices, findUnknownVariables, isUnset } from './variable-names.ts'

/** The parsed environment of `latchkey-gateway`. */
export interface GatewayEnvironment {
  readonly port: number
  readonly host: string
  /** The services behind the gateway, in the configured order. */
  readonly upstreams: readonly Upstream[]
  readonly upstreamTimeoutMs: number
  readonly basePath: string
  /** Empty if leases aren't signed. */
  readonly signingKeys: readonly SigningKey[]
  /** Whether `LATCHKEY_SIGNING_KEY` is set to nothing, which is probably a mistake. */
  readonly isSigningKeyEmpty: boolean
  readonly leaseDays: number
  /** How many days a lease may extend past the license's end. */
  readonly renewalGraceDays: number
  /** How many days an offline activation is valid; 0 turns offline activation off. */
  readonly offlineDays: number
  readonly trustedProxies: number
  /** Requests per minute; 0 for no limit, `null` for the default. */
  readonly perLicense: number | null
  readonly perAddress: number
  /** 0 for no limit, `null` for what the service allows. */
  readonly perUpstream: number | null
  readonly redisUrl: string | null
  readonly metricsPort: number | null
  readonly metricsHost: string
  /** Names of `LATCHKEY_` variables that the gateway doesn't know. */
  readonly unknownVariables: readonly string[]
  /** One sentence per service that has settings but isn't in `LATCHKEY_SERVICE`. */
  readonly unaskedServices: readonly string[]
}

/** Treats an empty variable as unset, as most shells and settings files do. */
const unset = z.pipe(
  z.optional(z.string()),
  z.transform((text: string | undefined) =>
    text === undefined || text.trim() === '' ? undefined : text.trim(),
  ),
)

function whole(fallback: number, min: number, max: number, unit = ''): z.ZodMiniType<number> {
  const schema = z.pipe(
    unset,
    z.transform((text: string | undefined) => (text === undefined ? fallback : Number(text))),
  )
  return z.pipe(schema, integer(min, max, unit))
}

function integer(min: number, max: number, unit = ''): z.ZodMiniType<number, number> {
  const error = `must be a whole number${unit} from ${min} to ${max}`
  return z.int({ error }).check(z.minimum(min, { error }), z.maximum(max, { error }))
}

function text(fallback: string): z.ZodMiniType<string> {
  return z.pipe(
    unset,
    z.transform((value: string | undefined) => value ?? fallback),
  )
}

const onOrOff: z.ZodMiniType<boolean> = z.pipe(
  z.pipe(z.optional(z.string()), z.transform(readSwitch)),
  z.boolean({ error: switchRule }),
)

/** `null` if unset. */
function optional(min: number, max: number): z.ZodMiniType<number | null> {
  const schema = z.pipe(
    unset,
    z.transform((text: string | undefined) => (text === undefined ? null : Number(text))),
  )
  return z.pipe(schema, z.nullable(integer(min, max)))
}

const mostPort = 65_535

const redisUrlHint = 'must look like redis://host:6379'

const redisUrlSchema: z.ZodMiniType<string | null> = z.pipe(
  z.pipe(
    unset,
    z.transform((value: string | undefined) => value ?? null),
  ),
  z.nullable(
    z
      .string()
      .check(z.refine((url) => /^rediss?:\/\/\S+$/.test(url) && URL.canParse(url), { error: redisUrlHint })),
  ),
)

/** A variable: how it is read, what it is, and what it is if unset. */
interface Variable<Value> {
  readonly schema: z.ZodMiniType<Value>
  readonly description: string
  readonly unset: string
}

function variable<Value>(schema: z.ZodMiniType<Value>, description: string, unset: string): Variable<Value> {
  return { schema, description, unset }
}

/** Every variable of `latchkey-gateway` besides those of `serviceVariableNames`. */
const variables = {
  LATCHKEY_SERVICE: variable(
    text('commerce'),
    'the service: `commerce`, `dodo`, `keygen`, `lemon-squeezy` or `polar`, or several, separated by commas',
    'commerce',
  ),
  LATCHKEY_UPSTREAM: variable(
    text(''),
    'base URL of the commerce service, with its version, such as https://commerce.example/v1',
    'required for it',
  ),
  LATCHKEY_ACCESS_TOKEN: variable(
    text(''),
    'its access token; sent only to that service, and over plain http only to this machine',
    'required for it',
  ),
  LATCHKEY_SIGNING_KEY: variable(
    text(''),
    'a private key that signs leases, or a set of keys with the active one first: `latchkey-gateway keys generate`',
    'no leases',
  ),
  LATCHKEY_LEASE_DAYS: variable(
    whole(14, 1, 366),
    'how many days an app may run on a lease without reaching the gateway',
    '14',
  ),
  LATCHKEY_RENEWAL_GRACE_DAYS: variable(
    whole(3, 0, 366),
    "days a lease may extend past the license's end, in case of a renewal; 0 for none",
    '3',
  ),
  LATCHKEY_OFFLINE_DAYS: variable(
    whole(0, 0, longestOfflineDays),
    'activates computers that never go online, each answer for this many days; 0 turns it off',
    'off',
  ),
  PORT: variable(whole(8787, 0, mostPort), 'port to listen on, behind your reverse proxy with TLS', '8787'),
  HOST: variable(text('0.0.0.0'), 'address to listen on', '0.0.0.0'),
  LATCHKEY_BASE_PATH: variable(
    z.pipe(text('/v1'), z.string().check(z.regex(basePathPattern, basePathRule))),
    'base path of the interface',
    '/v1',
  ),
  LATCHKEY_TRUSTED_PROXIES: variable(
    whole(0, 0, 16),
    'how many of your reverse proxies are in front and append to `X-Forwarded-For`',
    '0',
  ),
  LATCHKEY_LIMIT_PER_LICENSE: variable(
    optional(0, 1_000_000),
    'requests a minute for one license; 0 for no limit',
    '120, or 4 for each of its seats if that is more',
  ),
  LATCHKEY_LIMIT_PER_ADDRESS: variable(
    whole(600, 0, 1_000_000),
    'requests a minute from one address (IPv6: one /64); 0 for no limit',
    '600',
  ),
  LATCHKEY_LIMIT_PER_UPSTREAM: variable(
    optional(0, 1_000_000),
    'requests a minute to each service, half of them for activations and known license keys; 0 for no limit',
    'what the service allows',
  ),
  LATCHKEY_REDIS_URL: variable(
    redisUrlSchema,
    'counts both limits across all instances; requires `rate-limiter-flexible` and `ioredis`',
    'counted in the process',
  ),
  LATCHKEY_METRICS_PORT: variable(
    optional(0, mostPort),
    "serves Prometheus metrics at `/metrics`, on a port that isn't public",
    'none',
  ),
  LATCHKEY_METRICS_HOST: variable(
    text('127.0.0.1'),
    'address to serve the metrics on, such as 0.0.0.0 in a container',
    '127.0.0.1',
  ),
  LATCHKEY_UPSTREAM_TIMEOUT_MS: variable(
    // A value below 100 was probably meant in seconds.
    whole(10_000, 100, 120_000, ' of milliseconds'),
    'timeout of a request to the service, in milliseconds; at least 100',
    '10000',
  ),
  LATCHKEY_ALLOW_INSECURE: variable(
    onOrOff,
    '1 or true sends the token over http:// to another machine',
    '0',
  ),
} satisfies Record<string, Variable<unknown>>

type Variables = typeof variables

/** The values of all variables. */
type Values = { readonly [Name in keyof Variables]: z.output<Variables[Name]['schema']> }

/** The gateway's own settings, in the order of the README, which has the same table. */
export const variableTable: readonly {
  readonly name: string
  readonly description: string
  readonly unset: string
}[] = Object.entries(variables).map(([name, { description, unset }]) => ({ name, description, unset }))

/** Their names. */
export const ownVariables: readonly string[] = variableTable.map(({ name }) => name)

/** The list of all variables with their defaults, printed by `--help`. */
export const environmentHelp: string = `Environment:
${variableTable
  .map(
    ({ name, description, unset }) => `  ${name.padEnd(28)}  ${description.replaceAll('`', '')} (${unset})`,
  )
  .join('\n')}

Environment of the other services:
${serviceVariablesHelp}`

const environmentSchema = z.object({
  PORT: variables.PORT.schema,
  HOST: variables.HOST.schema,
  LATCHKEY_SERVICE: variables.LATCHKEY_SERVICE.schema,
  LATCHKEY_UPSTREAM: variables.LATCHKEY_UPSTREAM.schema,
  LATCHKEY_ACCESS_TOKEN: variables.LATCHKEY_ACCESS_TOKEN.schema,
  LATCHKEY_UPSTREAM_TIMEOUT_MS: variables.LATCHKEY_UPSTREAM_TIMEOUT_MS.schema,
  LATCHKEY_ALLOW_INSECURE: variables.LATCHKEY_ALLOW_INSECURE.schema,
  LATCHKEY_BASE_PATH: variables.LATCHKEY_BASE_PATH.schema,
  LATCHKEY_LEASE_DAYS: variables.LATCHKEY_LEASE_DAYS.schema,
  LATCHKEY_RENEWAL_GRACE_DAYS: variables.LATCHKEY_RENEWAL_GRACE_DAYS.schema,
  LATCHKEY_OFFLINE_DAYS: variables.LATCHKEY_OFFLINE_DAYS.schema,
  LATCHKEY_TRUSTED_PROXIES: variables.LATCHKEY_TRUSTED_PROXIES.schema,
  LATCHKEY_LIMIT_PER_LICENSE: variables.LATCHKEY_LIMIT_PER_LICENSE.schema,
  LATCHKEY_LIMIT_PER_ADDRESS: variables.LATCHKEY_LIMIT_PER_ADDRESS.schema,
  LATCHKEY_LIMIT_PER_UPSTREAM: variables.LATCHKEY_LIMIT_PER_UPSTREAM.schema,
  LATCHKEY_REDIS_URL: variables.LATCHKEY_REDIS_URL.schema,
  LATCHKEY_METRICS_PORT: variables.LATCHKEY_METRICS_PORT.schema,
  LATCHKEY_METRICS_HOST: variables.LATCHKEY_METRICS_HOST.schema,
  LATCHKEY_SIGNING_KEY: variables.LATCHKEY_SIGNING_KEY.schema,
})

/**
 * Parses the environment.
 *
 * @throws {GatewayConfigError} if variables are missing or invalid. The message names all of them but shows no values.
 */
export function readGatewayEnvironment(given: Record<string, string | undefined>): GatewayEnvironment {
  const problems: string[] = []
  // The signing key has quotation marks of its own.
  const bare = ownVariables.filter((name) => name !== 'LATCHKEY_SIGNING_KEY')
  const variables = withoutQuotes(given, [...bare, ...serviceVariableNames], problems)
  const reading = environmentSchema.safeParse(variables)
  for (const issue of reading.error?.issues ?? []) problems.push(`${issue.path.join('.')} ${issue.message}.`)
  const signingKey = variables['LATCHKEY_SIGNING_KEY']
  const signingKeys = readSigningKeys(signingKey, problems)
  if (reading.success && reading.data.LATCHKEY_OFFLINE_DAYS > 0 && isUnset(signingKey)) {
    problems.push(
      'LATCHKEY_OFFLINE_DAYS needs LATCHKEY_SIGNING_KEY. Create a key with: latchkey-gateway keys generate',
    )
  }
  const upstreams = reading.success ? readUpstreams(reading.data, variables, problems) : []
  const chosen = reading.success ? chosenServices(reading.data.LATCHKEY_SERVICE) : []
  const unknown = findUnknownVariables(variables, ownVariables, serviceVariableNames, chosen)
  problems.push(...unknown.mistyped)
  if (reading.success && reading.data.PORT > 0 && reading.data.PORT === reading.data.LATCHKEY_METRICS_PORT) {
    problems.push('LATCHKEY_METRICS_PORT is the same as PORT, which is 8787 if unset. Use another port.')
  }
  if (!reading.success || problems.length > 0) {
    const forgotten = reading.success ? findForgottenServices(reading.data, variables) : []
    throw new GatewayConfigError([...forgotten, ...problems, ...unknown.others.map(describeIgnored)])
  }
  const { data } = reading
  return {
    port: data.PORT,
    host: data.HOST,
    upstreams,
    upstreamTimeoutMs: data.LATCHKEY_UPSTREAM_TIMEOUT_MS,
    basePath: data.LATCHKEY_BASE_PATH,
    signingKeys,
    isSigningKeyEmpty: signingKey !== undefined && isUnset(signingKey),
    leaseDays: data.LATCHKEY_LEASE_DAYS,
    renewalGraceDays: data.LATCHKEY_RENEWAL_GRACE_DAYS,
    offlineDays: data.LATCHKEY_OFFLINE_DAYS,
    trustedProxies: data.LATCHKEY_TRUSTED_PROXIES,
    perLicense: data.LATCHKEY_LIMIT_PER_LICENSE,
    perAddress: data.LATCHKEY_LIMIT_PER_ADDRESS,
    perUpstream: data.LATCHKEY_LIMIT_PER_UPSTREAM,
    redisUrl: data.LATCHKEY_REDIS_URL,
    metricsPort: data.LATCHKEY_METRICS_PORT,
    metricsHost: data.LATCHKEY_METRICS_HOST,
    unknownVariables: unknown.others,
    unaskedServices: findUnaskedServices(variables, chosenServices(data.LATCHKEY_SERVICE)),
  }
}

/** If the setting that names the service was forgotten, those of the commerce service seem to be missing. */
function findForgottenServices(
  data: Values,
  variables: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  const services = chosenServices(data.LATCHKEY_SERVICE)
  const isMissing = services.includes('commerce') && data.LATCHKEY_UPSTREAM === ''
  return isMissing ? findUnaskedServices(variables, services) : []
}

function readSigningKeys(value: string | undefined, problems: string[]): SigningKey[] {
  if (isUnset(value)) return []
  try {
    return parseSigningKeys(value)
  } catch (error) {
    if (!(error instanceof GatewayConfigError)) throw error
    problems.push(`LATCHKEY_SIGNING_KEY: ${error.message}`)
    return []
  }
}

const names: readonly string[] = ['commerce', ...serviceNames]

/** Returns the names in `LATCHKEY_SERVICE`. */
function chosenServices(setting: string): readonly string[] {
  return setting.split(',').map((name) => name.trim())
}

/**
 * Creates the services behind the gateway from the environment.
 *
 * @param problems receives one sentence per variable that is missing or invalid. It never contains a value.
 */
function readUpstreams(
  settings: Values,
  variables: Readonly<Record<string, string | undefined>>,
  problems: string[],
): readonly Upstream[] {
  const chosen = chosenServices(settings.LATCHKEY_SERVICE)
  if (new Set(chosen).size < chosen.length) problems.push('LATCHKEY_SERVICE names a service twice.')
  return chosen.flatMap((name) => {
    if (name === 'commerce') return readCommerce(settings, problems)
    if (isServiceName(name)) return readService(name, variables, problems) ?? []
    const nearest = nearestName(name.toLowerCase(), names)
    const hint = nearest === null ? '' : ` Did you mean ${nearest}?`
    problems.push(`LATCHKEY_SERVICE must be one of ${names.join(', ')}, or several with commas.${hint}`)
    return []
  })
}

function readCommerce(settings: Values, problems: string[]): readonly Upstream[] {
  const { LATCHKEY_UPSTREAM: baseUrl, LATCHKEY_ACCESS_TOKEN: accessToken } = settings
  if (baseUrl === '') problems.push('LATCHKEY_UPSTREAM is missing.')
  if (accessToken === '') problems.push('LATCHKEY_ACCESS_TOKEN is missing.')
  if (baseUrl === '' || accessToken === '') return []
  const timeoutMs = settings.LATCHKEY_UPSTREAM_TIMEOUT_MS
  const upstream = { baseUrl, accessToken, timeoutMs, allowInsecure: settings.LATCHKEY_ALLOW_INSECURE }
  const found: string[] = []
  if (openCommerce(upstream, found) === null) {
    problems.push(...found.map(namingVariables))
    return []
  }
  if (isOwnAddress(baseUrl, settings.HOST, settings.PORT)) problems.push(ownAddressProblem)
  return [upstream]
}

const ownAddressProblem =
  "LATCHKEY_UPSTREAM is the gateway's own address, so the gateway would send every request to itself. Set it to the commerce service's address, or set PORT to another port."

/** Replaces option names in a message with the names of their variables. */
function namingVariables(problem: string): string {
  return problem
    .replace(/^upstream is not usable \((.*)\)\.$/su, '$1.')
    .replace(/^with /u, 'With ')
    .replaceAll('baseUrl', 'LATCHKEY_UPSTREAM')
    .replaceAll('accessToken', 'LATCHKEY_ACCESS_TOKEN')
    .replaceAll('allowInsecure', 'LATCHKEY_ALLOW_INSECURE=1')
}

const ipv4 = ['127.0.0.1', '0.0.0.0', 'localhost']
const ipv6 = ['[::1]', '[::]', 'localhost']

/** The host names on this machine that reach a server, by the address that it listens on. */
const ownHosts: ReadonlyMap<string, readonly string[]> = new Map([
  ['0.0.0.0', ipv4],
  ['127.0.0.1', ipv4],
  ['::', [...ipv4, ...ipv6]],
  ['::1', ipv6],
  ['localhost', [...ipv4, ...ipv6]],
])

/**
 * Whether an address is the gateway's own, so that it would send every request to itself.
 *
 * @param baseUrl a valid URL.
 * @param host the address that the gateway listens on.
 * @param port the port that it listens on; 0 for any free port, which can't be in a setting.
 */
function isOwnAddress(baseUrl: string, host: string, port: number): boolean {
  const url = new URL(baseUrl)
  const target = Number(url.port || (url.protocol === 'https:' ? 443 : 80))
  if (port === 0 || target !== port) return false
  return (
    url.hostname === host.toLowerCase() || ownHosts.get(host.toLowerCase())?.includes(url.hostname) === true
  )
}
