/** Returns a Markdown table, padded as Biome formats it. */
export function markdownTable(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = headings.map((_, column) =>
    Math.max(...[headings, ...rows].map((cells) => cells[column]?.length ?? 0)),
  )
  const rule = widths.map((width) => '-'.repeat(width))
  const lineOf = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`
  return [headings, rule, ...rows].map(lineOf).join('\n')
}

/** Replaces the table below each comment with a name, such as `<!-- settings -->`. */
export function withTables(page: string, tables: Readonly<Record<string, string>>): string {
  return page.replaceAll(
    /(<!-- (\w+) -->\n\n)(?:\|.*\n)*/gu,
    (_, comment: string, name: string) => `${comment}${tables[name] ?? ''}\n`,
  )
}
