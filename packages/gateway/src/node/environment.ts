import { readFileSync } from 'node:fs'
import { OptionsError } from '@latchkey/commerce/options'
import { commerce } from '@latchkey/services/commerce'
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
import * as z from 'zod'
import { GatewayConfigError } from '../gateway-config-error.ts'
import { appScheme, basePath, siteShape, type Upstream } from '../gateway-options.ts'
import { signingKeysText } from '../leases/signing-keys.ts'
import type { GatewayServerOptions } from './start-gateway-server.ts'

/** Variables by name. */
export type Variables = Readonly<Record<string, string | undefined>>

/** An empty variable counts as unset, as in most shells and settings files. */
const given = z
  .string()
  .trim()
  .optional()
  .transform((value) => value || undefined)

const text = (unset = '') => given.transform((value) => value ?? unset)

function whole<Unset extends number | undefined>(unset: Unset, min: number, max: number, unit = '') {
  return given
    .transform((value) => (value === undefined ? unset : Number(value)))
    .refine(
      (value) => value === undefined || (Number.isInteger(value) && value >= min && value <= max),
      `must be a whole number${unit} from ${min} to ${max}`,
    )
}

const switched = given.transform(readSwitch).refine((isOn) => isOn !== null, switchRule)

const port = (unset?: number) => whole(unset, 0, 65_535)
const limit = whole(undefined, 0, 1_000_000)

/**
 * Every variable of `latchkey-gateway`, besides those of the other services. `--help` and docs/gateway-reference.md have the
 * same table, generated from this one.
 */
const schema = z.object({
  LATCHKEY_SERVICE: text('commerce').describe(
    '`commerce`, `dodo`, `keygen`, `lemon-squeezy` or `polar`, or several, separated by commas',
  ),
  LATCHKEY_UPSTREAM: text().meta({
    description: 'base URL of the commerce service, such as https://commerce.example/v1',
    unset: 'required for it',
  }),
  LATCHKEY_ACCESS_TOKEN: text().meta({
    description: 'its access token',
    unset: 'required for it',
  }),
  LATCHKEY_SIGNING_KEY: given.pipe(z.optional(signingKeysText)).meta({
    description:
      'private key that signs leases, or several, the active one first: `latchkey-gateway keys generate`',
    unset: 'no leases',
  }),
  LATCHKEY_LEASE_DAYS: whole(14, 1, 366).describe(
    'how many days an app may run without reaching the gateway',
  ),
  LATCHKEY_RENEWAL_GRACE_DAYS: whole(3, 0, 366).describe(
    "days a lease may extend past the license's end, in case of a renewal",
  ),
  LATCHKEY_OFFLINE_DAYS: whole(0, 0, longestOfflineDays).meta({
    description: 'how many days an answer for a computer that never goes online is valid',
    unset: 'off',
  }),
  LATCHKEY_DEVICES_PAGE: switched.meta({
    description: '1 serves the page where customers release a device, at `/v1/devices`',
    unset: 'off',
  }),
  LATCHKEY_THANKS_PAGE: given.pipe(z.optional(appScheme)).meta({
    description: "scheme of your app's links: serves the page that opens it for a buyer, at `/v1/thanks`",
    unset: 'off',
  }),
  LATCHKEY_SITE_NAME: given.pipe(siteShape.name).meta({
    description: "your app's name on the pages for customers",
    unset: 'none',
  }),
  LATCHKEY_SITE_LOGO: given.pipe(siteShape.logo).meta({
    description: 'the logo there: an https:// or `data:image/…` URL',
    unset: 'a key',
  }),
  LATCHKEY_SITE_ACCENT: given.pipe(siteShape.accent).meta({
    description: 'the color of buttons and links there',
    unset: '#3d5af1',
  }),
  LATCHKEY_SITE_SUPPORT: given.pipe(siteShape.support).meta({
    description: 'where customers get help: a `mailto:` or https:// URL',
    unset: 'no link',
  }),
  LATCHKEY_DEVICES: text('all')
    .pipe(z.enum(['all', 'own'], 'must be all or own'))
    .describe('which devices of a license an app can list: `all`, or only its `own`'),
  PORT: port(8787).describe('port to listen on, behind your reverse proxy with TLS'),
  HOST: text('0.0.0.0').describe('address to listen on'),
  LATCHKEY_BASE_PATH: text('/v1').pipe(basePath).describe('base path of the interface'),
  LATCHKEY_TRUSTED_PROXIES: whole(0, 0, 16).describe(
    'how many reverse proxies of yours append to `X-Forwarded-For`',
  ),
  LATCHKEY_LIMIT_PER_LICENSE: limit.meta({
    description: 'requests a minute for one license; 0 for no limit',
    unset: '120, or 4 for each of its seats if that is more',
  }),
  LATCHKEY_LIMIT_PER_ADDRESS: limit.meta({
    description: 'requests a minute from one address (IPv6: one /64); 0 for no limit',
    unset: '600, or 4 for each seat of a license if that is more',
  }),
  LATCHKEY_LIMIT_PER_UPSTREAM: limit.meta({
    description: 'requests a minute to each service; 0 for no limit',
    unset: 'what the service allows',
  }),
  LATCHKEY_REDIS_URL: given
    .refine(
      (url) => url === undefined || (/^rediss?:\/\/\S+$/.test(url) && URL.canParse(url)),
      'must look like redis://host:6379',
    )
    .meta({
      description: 'counts limits across all instances; requires `rate-limiter-flexible` and `ioredis`',
      unset: 'counted in the process',
    }),
  LATCHKEY_METRICS_PORT: port().meta({
    description: "serves Prometheus metrics at `/metrics`, on a port that isn't public",
    unset: 'none',
  }),
  LATCHKEY_METRICS_HOST: text('127.0.0.1').describe(
    'address to serve the metrics on, such as 0.0.0.0 in a container',
  ),
  // A value below 100 was probably meant in seconds.
  LATCHKEY_UPSTREAM_TIMEOUT_MS: whole(10_000, 100, 120_000, ' of milliseconds').describe(
    'timeout of a request to the service, in milliseconds',
  ),
  LATCHKEY_ALLOW_INSECURE: switched.meta({
    description: '1 sends the token over http:// to another machine',
    unset: '0',
  }),
})

