import { existsSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { shownFile } from '../printable.ts'
import { UsageError } from '../usage-error.ts'
import { fileWriteError } from '../write-error.ts'
import { resumePath } from './resume-state.ts'

/** The destination of an export: a file that can be truncated to its last complete page, or standard output. */
export interface ExportSink {
  write(text: string): Promise<void>
  /** Bytes written so far, including earlier runs. */
  readonly bytes: number
  close(): Promise<void>
}

/** Creates a file. @throws {UsageError} if it exists and may not be overwritten. */
export async function createExportFile(path: string, mayOverwrite: boolean): Promise<ExportSink> {
  try {
    const file = await open(path, mayOverwrite ? 'w' : 'wx', 0o600)
    // An existing file would keep its mode, which may let others read it.
    if (mayOverwrite) await file.chmod(0o600)
    return sinkOf(path, file, 0)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') {
      const advice = existsSync(resumePath(path)) ? 'Pass --resume to continue it, or' : 'To replace it, pass'
      throw new UsageError(`${path} already exists. ${advice} --overwrite.`)
    }
    throw fileWriteError(path, error)
  }
}

/** Opens the file of an interrupted export, and truncates it to its last complete page. */
export async function reopenExportFile(path: string, bytes: number): Promise<ExportSink> {
  try {
    const file = await open(path, 'r+')
    const { size } = await file.stat()
    if (size < bytes) {
      await file.close()
      throw new UsageError(`${path} is shorter than when the export stopped. Start over with --overwrite.`)
    }
    await file.truncate(bytes)
    return sinkOf(path, file, bytes)
  } catch (error) {
    if (error instanceof UsageError) throw error
    throw new UsageError(`${shownFile(path)} cannot be opened. Start over with --overwrite.`)
  }
}

function sinkOf(path: string, file: Awaited<ReturnType<typeof open>>, offset: number): ExportSink {
  let bytes = offset
  return {
    async write(text) {
      const chunk = Buffer.from(text)
      // On a nearly full disk, a write may take only the first part.
      for (let written = 0; written < chunk.byteLength; ) {
        try {
          const left = chunk.byteLength - written
          written += (await file.write(chunk, written, left, bytes + written)).bytesWritten
        } catch (error) {
          throw fileWriteError(path, error)
        }
      }
      bytes += chunk.byteLength
    },
    get bytes() {
      return bytes
    },
    close: () => file.close(),
  }
}
