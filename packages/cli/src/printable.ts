/** Makes text from the service safe to print: control characters could move the cursor or hide a line. */
export function printable(text: string): string {
  return text.replace(/\p{Cc}|\p{Cf}/gu, '�')
}

/** Makes a sentence of a phrase: `seats are full` becomes `Seats are full.` */
export function asSentence(phrase: string): string {
  return `${phrase.charAt(0).toUpperCase()}${phrase.slice(1)}.`
}

/** Formats rows as aligned columns with headings. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [headings, ...rows].map((row) => row.map(printable))
  const widths = headings.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)))
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .map((line) => `${line}\n`)
    .join('')
}
