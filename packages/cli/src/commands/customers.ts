import type { CommandContext } from '../command-context.ts'
import { exitCodes } from '../exit-codes.ts'
import { createExportFile, type ExportSink, reopenExportFile } from '../export/export-file.ts'
import { type ExportFormat, formatRows, headerOf } from '../export/format-rows.ts'
import { showProgress } from '../export/progress.ts'
import { readResumeState, removeResumeState, writeResumeState } from '../export/resume-state.ts'
import { table } from '../printable.ts'
import { UsageError } from '../usage-error.ts'

/** `latchkey customers list` */
export async function listCustomers(
  context: CommandContext,
  options: { readonly page?: number },
): Promise<number> {
  const { commerce, terminal } = context
  const page = await commerce.customers.list({ page: options.page, signal: terminal.signal })
  if (context.json) return context.printJson(page)
  terminal.err.write(
    `Page ${page.meta.current_page} of ${page.meta.last_page}, ${page.meta.total} customers.\n`,
  )
  const rows = page.data.map(({ name, email, id }) => [name, email, id])
  await terminal.out.write(table(['NAME', 'EMAIL', 'ID'], rows))
  return exitCodes.ok
}

/** What `customers export` takes. */
export interface ExportOptions {
  readonly format: ExportFormat
  readonly output?: string
  readonly resume?: boolean
  readonly overwrite?: boolean
  readonly fromPage?: number
}

interface Destination {
  readonly sink: ExportSink
  readonly firstPage: number
  readonly rows: number
}

/** `latchkey customers export`: page by page, so that any number fits and a stopped one can go on. */
export async function exportCustomers(context: CommandContext, options: ExportOptions): Promise<number> {
  const { commerce, terminal, baseUrl } = context
  const { format, output } = options
  const { sink, firstPage, rows: rowsBefore } = await openDestination(context, options)
  const progress = showProgress(terminal)
  let nextPage = firstPage
  let rows = rowsBefore
  const keepState = async (): Promise<void> => {
    if (output === undefined) return
    await writeResumeState(output, { version: 1, baseUrl, format, nextPage, bytes: sink.bytes, rows })
  }
  try {
    if (sink.bytes === 0 && firstPage === 1) await sink.write(headerOf(format))
    await keepState()
    const pages = commerce.customers.pages({
      page: firstPage,
      prefetch: true,
      retry: 3,
      signal: terminal.signal,
      onProgress: progress.update,
    })
    for await (const page of pages) {
      await sink.write(formatRows(format, page.data))
      rows += page.data.length
      nextPage += 1
      await keepState()
    }
    if (output !== undefined) await removeResumeState(output)
  } catch (error) {
    progress.stop()
    terminal.err.write(
      output === undefined
        ? `Stopped before page ${nextPage}. Go on with --from-page ${nextPage}.\n`
        : `Stopped after ${rows} customers. Go on with the same command and --resume.\n`,
    )
    throw error
  } finally {
    progress.stop()
    await sink.close()
  }
  if (context.json && output !== undefined) return context.printJson({ exported: rows, output })
  terminal.err.write(`Exported ${rows} customers.\n`)
  return exitCodes.ok
}

async function openDestination(
  { terminal, baseUrl }: CommandContext,
  options: ExportOptions,
): Promise<Destination> {
  const { format, output, fromPage } = options
  if (output === undefined) {
    if (options.resume === true)
      throw new UsageError('--resume goes with --output; use --from-page with a pipe.')
    let bytes = 0
    const sink: ExportSink = {
      async write(text) {
        bytes += Buffer.byteLength(text)
        if (text !== '') await terminal.out.write(text)
      },
      get bytes() {
        return bytes
      },
      close: async () => {},
    }
    return { sink, firstPage: fromPage ?? 1, rows: 0 }
  }
  const state = options.resume === true ? await readResumeState(output) : null
  if (options.resume === true && state === null) {
    throw new UsageError(`There is nothing to resume for ${output}. Leave --resume out to start.`)
  }
  if (state === null) {
    return {
      sink: await createExportFile(output, options.overwrite === true),
      firstPage: fromPage ?? 1,
      rows: 0,
    }
  }
  if (state.format !== format || state.baseUrl !== baseUrl) {
    throw new UsageError(
      `${output} was begun as ${state.format} from another service or format. Use the same again.`,
    )
  }
  return { sink: await reopenExportFile(output, state.bytes), firstPage: state.nextPage, rows: state.rows }
}
