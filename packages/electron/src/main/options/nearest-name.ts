/** Returns the known name that a mistyped one was probably meant to be; `null` if none is close. */
export function nearestName(given: string, known: readonly string[]): string | null {
  const text = given.toLowerCase()
  const limit = Math.max(1, Math.min(3, Math.floor(text.length / 2)))
  let nearest: string | null = null
  let least = limit + 1
  for (const name of known) {
    const distance = editDistance(text, name.toLowerCase())
    const isCloser = distance < least || (distance === least && isNearerInLength(text, name, nearest))
    if (isCloser) {
      least = distance
      nearest = name
    }
  }
  return nearest
}

/** Returns a hint to append to a sentence: ` (did you mean "accent"?)`, or an empty string. */
export function didYouMean(given: string, known: readonly string[]): string {
  const nearest = nearestName(given, known) ?? known.find((name) => name.startsWith(given)) ?? null
  return nearest === null ? '' : ` (did you mean "${nearest}"?)`
}

function isNearerInLength(text: string, name: string, nearest: string | null): boolean {
  const gap = (other: string): number => Math.abs(text.length - other.length)
  return nearest !== null && gap(name) < gap(nearest)
}

/** Levenshtein distance: how many letters must be inserted, removed or replaced. */
function editDistance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (let i = 1; i <= one.length; i += 1) {
    const next = [i]
    for (let j = 1; j <= other.length; j += 1) {
      const changed = (row[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1)
      next.push(Math.min(changed, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[other.length] ?? 0
}
