/** Makes text from the service safe to print: control characters could move the cursor or hide a line. */
export function printable(text: string): string {
  return text.replace(/\p{Cc}|\p{Cf}/gu, '�')
}

/** Shown in place of a file's name that may be a secret. */
export const hiddenName = '…'

/**
 * Returns a file's name for a message, or `…` if it doesn't look like one. A token or a license key that was passed in
 * place of a name must not end up in a log.
 */
export function shownFile(file: string): string {
  const name = file.split(/[\\/]/u).at(-1) ?? ''
  const hasNameOfFile = /^\.{1,2}$|^[a-z_-]{1,30}$|\.[a-z]{1,10}$/iu.test(name) || /^[\w-]{1,11}$/u.test(file)
  const isShort = /^[^{"=\p{Cc}]{1,200}$/u.test(file) && !/[\w-]{40}/u.test(file)
  return (hasNameOfFile || isPlainPath(file)) && isShort ? printable(file) : hiddenName
}

/** Whether this is a path in which nothing looks random, as parts of a secret in base64 do. */
function isPlainPath(file: string): boolean {
  const isRandom = (run: string): boolean =>
    /\d/u.test(run) && (run.length < 20 ? /[a-z]/u.test(run) && /[A-Z]/u.test(run) : /[a-z]/iu.test(run))
  const runs = file.match(/[a-z\d]+/giu) ?? []
  return /[\\/]/u.test(file) && !/[=+]|:\/\//u.test(file) && !runs.some(isRandom)
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
