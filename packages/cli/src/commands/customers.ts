import type { Customer } from '@latchkey/commerce'
import type { CommandContext } from '../command-context.ts'
import { exitCodes } from '../exit-codes.ts'
import type { Columns } from '../export/format-rows.ts'
import { type ExportOptions, exportList } from '../export/list-export.ts'
import { table } from '../printable.ts'
import { refuseMissingPage } from './refuse-missing-page.ts'

/** `latchkey customers list` */
export async function listCustomers(
  context: CommandContext,
  options: { readonly page?: number },
): Promise<number> {
  const { commerce, terminal } = context
  const page = await commerce.customers.list({ page: options.page, signal: terminal.signal })
  refuseMissingPage(page)
  if (context.json) return context.printJson(page)
  terminal.err.write(
    `Page ${page.meta.current_page} of ${page.meta.last_page}, ${page.meta.total} customers.\n`,
  )
  const rows = page.data.map(({ name, email, id }) => [name, email, id])
  await terminal.out.write(table(['NAME', 'EMAIL', 'ID'], rows))
  return exitCodes.ok
}

const columns: Columns<Customer> = {
  id: ({ id }) => id,
  name: ({ name }) => name,
  email: ({ email }) => email,
}

/** `latchkey customers export` */
export async function exportCustomers(context: CommandContext, options: ExportOptions): Promise<number> {
  const { pages } = context.commerce.customers
  return await exportList(context, { name: 'customers', columns, pages }, options)
}
