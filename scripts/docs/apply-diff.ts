/**
 * Applies a page's `diff` block to a file: lines that start with `-` or a space must be there, one after the other and
 * once, and `@@` separates one place from the next.
 *
 * @throws Error with the lines that are not there, or there twice.
 */
export function applyDiff(text: string, diff: string): string {
  return diff
    .trimEnd()
    .split(/^@@\n/mu)
    .reduce(
      (current, change) => {
        const lines = change.split('\n').filter((line) => line !== '')
        const before = linesWith(lines, '-')
        const after = linesWith(lines, '+')
        const count = current.split(before).length - 1
        if (count !== 1) throw new Error(`These lines are in the file ${count} times, not once:\n${before}`)
        return current.replace(before, () => after)
      },
      text.replaceAll('\r\n', '\n'),
    )
}

function linesWith(lines: readonly string[], sign: '-' | '+'): string {
  return lines
    .filter((line) => line.startsWith(' ') || line.startsWith(sign))
    .map((line) => `${line.slice(1)}\n`)
    .join('')
}
