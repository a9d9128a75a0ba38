import { inspect } from 'node:util'

/**
 * Finds the first argument that the command doesn't know.
 *
 * @param takesValue the known options by name, and whether a value follows.
 * @returns a sentence about it; `null` if all are known.
 */
export function describeUnknownArgument(
  args: readonly string[],
  takesValue: Readonly<Record<string, boolean>>,
): string | null {
  for (let index = 0; index < args.length; index += 1) {
    const word = args[index] ?? ''
    if (word === '-h') continue
    if (!word.startsWith('--')) return `There is no argument "${word}".`
    const [name = '', value] = word.slice(2).split('=', 2)
    if (!Object.hasOwn(takesValue, name))
      return `There is no option --${name}.${suggestion(name, Object.keys(takesValue), '--')}`
    if (takesValue[name] === true && value === undefined) index += 1
  }
  return null
}

/** Returns a sentence about a name that isn't one of `known`, such as `unknown dialect "latin"; use one of …`. */
export function describeUnknownName(what: string, name: unknown, known: readonly string[]): string {
  const shown = typeof name === 'string' ? `"${name}"` : inspect(name, { depth: 0 })
  return `unknown ${what} ${shown}; use one of ${known.join(', ')}.`
}

/**
 * Suggests the known name that a mistyped one is closest to.
 *
 * @param prefix what the suggestion puts in front of the name.
 * @returns a sentence after a space; an empty text if no name is close.
 */
export function suggestion(name: string, known: readonly string[], prefix = ''): string {
  const text = name.toLowerCase()
  const near = (most: number): string | undefined =>
    known.find((option) => editDistance(text, option.toLowerCase()) <= most)
  const nearest = near(1) ?? near(2)
  return nearest === undefined || name.length < 3 ? '' : ` Did you mean ${prefix}${nearest}?`
}

/** Levenshtein distance: how many letters must be inserted, removed or replaced. */
function editDistance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (const [line, letter] of [...one].entries()) {
    const next = [line + 1]
    for (let column = 1; column <= other.length; column += 1) {
      const replaced = (row[column - 1] ?? 0) + (letter === other[column - 1] ? 0 : 1)
      next.push(Math.min(replaced, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[other.length] ?? 0
}
