import { stringify } from 'csv-stringify/sync'

/** The format of an export. */
export type ExportFormat = 'csv' | 'ndjson'

/** The CSV columns of an item: names, and functions that return the values. */
export type Columns<Item> = Readonly<Record<string, (item: Item) => string | number | boolean | null>>

/** Returns the text before the first row. */
export function headerOf(format: ExportFormat, columns: Readonly<Record<string, unknown>>): string {
  return format === 'csv' ? `${Object.keys(columns).join(',')}\n` : ''
}

/** Formats one page of items. Spreadsheets run cells that start with `=`, so CSV escapes them. */
export function formatRows<Item>(
  format: ExportFormat,
  columns: Columns<Item>,
  items: readonly Item[],
): string {
  if (format === 'ndjson') return items.map((item) => `${JSON.stringify(item)}\n`).join('')
  const rows = items.map((item) => Object.values(columns).map((cell) => cell(item)))
  return stringify(rows, { escape_formulas: true, cast: { boolean: String } })
}
