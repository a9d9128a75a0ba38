/** Variables that look like settings of the gateway and are none. */
export interface UnknownVariables {
  /** So close to a known one that nobody else's can be meant: what to say about each. */
  readonly mistyped: readonly string[]
  /** Others, perhaps of another program of Latchkey's: their names. */
  readonly others: readonly string[]
}

/** As many letters wrong, missing or too many as still make it a mistyped name. */
const maxTypos = 2

/**
 * Finds mistyped settings. A setting that is ignored in silence is a lease of 14 days where the vendor asked for 2.
 *
 * @param known all names that mean something.
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
    // Windows knows no letter case in names: there the setting has been read.
    if (known.includes(upper) && variables[upper] !== undefined) continue
    const [nearest] = known
      .map((candidate) => ({ candidate, typos: distance(upper, candidate) }))
      .sort((one, other) => one.typos - other.typos)
    if (nearest !== undefined && nearest.typos <= maxTypos) {
      mistyped.push(`${name} is no setting of the gateway. Did you mean ${nearest.candidate}?`)
    } else others.push(name)
  }
  return { mistyped, others }
}

/** How many letters have to be changed, added or dropped (Levenshtein). */
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
