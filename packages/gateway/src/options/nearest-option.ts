/**
 * Returns the option that a mistyped name was probably meant to be: the same but for one letter, two swapped letters, or
 * upper and lower case, one that contains the other, or the same with another unit of time. `null` if there is none. The
 * gateway may be part of a Worker, so it doesn't load the settings of every service for this.
 */
export function nearestOption(given: string, known: readonly string[]): string | null {
  const variants = new Set(shortened(given.toLowerCase()))
  const isTypo = (name: string): boolean => shortened(name.toLowerCase()).some((text) => variants.has(text))
  const isPart = (name: string): boolean =>
    given.length > 2 && isWithin(name.toLowerCase(), given.toLowerCase())
  const stem = withoutUnit(given)
  const isOfOtherUnit = (name: string): boolean => stem !== given && withoutUnit(name) === stem
  return known.find(isTypo) ?? known.find(isPart) ?? known.find(isOfOtherUnit) ?? null
}

function withoutUnit(name: string): string {
  return name.replace(/(?<=[a-z])(?:Ms|Milliseconds|Sec|Seconds|Minutes|Hours|Days)$/u, '')
}

function isWithin(one: string, other: string): boolean {
  return one.includes(other) || other.includes(one)
}

/** Returns a text, and each text that has one letter fewer. */
function shortened(text: string): readonly string[] {
  return [text, ...Array.from(text, (_, index) => text.slice(0, index) + text.slice(index + 1))]
}
