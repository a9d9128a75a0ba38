import { existsSync } from 'node:fs'
import path from 'node:path'
import type { Page, WalkOptions } from '@latchkey/commerce'
import type { CommandContext } from '../command-context.ts'
import { exitCodes } from '../exit-codes.ts'
import { refuseFolder } from '../refuse-folder.ts'
import { isClosedPipe } from '../terminal.ts'
import { UsageError } from '../usage-error.ts'
import { createExportFile, type ExportSink, reopenExportFile } from './export-file.ts'
import { lockExport } from './export-lock.ts'
import { type Columns, type ExportFormat, formatRows, headerOf } from './format-rows.ts'
import { showProgress } from './progress.ts'
import {
  type ExportedList,
  readResumeState,
  removeExport,
  removeResumeState,
  writeResumeState,
} from './resume-state.ts'

/** Options of the `export` commands. */
export interface ExportOptions {
  /** @default what the name of the file says, or CSV */
  readonly format?: ExportFormat
  /** The file to write; `-` is standard output. @default standard output */
  readonly output?: string
  readonly resume?: boolean
  readonly overwrite?: boolean
  readonly fromPage?: number
}

/** A list to export. */
export interface ExportableList<Item> {
  readonly name: ExportedList
  readonly columns: Columns<Item>
  pages(options: WalkOptions): AsyncGenerator<Page<Item>, void, void>
}

interface Destination {
  readonly sink: ExportSink
  readonly firstPage: number
  readonly rows: number
}

/** Exports a list page by page, so that memory use is constant and an interrupted export can be resumed. */
export async function exportList<Item>(
  context: CommandContext,
  list: ExportableList<Item>,
  options: ExportOptions,
): Promise<number> {
  const output = options.output === '-' ? undefined : options.output
  if (output !== undefined) refuseFolder(output, '--output')
  const format = options.format ?? formatOf(output)
  if (context.json && output === undefined) {
    throw new UsageError('--json requires --output. For JSON on standard output, use --format ndjson.')
  }
  const lock = output === undefined ? null : await lockExport(output)
  try {
    return await writeList(context, list, { ...options, format }, output)
  } finally {
    await lock?.release()
  }
}

type FormattedOptions = ExportOptions & { readonly format: ExportFormat }

async function writeList<Item>(
  context: CommandContext,
  list: ExportableList<Item>,
  options: FormattedOptions,
  output: string | undefined,
): Promise<number> {
  const { terminal, baseUrl } = context
  const { format } = options
  const { sink, firstPage, rows: rowsBefore } = await openDestination(context, list.name, options, output)
  const progress = showProgress(terminal)
  let nextPage = firstPage
  let rows = rowsBefore
  let isEmpty = false
  const keepState = async (): Promise<void> => {
    if (output === undefined) return
    const { bytes } = sink
    await writeResumeState(output, { version: 1, list: list.name, baseUrl, format, nextPage, bytes, rows })
  }
  try {
    if (sink.bytes === 0 && firstPage === 1) await sink.write(headerOf(format, list.columns))
    await keepState()
    const pages = list.pages({
      page: firstPage,
      prefetch: true,
      retry: 3,
      signal: terminal.signal,
      onProgress: progress.update,
      onRetry: progress.wait,
    })
    for await (const page of pages) {
      await sink.write(formatRows(format, list.columns, page.data))
      rows += page.data.length
      nextPage += 1
      await keepState()
    }
    // A list may have become shorter before it is resumed.
    if (nextPage === firstPage && firstPage > 1 && options.resume !== true) {
      throw new UsageError(`The list has no page ${firstPage}.`)
    }
    if (output !== undefined) await removeResumeState(output)
  } catch (error) {
    progress.stop()
    // A file that was there before is not ours to remove. It may even be a device.
    const isNew = options.overwrite !== true && options.resume !== true
    isEmpty = nextPage === firstPage && (output === undefined || isNew)
    if (!isClosedPipe(error) && !isEmpty) {
      terminal.err.write(
        output === undefined
          ? `Stopped before page ${nextPage}. Continue with --from-page ${nextPage}.\n`
          : `Stopped after ${rows} ${list.name}. Continue with the same command and --resume.\n`,
      )
    }
    throw error
  } finally {
    progress.stop()
    await sink.close()
    // With nothing to continue, the command can be run again as it is.
    if (isEmpty && output !== undefined) await removeExport(output)
  }
  if (context.json && output !== undefined) return context.printJson({ exported: rows, output })
  terminal.err.write(`Exported ${rows} ${list.name}.\n`)
  return exitCodes.ok
}

/** @throws {UsageError} if the file's name promises another format. */
function formatOf(output = ''): ExportFormat {
  const extension = path.extname(output).toLowerCase()
  if (extension === '.ndjson' || extension === '.jsonl') return 'ndjson'
  if (!['.json', '.xls', '.xlsx', '.ods', '.tsv'].includes(extension)) return 'csv'
  throw new UsageError(
    `An export isn’t written as ${extension}. Let the name of the file end with .csv, which spreadsheets open, or with .ndjson; or pass --format.`,
  )
}

async function openDestination(
  { terminal, baseUrl }: CommandContext,
  list: ExportedList,
  options: FormattedOptions,
  output: string | undefined,
): Promise<Destination> {
  const { format, fromPage } = options
  if (output === undefined) {
    if (options.resume === true) {
      throw new UsageError('--resume requires --output. With a pipe, use --from-page.')
    }
    return { sink: pipeSink(terminal.out), firstPage: fromPage ?? 1, rows: 0 }
  }
  if (options.resume !== true) {
    const sink = await createExportFile(output, options.overwrite === true)
    return { sink, firstPage: fromPage ?? 1, rows: 0 }
  }
  const state = await readResumeState(output)
  if (state === null) {
    throw new UsageError(
      existsSync(output)
        ? `There is nothing to resume: no export to ${output} is unfinished. To export again, pass --overwrite.`
        : `There is nothing to resume for ${output}. Run the command without --resume.`,
    )
  }
  if (state.list !== list || state.format !== format || state.baseUrl !== baseUrl) {
    throw new UsageError(
      `${output} was started as an export of ${state.list}, as ${state.format}, from ${state.baseUrl}. ` +
        'Resume it with the same settings, or start over with --overwrite.',
    )
  }
  return { sink: await reopenExportFile(output, state.bytes), firstPage: state.nextPage, rows: state.rows }
}

function pipeSink(out: { write(text: string): Promise<void> }): ExportSink {
  let bytes = 0
  return {
    async write(text) {
      bytes += Buffer.byteLength(text)
      if (text !== '') await out.write(text)
    },
    get bytes() {
      return bytes
    },
    close: async () => {},
  }
}
