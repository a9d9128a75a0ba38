import { type FileHandle, open } from 'node:fs/promises'
import path from 'node:path'
import { stringify } from 'csv-stringify/sync'
import { CommandError, exitCodes } from '../command-error.ts'
import type { ListContext } from '../settings.ts'
import { isClosedPipe, systemCodeOf, writeError } from '../terminal.ts'
import { type ListName, readingList } from './lists.ts'

/** Options of the `export` commands. */
export interface ExportOptions {
  /** @default what the name of the file says, or CSV */
  readonly format?: 'csv' | 'ndjson'
  /** The file to write; `-` is standard output. @default standard output */
  readonly output?: string
  readonly overwrite?: boolean
  readonly fromPage?: number
}

/** The fields that become columns. NDJSON has all of them, too those that don't fit in a cell. */
const columnsOf: Readonly<Record<ListName, string>> = {
  customers: 'id,name,email',
  discounts:
    'id,code,name,status,published,type,total_formatted,starts_at,ends_at,max_redemptions,duration,duration_in_months',
}

/** `latchkey customers export` and `latchkey discounts export`: page by page, so that memory use is constant. */
export async function exportList(
  context: ListContext,
  name: ListName,
  { fromPage = 1, overwrite = false, ...options }: ExportOptions,
): Promise<number> {
  const { terminal, lists } = context
  const output = options.output === '-' ? undefined : options.output
  const format = options.format ?? formatOf(output)
  if (context.options.json && output === undefined) {
    throw new CommandError('--json requires --output. For JSON on standard output, use --format ndjson.')
  }
  const columns = columnsOf[name].split(',')
  let file: FileHandle | null = null
  let nextPage = fromPage
  let exported = 0
  const write = async (text: string): Promise<void> => {
    if (output === undefined) return text === '' ? undefined : terminal.writeData(text)
    // Only now, so that nothing is left behind if the service doesn't answer.
    file ??= await createFile(output, overwrite)
    await file.writeFile(text).catch((error: unknown) => {
      throw writeError(output, error)
    })
  }
  try {
    await readingList(context, name, async (walk) => {
      for await (const { data } of lists[name].pages({ ...walk, page: fromPage })) {
        const heading = format === 'csv' && nextPage === 1 ? `${columnsOf[name]}\n` : ''
        const rows = format === 'csv' ? csvOf(data, columns) : data.map((item) => `${JSON.stringify(item)}\n`)
        await write(heading + [rows].flat().join(''))
        exported += data.length
        nextPage += 1
      }
    })
    // An empty list is an export of nothing, with its heading.
    if (nextPage === 1) await write(format === 'csv' ? `${columnsOf[name]}\n` : '')
  } catch (error) {
    if (nextPage > fromPage && !isClosedPipe(error)) {
      const more = output === undefined ? '' : ' and another --output'
      terminal.tell(`Stopped before page ${nextPage}. Continue with --from-page ${nextPage}${more}.`)
    }
    throw error
  } finally {
    // TypeScript doesn't see that `write` opens it.
    await (file as FileHandle | null)?.close()
  }
  if (nextPage === fromPage && fromPage > 1) throw new CommandError(`The list has no page ${fromPage}.`)
  if (context.options.json) await terminal.writeJson({ exported, output })
  else terminal.tell(`Exported ${exported} ${name}.`)
  return exitCodes.ok
}

/** Spreadsheets run cells that start with `=`, so they are escaped. */
function csvOf(items: readonly object[], columns: readonly string[]): string {
  const rows = items.map((item) => columns.map((column): unknown => Reflect.get(item, column)))
  return stringify(rows, { escape_formulas: true, cast: { boolean: String } })
}

/** @throws {CommandError} if the file's name promises another format. */
function formatOf(output = ''): 'csv' | 'ndjson' {
  const extension = path.extname(output).toLowerCase()
  if (extension === '.ndjson' || extension === '.jsonl') return 'ndjson'
  if (!['.json', '.xls', '.xlsx', '.ods', '.tsv'].includes(extension)) return 'csv'
  throw new CommandError(
    `An export isn’t written as ${extension}. Let the name of the file end with .csv, which spreadsheets open, or with .ndjson; or pass --format.`,
  )
}

/** Creates a file that only its owner can read. @throws {CommandError} if it exists and may not be replaced. */
async function createFile(output: string, mayReplace: boolean): Promise<FileHandle> {
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
