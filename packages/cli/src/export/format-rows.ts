import type { Customer } from '@latchkey/commerce'
import { stringify } from 'csv-stringify/sync'

/** How an export is written down. */
export type ExportFormat = 'csv' | 'ndjson'

/** What stands above the first row. */
export function headerOf(format: ExportFormat): string {
  return format === 'csv' ? 'id,name,email\n' : ''
}

/** One page of customers as text. Spreadsheets run cells that begin with `=`: CSV escapes those. */
export function formatRows(format: ExportFormat, customers: readonly Customer[]): string {
  if (format === 'ndjson') return customers.map((customer) => `${JSON.stringify(customer)}\n`).join('')
  return stringify([...customers], { columns: ['id', 'name', 'email'], escape_formulas: true })
}
