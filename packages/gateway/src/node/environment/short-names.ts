import { type ServiceName, serviceNames } from '@latchkey/services/environment'

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
export function servicePrefix(service: ServiceName): string {
  return `LATCHKEY_${service.replaceAll('-', '_').toUpperCase()}`
}

/** Whether {@link findShortName} knows a name as another name of a setting. */
export function hasOtherName(name: string): boolean {
  return Object.hasOwn(otherNames, name)
}

/**
 * Returns the settings that a short or another form of their name was probably meant to be: `LATCHKEY_SIGN_KEY`,
 * `LATCHKEY_PROXIES`, `LATCHKEY_TOKEN`.
 *
 * @param settings the gateway's own settings, and those of the service that the name contains. Others share too many words.
 */
export function findShortName(name: string, settings: readonly string[]): readonly string[] {
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
