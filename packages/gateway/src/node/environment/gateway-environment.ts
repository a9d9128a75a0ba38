import {
  readSwitch,
  serviceVariableNames,
  serviceVariablesHelp,
  switchRule,
  withoutQuotes,
} from '@latchkey/services/environment'
import { longestOfflineDays } from '@latchkey/services/offline'
import * as z from 'zod/mini'
import { GatewayConfigError } from '../../gateway-config-error.ts'
import type { Upstream } from '../../gateway-options.ts'
import { parseSigningKeys, type SigningKey } from '../../leases/signing-keys.ts'
import { chosenServices, readUpstreams } from './read-upstreams.ts'
import { findUnaskedServices } from './unasked-services.ts'
import { describeIgnored, findUnknownVariables } from './unknown-variables.ts'

/** Every variable of `latchkey-gateway` besides those of `serviceVariableNames`. */
export type GatewayVariable =
  | 'PORT'
  | 'HOST'
  | 'LATCHKEY_SERVICE'
  | 'LATCHKEY_UPSTREAM'
  | 'LATCHKEY_ACCESS_TOKEN'
  | 'LATCHKEY_UPSTREAM_TIMEOUT_MS'
  | 'LATCHKEY_ALLOW_INSECURE'
  | 'LATCHKEY_BASE_PATH'
  | 'LATCHKEY_SIGNING_KEY'
  | 'LATCHKEY_LEASE_DAYS'
  | 'LATCHKEY_RENEWAL_GRACE_DAYS'
  | 'LATCHKEY_OFFLINE_DAYS'
  | 'LATCHKEY_TRUSTED_PROXIES'
  | 'LATCHKEY_LIMIT_PER_LICENSE'
  | 'LATCHKEY_LIMIT_PER_ADDRESS'
  | 'LATCHKEY_REDIS_URL'
  | 'LATCHKEY_METRICS_PORT'

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
  /** Requests per minute; 0 for no limit. */
  readonly perLicense: number
  readonly perAddress: number
  readonly redisUrl: string | null
  readonly metricsPort: number | null
  /** Names of `LATCHKEY_` variables that the gateway doesn't know. */
  readonly unknownVariables: readonly string[]
  /** One sentence per service that has settings but isn't in `LATCHKEY_SERVICE`. */
  readonly unaskedServices: readonly string[]
}

/** The list of all variables with their defaults, printed by `--help`. */
export const environmentHelp: string = `Environment:
  LATCHKEY_SERVICE              commerce, dodo, keygen, lemon-squeezy or polar, or several, separated by commas   (commerce)
  LATCHKEY_UPSTREAM             base URL of the commerce service, such as https://commerce.example/v1   (required for it)
  LATCHKEY_ACCESS_TOKEN         access token of the commerce service                                    (required for it)
  LATCHKEY_SIGNING_KEY          private key that signs leases; create one with: latchkey-gateway keys generate
  LATCHKEY_LEASE_DAYS           how many days an app may run offline on a lease                         (14)
  LATCHKEY_RENEWAL_GRACE_DAYS   how many days a lease may go beyond the license's end, because the
                                license may have been renewed                                           (3)
  LATCHKEY_OFFLINE_DAYS         how many days an offline activation is valid; 0 turns it off            (0)
  PORT, HOST                    where to listen                                                         (8787, 0.0.0.0)
  LATCHKEY_BASE_PATH            path in front of the routes                                             (/v1)
  LATCHKEY_TRUSTED_PROXIES      number of your own reverse proxies in front of the gateway              (0)
  LATCHKEY_LIMIT_PER_LICENSE    requests per minute for one license; 0 for no limit                     (120)
  LATCHKEY_LIMIT_PER_ADDRESS    requests per minute from one address; 0 for no limit                    (600)
  LATCHKEY_REDIS_URL            Redis server that counts requests for all instances together; install
                                rate-limiter-flexible and ioredis for it
  LATCHKEY_METRICS_PORT         port for Prometheus metrics at /metrics; no metrics if unset
  LATCHKEY_UPSTREAM_TIMEOUT_MS  timeout of a request to the service, in milliseconds                    (10000)
  LATCHKEY_ALLOW_INSECURE       1 to send the access token over http:// to another machine              (0)

Environment of the other services:
${serviceVariablesHelp}`

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

const port = (fallback: number): z.ZodMiniType<number> => whole(fallback, 0, 65_535)

/** No port if unset, because 0 means any free port. */
const optionalPort: z.ZodMiniType<number | null> = z.pipe(
  z.pipe(
    unset,
    z.transform((text: string | undefined) => (text === undefined ? null : Number(text))),
  ),
  z.nullable(integer(0, 65_535)),
)

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

const variableSchemas = {
  PORT: port(8787),
  HOST: text('0.0.0.0'),
  LATCHKEY_SERVICE: text('commerce'),
  LATCHKEY_UPSTREAM: text(''),
  LATCHKEY_ACCESS_TOKEN: text(''),
  // A value below 100 was probably meant in seconds.
  LATCHKEY_UPSTREAM_TIMEOUT_MS: whole(10_000, 100, 120_000, ' of milliseconds'),
  LATCHKEY_ALLOW_INSECURE: onOrOff,
  LATCHKEY_BASE_PATH: text('/v1'),
  LATCHKEY_LEASE_DAYS: whole(14, 1, 366),
  LATCHKEY_RENEWAL_GRACE_DAYS: whole(3, 0, 366),
  LATCHKEY_OFFLINE_DAYS: whole(0, 0, longestOfflineDays),
  LATCHKEY_TRUSTED_PROXIES: whole(0, 0, 16),
  LATCHKEY_LIMIT_PER_LICENSE: whole(120, 0, 1_000_000),
  LATCHKEY_LIMIT_PER_ADDRESS: whole(600, 0, 1_000_000),
  LATCHKEY_REDIS_URL: redisUrlSchema,
  LATCHKEY_METRICS_PORT: optionalPort,
} satisfies Record<Exclude<GatewayVariable, 'LATCHKEY_SIGNING_KEY'>, z.ZodMiniType>

const environmentSchema = z.object(variableSchemas)

/** The names of the gateway's own settings. */
export const ownVariables: readonly string[] = [...Object.keys(variableSchemas), 'LATCHKEY_SIGNING_KEY']

/**
 * Parses the environment.
 *
 * @throws {GatewayConfigError} if variables are missing or invalid. The message names all of them but shows no values.
 */
export function readGatewayEnvironment(given: Record<string, string | undefined>): GatewayEnvironment {
  const problems: string[] = []
  // The signing key has quotation marks of its own.
  const variables = withoutQuotes(given, [...Object.keys(variableSchemas), ...serviceVariableNames], problems)
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
    redisUrl: data.LATCHKEY_REDIS_URL,
    metricsPort: data.LATCHKEY_METRICS_PORT,
    unknownVariables: unknown.others,
    unaskedServices: findUnaskedServices(variables, chosenServices(data.LATCHKEY_SERVICE)),
  }
}

/** Whether a variable is unset or empty, which means the same. */
export function isUnset(value: string | undefined): value is undefined | '' {
  return value === undefined || value.trim() === ''
}

/** If the setting that names the service was forgotten, those of the commerce service seem to be missing. */
function findForgottenServices(
  data: z.infer<typeof environmentSchema>,
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
