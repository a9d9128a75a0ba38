import { open, rm } from 'node:fs/promises'
import path from 'node:path'
import type { Customer, Discount, Page, WalkOptions } from '@latchkey/commerce'
import { stringify } from 'csv-stringify/sync'
import { CommandError, exitCodes } from '../command-error.ts'
import type { ListContext } from '../settings.ts'
import { isClosedPipe, refuseFolder, systemCodeOf, writeError } from '../terminal.ts'
import { type ListName, readingList } from './lists.ts'

/** Options of the `export` commands. */
export interface ExportOptions {
  /** @default what the name of the file says, or CSV */
  readonly format?: ExportFormat
  /** The file to write; `-` is standard output. @default standard output */
  readonly output?: string
  readonly overwrite?: boolean
  readonly fromPage?: number
}

type ExportFormat = 'csv' | 'ndjson'

/** A list, and the fields of its items that become columns. NDJSON includes all fields. */
interface ExportableList<Item> {
  readonly name: ListName
  readonly columns: readonly (keyof Item & string)[]
  pages(walk: WalkOptions): AsyncGenerator<Page<Item>, void, void>
}

/** `latchkey customers export` */
export function exportCustomers(context: ListContext, options: ExportOptions): Promise<number> {
  const { pages } = context.commerce.customers
  return exportList<Customer>(
    context,
    { name: 'customers', columns: ['id', 'name', 'email'], pages },
    options,
  )
}

/** `latchkey discounts export` */
export function exportDiscounts(context: ListContext, options: ExportOptions): Promise<number> {
  const { pages } = context.commerce.discounts
  // The products don't fit in a cell.
  const columns = [
    'id',
    'code',
    'name',
    'status',
    'published',
    'type',
    'total_formatted',
    'starts_at',
    'ends_at',
    'max_redemptions',
    'duration',
    'duration_in_months',
  ] as const
  return exportList<Discount>(context, { name: 'discounts', columns, pages }, options)
}

/** Exports a list page by page, so that memory use is constant. */
async function exportList<Item>(
  context: ListContext,
  { name, columns, pages }: ExportableList<Item>,
  options: ExportOptions,
): Promise<number> {
  const { terminal } = context
  const output = options.output === '-' ? undefined : options.output
  if (output !== undefined) refuseFolder(output, '--output')
  const format = options.format ?? formatOf(output)
  if (context.options.json && output === undefined) {
    throw new CommandError('--json requires --output. For JSON on standard output, use --format ndjson.')
  }
  const firstPage = options.fromPage ?? 1
  let nextPage = firstPage
  let rows = 0
  const file = output === undefined ? null : await createFile(output, options.overwrite === true)
  const write = async (text: string): Promise<void> => {
    if (file === null || output === undefined) return text === '' ? undefined : terminal.writeData(text)
    await file.writeFile(text).catch((error: unknown) => {
      throw writeError(output, error)
    })
  }
  try {
    await readingList(context, name, async (walk) => {
      if (format === 'csv' && firstPage === 1) await write(`${columns.join(',')}\n`)
      for await (const { data } of pages({ ...walk, page: firstPage })) {
        await write(formatRows(format, columns, data))
        rows += data.length
        nextPage += 1
      }
    })
    if (nextPage === firstPage && firstPage > 1) throw new CommandError(`The list has no page ${firstPage}.`)
  } catch (error) {
    const isEmpty = nextPage === firstPage
    // With nothing to continue, the command can be run again as it is. A replaced file may even be a device.
    if (isEmpty && output !== undefined && options.overwrite !== true) await rm(output, { force: true })
    if (!isEmpty && !isClosedPipe(error)) {
      const more = output === undefined ? '' : ' and another --output'
      terminal.tell(`Stopped before page ${nextPage}. Continue with --from-page ${nextPage}${more}.\n`)
    }
    throw error
  } finally {
    await file?.close()
  }
  if (context.options.json) await terminal.writeJson({ exported: rows, output })
  else terminal.tell(`Exported ${rows} ${name}.\n`)
  return exitCodes.ok
}

/** @throws {CommandError} if the file's name promises another format. */
function formatOf(output = ''): ExportFormat {
  const extension = path.extname(output).toLowerCase()
  if (extension === '.ndjson' || extension === '.jsonl') return 'ndjson'
  if (!['.json', '.xls', '.xlsx', '.ods', '.tsv'].includes(extension)) return 'csv'
  throw new CommandError(
    `An export isn’t written as ${extension}. Let the name of the file end with .csv, which spreadsheets open, or with .ndjson; or pass --format.`,
  )
}

/** Creates a file that only its owner can read. @throws {CommandError} if it exists and may not be replaced. */
async function createFile(output: string, mayReplace: boolean): ReturnType<typeof open> {
  try {
    const file = await open(output, mayReplace ? 'w' : 'wx', 0o600)
    // An existing file would keep its mode, which may let others read it.
    if (mayReplace) await file.chmod(0o600)
    return file
  } catch (error) {
    if (systemCodeOf(error) !== 'EEXIST') throw writeError(output, error)
    throw new CommandError(`${output} already exists. To replace it, pass --overwrite.`)
  }
}

/** Formats one page of items. Spreadsheets run cells that start with `=`, so CSV escapes them. */
function formatRows<Item>(
  format: ExportFormat,
  columns: readonly (keyof Item & string)[],
  items: readonly Item[],
): string {
  if (format === 'ndjson') return items.map((item) => `${JSON.stringify(item)}\n`).join('')
  const rows = items.map((item) => columns.map((column) => item[column]))
  return stringify(rows, { escape_formulas: true, cast: { boolean: String } })
}
