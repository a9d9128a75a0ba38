import { type Discount, isDiscountOpen } from '@latchkey/commerce'
import type { CommandContext } from '../command-context.ts'
import { exitCodes } from '../exit-codes.ts'
import type { Columns } from '../export/format-rows.ts'
import { type ExportOptions, exportList } from '../export/list-export.ts'
import { showProgress } from '../export/progress.ts'
import { table } from '../printable.ts'
import { refuseMissingPage } from './refuse-missing-page.ts'

/** `latchkey discounts list` */
export async function listDiscounts(
  context: CommandContext,
  options: { readonly page?: number; readonly all?: boolean },
): Promise<number> {
  const { commerce, terminal } = context
  const { signal } = terminal
  const discounts: Discount[] = []
  if (options.all === true) {
    const { wait: onRetry } = showProgress(terminal)
    for await (const discount of commerce.discounts.all({ signal, retry: 3, onRetry }))
      discounts.push(discount)
    if (context.json) return context.printJson({ data: discounts })
  } else {
    const page = await commerce.discounts.list({ page: options.page, signal })
    refuseMissingPage(page)
    if (context.json) return context.printJson(page)
    discounts.push(...page.data)
    terminal.err.write(
      `Page ${page.meta.current_page} of ${page.meta.last_page}, ${page.meta.total} discounts.\n`,
    )
  }
  await terminal.out.write(
    table(['CODE', 'NAME', 'OFF', 'OPEN', 'STATUS', 'FROM', 'UNTIL'], discounts.map(row)),
  )
  return exitCodes.ok
}

function row(discount: Discount): readonly string[] {
  const isOpen = isDiscountOpen(discount, Date.now())
  return [
    discount.code,
    discount.name,
    discount.total_formatted,
    isOpen === null ? '?' : isOpen ? 'yes' : 'no',
    discount.status,
    discount.starts_at ?? '-',
    discount.ends_at ?? '-',
  ]
}

/** CSV omits the products, which don't fit in a cell. NDJSON includes them. */
const columns: Columns<Discount> = {
  id: ({ id }) => id,
  code: ({ code }) => code,
  name: ({ name }) => name,
  status: ({ status }) => status,
  published: ({ published }) => published,
  type: ({ type }) => type,
  total_formatted: ({ total_formatted }) => total_formatted,
  starts_at: ({ starts_at }) => starts_at,
  ends_at: ({ ends_at }) => ends_at,
  max_redemptions: ({ max_redemptions }) => max_redemptions,
  duration: ({ duration }) => duration,
  duration_in_months: ({ duration_in_months }) => duration_in_months,
}

/** `latchkey discounts export` */
export async function exportDiscounts(context: CommandContext, options: ExportOptions): Promise<number> {
  const { pages } = context.commerce.discounts
  return await exportList(context, { name: 'discounts', columns, pages }, options)
}
