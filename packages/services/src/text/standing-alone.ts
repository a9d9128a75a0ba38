/** Creates a pattern that doesn't match inside a longer word. */
export function standingAlone(pattern: string): RegExp {
  return new RegExp(`(?<![\\w-])${pattern}(?![\\w-])`, 'gu')
}
