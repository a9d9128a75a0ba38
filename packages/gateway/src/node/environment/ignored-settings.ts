import { nearestName, serviceVariableNames } from '@latchkey/services/environment'
import { isUnset, ownVariables } from './gateway-environment.ts'
import { describeIgnored } from './unknown-variables.ts'

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
): readonly string[] {
  const known = [...ownVariables, ...serviceVariableNames]
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
