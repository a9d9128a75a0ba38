/** Variables that look like settings of the gateway but aren't. */
export interface UnknownVariables {
  /** One sentence for each name that is close to a known one. */
  readonly mistyped: readonly string[]
  /** Other names, perhaps of another program of Latchkey. */
  readonly others: readonly string[]
}

/** How many letters may be wrong, missing or too many in a mistyped name. */
const maxTypos = 2

/**
 * Finds mistyped settings. If one were ignored silently, leases could last 14 days where the vendor asked for 2.
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
    if (!/^LATCHKEY_/i.test(name) || known.includes(name)) continue
    const upper = name.toUpperCase()
    // Names on Windows have no letter case, so there the setting was read.
    if (known.includes(upper) && variables[upper] !== undefined) continue
    const nearest = nearestName(upper, known)
    if (nearest === null) others.push(name)
    else mistyped.push(`${name} is not a setting of the gateway. Did you mean ${nearest}?`)
  }
  return { mistyped, others }
}

/** Returns the known name that a mistyped one is closest to; `null` if none is close. */
export function nearestName(name: string, known: readonly string[]): string | null {
  const [nearest] = known
    .map((candidate) => ({ candidate, typos: distance(name, candidate) }))
    .sort((one, other) => one.typos - other.typos)
  return nearest !== undefined && nearest.typos <= maxTypos ? nearest.candidate : null
}

/** How many letters must be changed, added or removed (Levenshtein). */
function distance(one: string, other: string): number {
  let previous = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (const [row, letter] of [...one].entries()) {
    const current = [row + 1]
    for (const [column, otherLetter] of [...other].entries()) {
      current.push(
        Math.min(
          (previous[column] ?? 0) + (letter === otherLetter ? 0 : 1),
          (previous[column + 1] ?? 0) + 1,
          (current[column] ?? 0) + 1,
        ),
      )
    }
    previous = current
  }
  return previous[other.length] ?? 0
}
