import { nearestName, serviceVariableNames } from '@latchkey/services/environment'

const known: readonly string[] = [
  'LATCHKEY_BASE_URL',
  'LATCHKEY_ACCESS_TOKEN',
  'LATCHKEY_ACCESS_TOKEN_FILE',
  'LATCHKEY_SERVICE',
  'LATCHKEY_SIGNING_KEY',
  ...serviceVariableNames,
]

/**
 * Finds mistyped environment variables. Other names may be settings of another Latchkey program.
 *
 * @returns one sentence per name that is close to one that isn't set.
 */
export function findMistypedVariables(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const unset = known.filter((name) => (env[name] ?? '') === '')
  return Object.keys(env).flatMap((name) => {
    if (!/^LATCHKEY_/iu.test(name) || known.includes(name)) return []
    const nearest = nearestName(name.toUpperCase(), unset)
    return nearest === null ? [] : [`${name} is not a setting of latchkey. Did you mean ${nearest}?`]
  })
}
