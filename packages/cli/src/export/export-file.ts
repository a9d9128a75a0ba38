import { open } from 'node:fs/promises'
import { UsageError } from '../usage-error.ts'

/** Where an export goes: a file that can be cut back to its last whole page, or standard output. */
export interface ExportSink {
  write(text: string): Promise<void>
  /** Bytes written so far, those of earlier runs included. */
  readonly bytes: number
  close(): Promise<void>
}

/** Opens a new file; @throws {UsageError} when one is there already and may not be overwritten. */
export async function createExportFile(path: string, mayOverwrite: boolean): Promise<ExportSink> {
  try {
    const file = await open(path, mayOverwrite ? 'w' : 'wx', 0o600)
    // A file that was there keeps its own mode, which others may read.
    if (mayOverwrite) await file.chmod(0o600)
    return sinkOf(file, 0)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') {
      throw new UsageError(`${path} is there already. Pass --resume to go on with it, or --overwrite.`)
    }
    throw new UsageError(`${path} cannot be written. Check the folder and its permissions.`)
  }
}

/** Opens the file of an export that was stopped, and cuts off what lies behind the last whole page. */
export async function reopenExportFile(path: string, bytes: number): Promise<ExportSink> {
  try {
    const file = await open(path, 'r+')
    const { size } = await file.stat()
    if (size < bytes) {
      await file.close()
      throw new UsageError(`${path} is shorter than when the export stopped. Start anew with --overwrite.`)
    }
    await file.truncate(bytes)
    return sinkOf(file, bytes)
  } catch (error) {
    if (error instanceof UsageError) throw error
    throw new UsageError(`${path} cannot be opened. Start anew with --overwrite.`)
  }
}

function sinkOf(file: Awaited<ReturnType<typeof open>>, offset: number): ExportSink {
  let bytes = offset
  return {
    async write(text) {
      const chunk = Buffer.from(text)
      await file.write(chunk, 0, chunk.byteLength, bytes)
      bytes += chunk.byteLength
    },
    get bytes() {
      return bytes
    },
    close: () => file.close(),
  }
}
