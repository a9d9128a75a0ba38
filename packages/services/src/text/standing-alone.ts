/** A pattern that isn't part of a longer word. */
export function standingAlone(pattern: string): RegExp {
  return new RegExp(`(?<![\\w-])${pattern}(?![\\w-])`, 'gu')
}
