/** The known name a mistyped one was most likely meant to be; `null` when none is close. */
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

/** A hint to put behind a sentence: ` (did you mean "accent"?)`, or nothing. */
export function didYouMean(given: string, known: readonly string[]): string {
  const nearest = nearestName(given, known)
  return nearest === null ? '' : ` (did you mean "${nearest}"?)`
}

function isNearerInLength(text: string, name: string, nearest: string | null): boolean {
  const gap = (other: string): number => Math.abs(text.length - other.length)
  return nearest !== null && gap(name) < gap(nearest)
}

/** Levenshtein: how many letters have to be put in, taken out or changed. */
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
