import {
  isServiceName,
  nearestName,
  readService,
  readSwitch,
  serviceNames,
  serviceSettings,
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

/** Variables by name. */
export type Variables = Readonly<Record<string, string | undefined>>

/** Treats an empty variable as unset, as most shells and settings files do. */
const trimmed = z.pipe(
  z.optional(z.string()),
  z.transform((text: string | undefined) => text?.trim() || undefined),
)

function text(fallback: string): z.ZodMiniType<string> {
  return z.pipe(
    trimmed,
    z.transform((value: string | undefined) => value ?? fallback),
  )
}

function integer(min: number, max: number, unit = ''): z.ZodMiniType<number, number> {
  const error = `must be a whole number${unit} from ${min} to ${max}`
  return z.int({ error }).check(z.minimum(min, { error }), z.maximum(max, { error }))
}

/** @param fallback the value if the variable is unset. */
function whole(fallback: number, min: number, max: number, unit = ''): z.ZodMiniType<number> {
  const number = z.pipe(
    trimmed,
    z.transform((value: string | undefined) => Number(value ?? fallback)),
  )
  return z.pipe(number, integer(min, max, unit))
}

/** A whole number, or `null` if the variable is unset. */
function optional(min: number, max: number): z.ZodMiniType<number | null> {
  const number = z.pipe(
    trimmed,
    z.transform((value: string | undefined) => (value === undefined ? null : Number(value))),
  )
  return z.pipe(number, z.nullable(integer(min, max)))
}

const mostPort = 65_535

/** What each setting is, and what it is if unset. The README and `--help` show both. */
const descriptions = z.registry<{ readonly description: string; readonly unset: string }>()

function setting<Value>(
  schema: z.ZodMiniType<Value>,
  description: string,
  unset: string,
): z.ZodMiniType<Value> {
  descriptions.add(schema, { description, unset })
  return schema
}

/** Every variable of `latchkey-gateway` besides those of `serviceVariableNames`, in the order of the README's table. */
const schema = z.object({
  LATCHKEY_SERVICE: setting(
    text('commerce'),
    'the service: `commerce`, `dodo`, `keygen`, `lemon-squeezy` or `polar`, or several, separated by commas',
    'commerce',
  ),
  LATCHKEY_UPSTREAM: setting(
    text(''),
    'base URL of the commerce service, with its version, such as https://commerce.example/v1',
    'required for it',
  ),
  LATCHKEY_ACCESS_TOKEN: setting(
    text(''),
    'its access token; sent only to that service, and over plain http only to this machine',
    'required for it',
  ),
  LATCHKEY_SIGNING_KEY: setting(
    text(''),
    'a private key that signs leases, or a set of keys with the active one first: `latchkey-gateway keys generate`',
    'no leases',
  ),
  LATCHKEY_LEASE_DAYS: setting(
    whole(14, 1, 366),
    'how many days an app may run on a lease without reaching the gateway',
    '14',
  ),
  LATCHKEY_RENEWAL_GRACE_DAYS: setting(
    whole(3, 0, 366),
    "days a lease may extend past the license's end, in case of a renewal; 0 for none",
    '3',
  ),
  LATCHKEY_OFFLINE_DAYS: setting(
    whole(0, 0, longestOfflineDays),
    'activates computers that never go online, each answer for this many days; 0 turns it off',
    'off',
  ),
  PORT: setting(whole(8787, 0, mostPort), 'port to listen on, behind your reverse proxy with TLS', '8787'),
  HOST: setting(text('0.0.0.0'), 'address to listen on', '0.0.0.0'),
  LATCHKEY_BASE_PATH: setting(
    z.pipe(text('/v1'), z.string().check(z.regex(basePathPattern, basePathRule))),
    'base path of the interface',
    '/v1',
  ),
  LATCHKEY_TRUSTED_PROXIES: setting(
    whole(0, 0, 16),
    'how many of your reverse proxies are in front and append to `X-Forwarded-For`',
    '0',
  ),
  LATCHKEY_LIMIT_PER_LICENSE: setting(
    optional(0, 1_000_000),
    'requests a minute for one license; 0 for no limit',
    '120, or 4 for each of its seats if that is more',
  ),
  LATCHKEY_LIMIT_PER_ADDRESS: setting(
    optional(0, 1_000_000),
    'requests a minute from one address (IPv6: one /64); 0 for no limit',
    '600',
  ),
  LATCHKEY_LIMIT_PER_UPSTREAM: setting(
    optional(0, 1_000_000),
    'requests a minute to each service, half of them for activations and known license keys; 0 for no limit',
    'what the service allows',
  ),
  LATCHKEY_REDIS_URL: setting(
    z.pipe(
      text(''),
      z
        .string()
        .check(
          z.refine(
            (url) => url === '' || (/^rediss?:\/\/\S+$/.test(url) && URL.canParse(url)),
            'must look like redis://host:6379',
          ),
        ),
    ),
    'counts both limits across all instances; requires `rate-limiter-flexible` and `ioredis`',
    'counted in the process',
  ),
  LATCHKEY_METRICS_PORT: setting(
    optional(0, mostPort),
    "serves Prometheus metrics at `/metrics`, on a port that isn't public",
    'none',
  ),
  LATCHKEY_METRICS_HOST: setting(
    text('127.0.0.1'),
    'address to serve the metrics on, such as 0.0.0.0 in a container',
    '127.0.0.1',
  ),
  LATCHKEY_UPSTREAM_TIMEOUT_MS: setting(
    // A value below 100 was probably meant in seconds.
    whole(10_000, 100, 120_000, ' of milliseconds'),
    'timeout of a request to the service, in milliseconds; at least 100',
    '10000',
  ),
  LATCHKEY_ALLOW_INSECURE: setting(
    z.pipe(z.pipe(z.optional(z.string()), z.transform(readSwitch)), z.boolean({ error: switchRule })),
    '1 or true sends the token over http:// to another machine',
    '0',
  ),
})

/** The values of all settings. `null` is unset. */
export interface GatewaySettings {
  readonly LATCHKEY_SERVICE: string
  readonly LATCHKEY_UPSTREAM: string
  readonly LATCHKEY_ACCESS_TOKEN: string
  readonly LATCHKEY_LEASE_DAYS: number
  readonly LATCHKEY_RENEWAL_GRACE_DAYS: number
  readonly LATCHKEY_OFFLINE_DAYS: number
  readonly PORT: number
  readonly HOST: string
  readonly LATCHKEY_BASE_PATH: string
  readonly LATCHKEY_TRUSTED_PROXIES: number
  readonly LATCHKEY_LIMIT_PER_LICENSE: number | null
  readonly LATCHKEY_LIMIT_PER_ADDRESS: number | null
  readonly LATCHKEY_LIMIT_PER_UPSTREAM: number | null
  readonly LATCHKEY_REDIS_URL: string
  readonly LATCHKEY_METRICS_PORT: number | null
  readonly LATCHKEY_METRICS_HOST: string
  readonly LATCHKEY_UPSTREAM_TIMEOUT_MS: number
  readonly LATCHKEY_ALLOW_INSECURE: boolean
}

/** The gateway's own settings, in the order of the README, which has the same table. */
export const settingsTable: readonly {
  readonly name: string
  readonly description: string
  readonly unset: string
}[] = Object.entries(schema.shape).map(([name, shape]) => ({
  name,
  ...(descriptions.get(shape) ?? { description: '', unset: '' }),
}))

const ownNames: readonly string[] = Object.keys(schema.shape)

/** The names of all settings. */
export const settingNames: readonly string[] = [...ownNames, ...serviceVariableNames]

/** The list of all variables with their defaults, printed by `--help`. */
export const environmentHelp: string = `Environment:
${settingsTable
  .map(
    ({ name, description, unset }) => `  ${name.padEnd(28)}  ${description.replaceAll('`', '')} (${unset})`,
  )
  .join('\n')}

Environment of the other services:
${serviceVariablesHelp}`

/** The environment of `latchkey-gateway`, read. */
export interface GatewayEnvironment {
  readonly settings: GatewaySettings
  /** The services behind the gateway, in the configured order. */
  readonly upstreams: readonly Upstream[]
  /** Empty if leases aren't signed. */
  readonly signingKeys: readonly SigningKey[]
  /** Whether `LATCHKEY_SIGNING_KEY` is set to nothing, which is probably a mistake. */
  readonly isSigningKeyEmpty: boolean
  /** Names of `LATCHKEY_` variables that the gateway doesn't know. */
  readonly unknownVariables: readonly string[]
  /** One sentence per service that has settings but isn't in `LATCHKEY_SERVICE`. */
  readonly unaskedServices: readonly string[]
}

/**
 * Parses the environment.
 *
 * @throws {GatewayConfigError} if variables are missing or invalid. The message names all of them but shows no values.
 */
export function readGatewayEnvironment(given: Variables): GatewayEnvironment {
  const problems: string[] = []
  // The signing key has quotation marks of its own.
  const bare = settingNames.filter((name) => name !== 'LATCHKEY_SIGNING_KEY')
  const variables = withoutQuotes(given, bare, problems)
  const { data: settings, error } = schema.safeParse(variables)
  for (const issue of error?.issues ?? []) problems.push(`${issue.path.join('.')} ${issue.message}.`)
  const signingKey = variables['LATCHKEY_SIGNING_KEY']
  const signingKeys = readSigningKeys(signingKey, problems)
  const chosen = settings === undefined ? [] : chosenServices(settings.LATCHKEY_SERVICE)
  const upstreams = settings === undefined ? [] : readUpstreams(chosen, settings, variables, problems)
  if (settings !== undefined && settings.LATCHKEY_OFFLINE_DAYS > 0 && isUnset(signingKey)) {
    problems.push(
      'LATCHKEY_OFFLINE_DAYS needs LATCHKEY_SIGNING_KEY. Create a key with: latchkey-gateway keys generate',
    )
  }
  if (settings !== undefined && settings.PORT > 0 && settings.PORT === settings.LATCHKEY_METRICS_PORT) {
    problems.push('LATCHKEY_METRICS_PORT is the same as PORT, which is 8787 if unset. Use another port.')
  }
  const unknown = findUnknownVariables(variables)
  problems.push(...unknown.mistyped)
  const unaskedServices = settings === undefined ? [] : findUnaskedServices(variables, chosen)
  if (settings === undefined || problems.length > 0) {
    // If the setting that names the service was forgotten, those of the commerce service seem to be missing.
    const isForgotten = chosen.includes('commerce') && settings?.LATCHKEY_UPSTREAM === ''
    const forgotten = isForgotten ? unaskedServices : []
    throw new GatewayConfigError([...forgotten, ...problems, ...unknown.others.map(describeIgnored)])
  }
  return {
    settings,
    upstreams,
    signingKeys,
    isSigningKeyEmpty: signingKey !== undefined && isUnset(signingKey),
    unknownVariables: unknown.others,
    unaskedServices,
  }
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

/** Whether a variable is unset or empty, which means the same. */
export function isUnset(value: string | undefined): value is undefined | '' {
  return value === undefined || value.trim() === ''
}

/** The sentence about a name that isn't a setting. */
export function describeIgnored(name: string): string {
  return `${name} is not a setting of latchkey-gateway and is ignored.`
}

/** Other names for a setting that aren't similar to it. `LATCHKEY_LEASE_KEYS` holds the app's public keys. */
const otherNames: Readonly<Record<string, string>> = {
  LATCHKEY_HOST: 'HOST',
  LATCHKEY_LEASE_KEYS: 'LATCHKEY_SIGNING_KEY',
  LATCHKEY_PORT: 'PORT',
  LATCHKEY_SIGN_KEY: 'LATCHKEY_SIGNING_KEY',
  LATCHKEY_TOKEN: 'LATCHKEY_ACCESS_TOKEN',
  LATCHKEY_TRUSTED_PROXY: 'LATCHKEY_TRUSTED_PROXIES',
  LATCHKEY_UPSTREAM_URL: 'LATCHKEY_UPSTREAM',
}

/**
 * Finds `LATCHKEY_` variables that aren't settings. Ignoring a mistyped one could be costly: leases would last 14 days
 * instead of the 2 that were set. Any other name may belong to another Latchkey program.
 */
function findUnknownVariables(variables: Variables): {
  readonly mistyped: string[]
  readonly others: string[]
} {
  const known = settingNames.filter((name) => name.startsWith('LATCHKEY_'))
  const mistyped: string[] = []
  const others: string[] = []
  for (const [name, value] of Object.entries(variables)) {
    const upper = name.toUpperCase()
    if (name.startsWith('\uFEFFLATCHKEY_')) {
      mistyped.push(`A byte order mark is in front of ${name.slice(1)}. Save its file as UTF-8 without one.`)
    }
    // Variable names are case-insensitive on Windows, so the setting was read.
    const isRead = known.includes(name) || (known.includes(upper) && variables[upper] !== undefined)
    if (!upper.startsWith('LATCHKEY_') || isRead) continue
    const other = otherNames[upper]
    // Kubernetes sets LATCHKEY_PORT=tcp://… for a service that is called latchkey, and the command line has a token, too.
    const isOther = other !== undefined && isUnset(variables[other]) && !/^tcp:/u.test(value ?? '')
    const meant = other === undefined ? nearestName(upper, known) : isOther ? other : null
    if (meant === null) others.push(name)
    else mistyped.push(`${name} is not a setting of the gateway. Did you mean ${meant}?`)
  }
  return { mistyped, others }
}

/**
 * Finds services that have settings but aren't asked. Their license keys would be refused as unknown.
 *
 * @param chosen the names in `LATCHKEY_SERVICE`.
 * @returns one sentence per service. It never contains a value.
 */
function findUnaskedServices(variables: Variables, chosen: readonly string[]): readonly string[] {
  const namesOf = (service: string): readonly string[] =>
    // The command line also has a LATCHKEY_ACCESS_TOKEN.
    isServiceName(service)
      ? serviceSettings[service].variables.map(({ name }) => name)
      : ['LATCHKEY_UPSTREAM']
  return allServices.flatMap((service) => {
    const set = chosen.includes(service) ? [] : namesOf(service).filter((name) => !isUnset(variables[name]))
    if (set.length === 0) return []
    const verb = set.length === 1 ? 'is' : 'are'
    return `${set.join(', ')} ${verb} set, but LATCHKEY_SERVICE doesn't include ${service}, so that service isn't asked. To ask it, add it to LATCHKEY_SERVICE.`
  })
}

const allServices: readonly string[] = ['commerce', ...serviceNames]

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
  chosen: readonly string[],
  settings: GatewaySettings,
  variables: Variables,
  problems: string[],
): readonly Upstream[] {
  if (new Set(chosen).size < chosen.length) problems.push('LATCHKEY_SERVICE names a service twice.')
  return chosen.flatMap((name) => {
    if (name === 'commerce') return readCommerce(settings, problems)
    if (isServiceName(name)) return readService(name, variables, problems) ?? []
    const nearest = nearestName(name.toLowerCase(), allServices)
    const hint = nearest === null ? '' : ` Did you mean ${nearest}?`
    problems.push(`LATCHKEY_SERVICE must be one of ${allServices.join(', ')}, or several with commas.${hint}`)
    return []
  })
}

function readCommerce(settings: GatewaySettings, problems: string[]): readonly Upstream[] {
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
  return [upstream]
}

/** Replaces option names in a message with the names of their variables. */
function namingVariables(problem: string): string {
  return problem
    .replace(/^upstream is not usable \((.*)\)\.$/su, '$1.')
    .replace(/^with /u, 'With ')
    .replaceAll('baseUrl', 'LATCHKEY_UPSTREAM')
    .replaceAll('accessToken', 'LATCHKEY_ACCESS_TOKEN')
    .replaceAll('allowInsecure', 'LATCHKEY_ALLOW_INSECURE=1')
}
