import { nearestName } from '@latchkey/services/environment'

/** `LATCHKEY_` variables that aren't settings of the gateway. */
export interface UnknownVariables {
  /** One sentence per name that is close to a known one. */
  readonly mistyped: readonly string[]
  /** All other names, which may belong to another Latchkey program. */
  readonly others: readonly string[]
}

/**
 * Finds mistyped settings. Ignoring one could be costly: leases would last 14 days instead of the 2 that were set.
 *
 * @param known the names of all settings.
 */
export function findUnknownVariables(
  variables: Record<string, string | undefined>,
  known: readonly string[],
): UnknownVariables {
  const mistyped: string[] = []
  const others: string[] = []
  for (const name of Object.keys(variables)) {
    if (!/^\uFEFF?LATCHKEY_/iu.test(name) || known.includes(name)) continue
    if (name.startsWith('\uFEFF')) {
      mistyped.push(`A byte order mark is in front of ${name.slice(1)}. Save its file as UTF-8 without one.`)
      continue
    }
    const upper = name.toUpperCase()
    // Variable names are case-insensitive on Windows, so the setting was read.
    if (known.includes(upper) && variables[upper] !== undefined) continue
    const nearest = nearestName(upper, known)
    if (nearest === null) others.push(name)
    else mistyped.push(`${name} is not a setting of the gateway. Did you mean ${nearest}?`)
  }
  return { mistyped, others }
}
