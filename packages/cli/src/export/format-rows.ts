import { stringify } from 'csv-stringify/sync'

/** How an export is written. */
export type ExportFormat = 'csv' | 'ndjson'

/** Names and values of an item's columns in CSV. */
export type Columns<Item> = Readonly<Record<string, (item: Item) => string | number | boolean | null>>

/** What stands above the first row. */
export function headerOf(format: ExportFormat, columns: Readonly<Record<string, unknown>>): string {
  return format === 'csv' ? `${Object.keys(columns).join(',')}\n` : ''
}

/** One page of items as text. Spreadsheets run cells that begin with `=`: CSV escapes those. */
export function formatRows<Item>(
  format: ExportFormat,
  columns: Columns<Item>,
  items: readonly Item[],
): string {
  if (format === 'ndjson') return items.map((item) => `${JSON.stringify(item)}\n`).join('')
  const rows = items.map((item) => Object.values(columns).map((cell) => cell(item)))
  return stringify(rows, { escape_formulas: true, cast: { boolean: String } })
}
