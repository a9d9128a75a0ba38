/**
 * Applies a page's `diff` block to a file. Lines that start with `-` or a space must be in the file, consecutively and
 * exactly once; `@@` separates two places.
 *
 * @throws Error with the lines that are missing or not unique.
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
