import { isServiceName, nearestName, serviceSettings } from '@latchkey/services/environment'
import { findShortName, hasOtherName, servicePrefix } from './short-names.ts'

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
