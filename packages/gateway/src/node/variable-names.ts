import {
  isServiceName,
  nearestName,
  type ServiceName,
  serviceNames,
  serviceSettings,
  serviceVariableNames,
} from '@latchkey/services/environment'

/** `LATCHKEY_` variables that aren't settings of the gateway. */
export interface UnknownVariables {
  /** One sentence per name that is close to a known one, or a short form of one that has no value. */
  readonly mistyped: readonly string[]
  /** All other names, which may belong to another Latchkey program. */
  readonly others: readonly string[]
}

/** The sentence about a name that isn't a setting. */
export function describeIgnored(name: string): string {
  return `${name} is not a setting of latchkey-gateway and is ignored.`
}

/**
 * Finds mistyped settings. Ignoring one could be costly: leases would last 14 days instead of the 2 that were set.
 *
 * @param own the names of the gateway's own settings.
 * @param ofServices the names of the services' settings.
 * @param chosen the names in `LATCHKEY_SERVICE`. A short form of another service's setting changes nothing.
 */
export function findUnknownVariables(
  variables: Record<string, string | undefined>,
  own: readonly string[],
  ofServices: readonly string[],
  chosen: readonly string[],
): UnknownVariables {
  const known = [...own, ...ofServices].filter((name) => name.startsWith('LATCHKEY_'))
  const mistyped: string[] = []
  const others: string[] = []
  for (const [name, value = ''] of Object.entries(variables)) {
    if (!/^\uFEFF?LATCHKEY_/iu.test(name) || known.includes(name)) continue
    if (name.startsWith('\uFEFF')) {
      mistyped.push(`A byte order mark is in front of ${name.slice(1)}. Save its file as UTF-8 without one.`)
      continue
    }
    const upper = name.toUpperCase()
    // Variable names are case-insensitive on Windows, so the setting was read.
    if (known.includes(upper) && variables[upper] !== undefined) continue
    const nearest = hasOtherName(upper) ? null : nearestName(upper, known)
    const settings = [...own, ...ofNamedService(upper, chosen)]
    const meant = nearest === null ? meantBy(upper, value, variables, settings) : [nearest]
    if (meant.length === 0) others.push(name)
    else mistyped.push(`${name} is not a setting of the gateway. Did you mean ${meant.join(' or ')}?`)
  }
  return { mistyped, others }
}

/** Returns the settings of the service that a variable names, such as `LATCHKEY_POLAR_BENEFIT`. */
function ofNamedService(name: string, chosen: readonly string[]): readonly string[] {
  const named = chosen.filter(isServiceName).find((service) => name.startsWith(`${servicePrefix(service)}_`))
  return named === undefined ? [] : serviceSettings[named].variables.map((variable) => variable.name)
}

/** A variable of another program may have a similar name, but then the gateway's own setting has a value. */
function meantBy(
  name: string,
  value: string,
  variables: Record<string, string | undefined>,
  settings: readonly string[],
): readonly string[] {
  // Kubernetes sets LATCHKEY_PORT=tcp://… for a service that is called latchkey.
  if (name === 'LATCHKEY_PORT' && !/^\s*\d+\s*$/u.test(value)) return []
  const meant = findShortName(name, settings)
  return meant.some((setting) => (variables[setting] ?? '').trim() !== '') ? [] : meant
}

/** Variables of Node and its libraries that take effect while the process runs. */
const takesEffect =
  /^(?:NODE_(?:ENV|TLS_REJECT_UNAUTHORIZED|USE_ENV_PROXY)|(?:HTTPS?|NO|ALL)_PROXY|DEBUG|TZ)$/u

/** A secret without a name may end with an equals sign, like a name. */
const isSafeToShow = /^[A-Z]+(?:_[A-Z\d]+)*$/u

/**
 * Returns one sentence for each name in a settings file that has no effect. `LATCHKEY_` names aren't among them: they are
 * checked together with those of the environment, which may contain any other name.
 */
export function describeIgnoredSettings(
  settings: Readonly<Record<string, string>>,
  environment: Readonly<Record<string, string | undefined>>,
  own: readonly string[],
): readonly string[] {
  const known = [...own, ...serviceVariableNames]
  const usesProxies = [settings, environment].some((variables) => variables['NODE_USE_ENV_PROXY'] === '1')
  return Object.keys(settings).flatMap((name) => {
    if (/^HTTPS?_PROXY$/u.test(name) && !usesProxies) {
      return [`Node uses ${name} only with NODE_USE_ENV_PROXY=1.`]
    }
    const isRead = known.includes(name) || name.startsWith('LATCHKEY_') || takesEffect.test(name)
    if (isRead || !isSafeToShow.test(name)) return []
    const isFromNode = name.startsWith('NODE_')
    // What the environment sets goes before the file.
    if (!isUnset(environment[name]) && !(isFromNode && isOther(environment[name], settings[name]))) return []
    if (isFromNode) {
      return [`Node reads ${name} before the settings file, where it is ignored. Set it in the environment.`]
    }
    const prefixed = `LATCHKEY_${name}`
    const meant = known.includes(prefixed)
      ? prefixed
      : nearestName(
          name,
          known.filter((one) => one.startsWith('LATCHKEY_')),
        )
    return [`${describeIgnored(name)}${meant === null ? '' : ` Did you mean ${meant}?`}`]
  })
}

