/** Maximum edit distance of a mistyped name. */
const maxTypos = 2

/** Returns the known name that a mistyped one is closest to; `null` if none is close. */
export function nearestName(name: string, known: readonly string[]): string | null {
  const [nearest] = known
    .map((candidate) => ({ candidate, typos: distance(name, candidate) }))
    .sort((one, other) => one.typos - other.typos)
  return nearest !== undefined && nearest.typos <= maxTypos ? nearest.candidate : null
}

/** Returns the Levenshtein distance. */
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
