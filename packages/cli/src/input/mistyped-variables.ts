import { serviceVariableNames } from '@latchkey/services/environment'

const known: readonly string[] = [
  'LATCHKEY_BASE_URL',
  'LATCHKEY_ACCESS_TOKEN',
  'LATCHKEY_ACCESS_TOKEN_FILE',
  'LATCHKEY_SERVICE',
  'LATCHKEY_SIGNING_KEY',
  ...serviceVariableNames,
]

/** Maximum edit distance of a mistyped name. */
const maxTypos = 2

/**
 * Finds mistyped environment variables. Other names may be settings of another Latchkey program.
 *
 * @returns one sentence per name that is close to one that isn't set.
 */
export function findMistypedVariables(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const unset = known.filter((name) => (env[name] ?? '') === '')
  return Object.keys(env).flatMap((name) => {
    if (!/^LATCHKEY_/iu.test(name) || known.includes(name)) return []
    const [nearest] = unset
      .map((candidate) => ({ candidate, typos: distance(name.toUpperCase(), candidate) }))
      .sort((one, other) => one.typos - other.typos)
    if (nearest === undefined || nearest.typos > maxTypos) return []
    return [`${name} is not a setting of latchkey. Did you mean ${nearest.candidate}?`]
  })
}

/** Returns the Levenshtein distance. */
function distance(one: string, other: string): number {
  let previous = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (const [row, letter] of [...one].entries()) {
    const current = [row + 1]
    for (const [column, otherLetter] of [...other].entries()) {
      const replaced = (previous[column] ?? 0) + (letter === otherLetter ? 0 : 1)
      current.push(Math.min(replaced, (previous[column + 1] ?? 0) + 1, (current[column] ?? 0) + 1))
    }
    previous = current
  }
  return previous[other.length] ?? 0
}