/**
 * Returns the names in a settings file for which the environment has another value, which is used. `PORT` and `HOST` aren't
 * among them, because many platforms set them.
 */
export function overriddenSettings(
  settings: Readonly<Record<string, string>>,
  environment: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  return Object.entries(settings)
    .filter(([name, value]) => name.startsWith('LATCHKEY_') && isOther(environment[name], value))
    .map(([name]) => name)
}

function isOther(given: string | undefined, value = ''): boolean {
  return !isUnset(given) && !isUnset(value) && given?.trim() !== value.trim()
}

/**
 * Finds services that have settings but aren't asked. Their license keys would be refused as unknown.
 *
 * @param chosen the names in `LATCHKEY_SERVICE`.
 * @returns one sentence per service. It never contains a value.
 */
export function findUnaskedServices(
  variables: Readonly<Record<string, string | undefined>>,
  chosen: readonly string[],
): readonly string[] {
  const isSet = (name: string): boolean => (variables[name] ?? '').trim() !== ''
  const settings = [
    // The command line also has a LATCHKEY_ACCESS_TOKEN.
    { service: 'commerce', names: ['LATCHKEY_UPSTREAM'] },
    ...serviceNames.map((service) => ({
      service,
      names: serviceSettings[service].variables.map(({ name }) => name),
    })),
  ]
  return settings.flatMap(({ service, names }) => {
    const set = chosen.includes(service) ? [] : names.filter(isSet)
    if (set.length === 0) return []
    const verb = set.length === 1 ? 'is' : 'are'
    return `${set.join(', ')} ${verb} set, but LATCHKEY_SERVICE doesn't include ${service}, so that service isn't asked. To ask it, add it to LATCHKEY_SERVICE.`
  })
}

/** Other names for a setting that share too few words with it. `LATCHKEY_LEASE_KEYS` holds the app's public keys. */
const otherNames: Readonly<Record<string, string>> = {
  LATCHKEY_HOST: 'HOST',
  LATCHKEY_LEASE_KEY: 'LATCHKEY_SIGNING_KEY',
  LATCHKEY_LEASE_KEYS: 'LATCHKEY_SIGNING_KEY',
  LATCHKEY_PORT: 'PORT',
  LATCHKEY_PRIVATE_KEY: 'LATCHKEY_SIGNING_KEY',
  LATCHKEY_UPSTREAM_BASE_URL: 'LATCHKEY_UPSTREAM',
  LATCHKEY_UPSTREAM_URL: 'LATCHKEY_UPSTREAM',
}

/** Words that don't say by themselves which setting is meant. `LATCHKEY_KEY` may be a license key. */
const commonWords: ReadonlySet<string> = new Set([
  ...['ADDRESS', 'ALLOW', 'BASE', 'DAYS', 'KEY', 'LICENSE', 'MS', 'PATH', 'PER', 'PORT', 'URL'].map(stem),
  ...serviceNames.map(servicePrefix).flatMap(wordsOf),
])

/** What the names of a service's settings begin with, such as `LATCHKEY_LEMON_SQUEEZY`. */
function servicePrefix(service: ServiceName): string {
  return `LATCHKEY_${service.replaceAll('-', '_').toUpperCase()}`
}

/** Whether {@link findShortName} knows a name as another name of a setting. */
function hasOtherName(name: string): boolean {
  return Object.hasOwn(otherNames, name)
}

/**
 * Returns the settings that a short or another form of their name was probably meant to be: `LATCHKEY_SIGN_KEY`,
 * `LATCHKEY_PROXIES`, `LATCHKEY_TOKEN`.
 *
 * @param settings the gateway's own settings, and those of the service that the name contains. Others share too many words.
 */
function findShortName(name: string, settings: readonly string[]): readonly string[] {
  const other = otherNames[name]
  if (other !== undefined) return [other]
  const given = wordsOf(name)
  if (given.every((word) => commonWords.has(word))) return []
  return settings.filter((setting) => {
    const words = wordsOf(setting)
    return given.every((word) => words.includes(word))
  })
}

function wordsOf(name: string): readonly string[] {
  return name
    .replace(/^LATCHKEY_/u, '')
    .split('_')
    .map(stem)
}

/** Makes `PROXIES` and `PROXY`, or `SIGNING` and `SIGN`, the same word. */
function stem(word: string): string {
  return word.replace(/IES$/u, 'Y').replace(/S$/u, '').replace(/ING$/u, '')
}

/** Whether a variable is unset or empty, which means the same. */
export function isUnset(value: string | undefined): value is undefined | '' {
  return value === undefined || value.trim() === ''
}