/** The gateway's own settings, in the order of the reference. */
export const settingsTable: readonly {
  readonly name: string
  readonly description: string
  readonly unset: string
}[] = Object.entries(schema.shape).map(([name, setting]) => {
  const { description = '', unset = setting.parse(undefined) } = setting.meta() ?? {}
  return { name, description, unset: String(unset) }
})

/** The names of all settings. */
const settingNames: readonly string[] = [...Object.keys(schema.shape), ...serviceVariableNames]

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
  readonly options: GatewayServerOptions
  /** Requests a minute; `undefined` for the default, and 0 for no limit. */
  readonly limits: Readonly<Record<'perLicense' | 'perAddress' | 'perUpstream', number | undefined>>
  /** Where both limits are counted; `undefined` for this process. */
  readonly redisUrl: string | undefined
  /** Names of `LATCHKEY_` variables that the gateway doesn't know. */
  readonly unknownVariables: readonly string[]
}

/**
 * Parses the environment.
 *
 * @throws {GatewayConfigError} if variables are missing or invalid. The message names all of them but shows no values.
 */
export function readGatewayEnvironment(environment: Variables): GatewayEnvironment {
  const problems: string[] = []
  // The signing key has quotation marks of its own.
  const bare = settingNames.filter((name) => name !== 'LATCHKEY_SIGNING_KEY')
  const variables = withoutQuotes(environment, bare, problems)
  const { data: settings, error } = schema.safeParse(variables)
  for (const { path, message } of error?.issues ?? []) {
    const name = path.join('.')
    problems.push(message.endsWith('.') ? `${name}: ${message}` : `${name} ${message}.`)
  }
  const upstream = settings === undefined ? [] : readUpstreams(settings, variables, problems)
  if (settings !== undefined && settings.LATCHKEY_OFFLINE_DAYS > 0 && !settings.LATCHKEY_SIGNING_KEY) {
    problems.push(
      'LATCHKEY_OFFLINE_DAYS needs LATCHKEY_SIGNING_KEY. Create a key with: latchkey-gateway keys generate',
    )
  }
  const unknown = findUnknownVariables(variables)
  problems.push(...unknown.mistyped)
  if (settings === undefined || problems.length > 0) {
    throw new GatewayConfigError([...problems, ...unknown.others.map(describeIgnored)])
  }
  const { LATCHKEY_SIGNING_KEY: keys, LATCHKEY_OFFLINE_DAYS: days, LATCHKEY_THANKS_PAGE: scheme } = settings
  const { LATCHKEY_LEASE_DAYS: leaseDays, LATCHKEY_RENEWAL_GRACE_DAYS: renewalGraceDays } = settings
  return {
    options: {
      upstream,
      timeoutMs: settings.LATCHKEY_UPSTREAM_TIMEOUT_MS,
      basePath: settings.LATCHKEY_BASE_PATH,
      signing: keys && { keys, leaseDays, renewalGraceDays },
      offline: days > 0 ? { days } : undefined,
      devicesPage: settings.LATCHKEY_DEVICES_PAGE === true,
      thanksPage: scheme === undefined ? undefined : { scheme },
      site: {
        name: settings.LATCHKEY_SITE_NAME,
        logo: settings.LATCHKEY_SITE_LOGO,
        accent: settings.LATCHKEY_SITE_ACCENT,
        support: settings.LATCHKEY_SITE_SUPPORT,
      },
      devices: settings.LATCHKEY_DEVICES,
      port: settings.PORT,
      host: settings.HOST,
      trustedProxies: settings.LATCHKEY_TRUSTED_PROXIES,
      metricsPort: settings.LATCHKEY_METRICS_PORT,
      metricsHost: settings.LATCHKEY_METRICS_HOST,
    },
    limits: {
      perLicense: settings.LATCHKEY_LIMIT_PER_LICENSE,
      perAddress: settings.LATCHKEY_LIMIT_PER_ADDRESS,
      perUpstream: settings.LATCHKEY_LIMIT_PER_UPSTREAM,
    },
    redisUrl: settings.LATCHKEY_REDIS_URL,
    unknownVariables: unknown.others,
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

/**
 * Finds `LATCHKEY_` variables that aren't settings. Ignoring a mistyped one could be costly: leases would last 14 days
 * instead of the 2 that were set. Any other name may belong to another Latchkey program.
 */
function findUnknownVariables(variables: Variables): {
  readonly mistyped: readonly string[]
  readonly others: readonly string[]
} {
  const known = settingNames.filter((name) => name.startsWith('LATCHKEY_'))
  const mistyped: string[] = []
  const others: string[] = []
  for (const name of Object.keys(variables)) {
    const upper = name.toUpperCase()
    // On Windows, a setting is read in any letter case.
    const isRead = known.includes(name) || (known.includes(upper) && variables[upper] !== undefined)
    if (!upper.startsWith('LATCHKEY_') || isRead) continue
    const meant = nearestName(upper, known)
    if (meant === null) others.push(name)
    else mistyped.push(`${name} is not a setting of the gateway. Did you mean ${meant}?`)
  }
  return { mistyped, others }
}

const allServices: readonly string[] = ['commerce', ...serviceNames]

/**
 * Creates the services behind the gateway.
 *
 * @param problems receives one sentence per variable that is missing or invalid. It never contains a value.
 */
function readUpstreams(
  settings: z.output<typeof schema>,
  variables: Variables,
  problems: string[],
): readonly Upstream[] {
  const chosen = settings.LATCHKEY_SERVICE.split(',').map((name) => name.trim())
  if (new Set(chosen).size < chosen.length) problems.push('LATCHKEY_SERVICE names a service twice.')
  return chosen.flatMap((name) => {
    if (name === 'commerce') return readCommerce(settings, problems) ?? []
    if (isServiceName(name)) return readService(name, variables, problems) ?? []
    const nearest = nearestName(name.toLowerCase(), allServices)
    const hint = nearest === null ? '' : ` Did you mean ${nearest}?`
    problems.push(`LATCHKEY_SERVICE must be one of ${allServices.join(', ')}, or several with commas.${hint}`)
    return []
  })
}

function readCommerce(settings: z.output<typeof schema>, problems: string[]): Upstream | null {
  const { LATCHKEY_UPSTREAM: baseUrl, LATCHKEY_ACCESS_TOKEN: accessToken } = settings
  // Without LATCHKEY_SERVICE, the settings of another service have no effect.
  if (baseUrl === '')
    problems.push('LATCHKEY_UPSTREAM is missing. For another service, set LATCHKEY_SERVICE.')
  if (accessToken === '') problems.push('LATCHKEY_ACCESS_TOKEN is missing.')
  if (baseUrl === '' || accessToken === '') return null
  const options = { baseUrl, accessToken, allowInsecure: settings.LATCHKEY_ALLOW_INSECURE === true }
  try {
    commerce(options)
  } catch (error) {
    if (!(error instanceof OptionsError)) throw error
    problems.push(...error.problems.map(({ option, problem }) => namingVariables(`${option} ${problem}.`)))
    return null
  }
  return options
}

/** Replaces option names in a sentence with the names of their variables. */
function namingVariables(sentence: string): string {
  return sentence
    .replace(/^with /u, 'With ')
    .replaceAll('baseUrl', 'LATCHKEY_UPSTREAM')
    .replaceAll('accessToken', 'LATCHKEY_ACCESS_TOKEN')
    .replaceAll('allowInsecure', 'LATCHKEY_ALLOW_INSECURE=1')
}

/** A name and a value, perhaps in quotes. A comment follows a space, so that it can't cut a secret. */
const assignment =
  /^\s*(?:export\s+)?(?<name>[\w.-]+)\s*=\s*(?:(?<quote>["'`])(?<quoted>(?:(?!\k<quote>).)*)\k<quote>|(?<plain>(?!["'`])[^#]*?))(?:\s+#.*)?\s*$/u
/** A comment, or the public keys that `keys generate` prints below the setting. Its whole output may be in the file. */
const ignored = /^\s*(?:#.*)?$|^\{"keys":\[/u

/**
 * Parses the text of a settings file: one `NAME=value` a line, with comments and blank lines.
 *
 * @throws {GatewayConfigError} if a line is something else. The message has its number and not its text, which may be a
 * secret. Ignoring the line could be costly: without its signing key, the gateway's answers aren't signed. The same goes
 * for a name that is set twice, such as an old and a new signing key.
 */
export function readSettings(text: string): Readonly<Record<string, string>> {
  const values: Record<string, string> = {}
  // Some editors put a byte order mark in front of the first name.
  const lines = text.replace(/^\uFEFF/u, '').split(/\r?\n/u)
  for (const [index, line] of lines.entries()) {
    if (ignored.test(line)) continue
    const { name, quoted, plain } = assignment.exec(line)?.groups ?? {}
    if (name === undefined) {
      throw new GatewayConfigError([
        `Line ${index + 1} of the settings file must be NAME=value, a comment that begins with #, or blank. Put a value with a # in quotes, and close them in the same line.`,
      ])
    }
    if (name in values) {
      throw new GatewayConfigError([
        `Line ${index + 1} of the settings file sets a name a second time. Remove one.`,
      ])
    }
    values[name] = quoted ?? plain ?? ''
  }
  return values
}

/** Variables of Node and its libraries that take effect while the process runs. */
const takesEffect =
  /^(?:NODE_(?:ENV|TLS_REJECT_UNAUTHORIZED|USE_ENV_PROXY)|(?:HTTPS?|NO|ALL)_PROXY|DEBUG|TZ)$/u

/** A secret without a name may end with an equals sign, like a name. */
const isSafeToShow = /^[A-Z]+(?:_[A-Z\d]+)*$/u

/**
 * Returns that a setting has another value in the environment than in the file; `null` if it hasn't. Ask before
 * {@link applySettings}.
 */
export function overriddenText(
  name: string,
  settings: Readonly<Record<string, string>>,
  environment: Readonly<Record<string, string | undefined>>,
): string | null {
  const [current, value] = [environment[name], settings[name]]
  const isOther = !isUnset(current) && !isUnset(value) && current.trim() !== value.trim()
  return isOther ? `${name} has another value in the environment than in the settings file.` : null
}

/**
 * Adds the settings of a file to the environment, where a variable that isn't empty goes first.
 *
 * @returns sentences about names that have no effect, or another value in the environment. Many platforms set `PORT` and
 * `HOST`, and the environment reports unknown `LATCHKEY_` names itself.
 */
export function applySettings(
  settings: Readonly<Record<string, string>>,
  environment: Record<string, string | undefined>,
): readonly string[] {
  return Object.entries(settings).flatMap(([name, value]) => {
    const current = environment[name]
    const overridden = overriddenText(name, settings, environment)
    if (isUnset(current)) environment[name] = value
    if (name.startsWith('LATCHKEY_'))
      return overridden === null ? [] : [`${overridden} The file's is not used.`]
    const hasEffect = settingNames.includes(name) || takesEffect.test(name) || current === value
    return hasEffect || !isSafeToShow.test(name) ? [] : [describeIgnored(name)]
  })
}

/** @throws {GatewayConfigError} if the file can't be read. The message doesn't name it: it may be a pasted key. */
export function readSettingsFile(file: string): Readonly<Record<string, string>> {
  try {
    return readSettings(readFileSync(file, 'utf8'))
  } catch (error) {
    if (error instanceof GatewayConfigError) throw error
    const code = error instanceof Error && 'code' in error ? error.code : error
    throw new GatewayConfigError([
      `The settings file can't be read (${code}). Check the name after --settings, the folder, and its permissions.`,
    ])
  }
}
