import { readFileSync, statSync } from 'node:fs'
import type { StoredDocument } from '../../core/ports.ts'

/** A record is a few kilobytes. A larger file wasn't written by Latchkey. */
const maxFileBytes = 1024 * 1024

/** Reads a JSON file synchronously. Never throws: if it can't be read, the result is a fault. */
export function readStoredFile(file: string): StoredDocument {
  try {
    const stats = statSync(file, { throwIfNoEntry: false })
    if (stats === undefined) return { found: 'nothing' }
    // Reading a pipe or a device in its place would block forever.
    if (!stats.isFile() || stats.size > maxFileBytes) return unreadable
    const text = readFileSync(file, 'utf8')
    if (text.trim() === '') return { found: 'fault', fault: 'empty' }
    return { found: 'document', document: JSON.parse(text) }
  } catch (error) {
    // If the folder is actually a file, no record can exist below it.
    const code = errorCode(error)
    if (code === 'ENOTDIR') return { found: 'nothing' }
    // Only a file that was read can be damaged. A virus scanner or a backup will release it soon.
    return code === '' ? unreadable : { found: 'fault', fault: 'out-of-reach' }
  }
}

const unreadable: StoredDocument = { found: 'fault', fault: 'unreadable' }

/** Returns the system's code of a failed file operation, such as `ENOSPC`; an empty string if there is none. */
export function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}

const fullDiskCodes: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT'])

/** Whether a file operation failed because there is no space left. */
export function isDiskFull(error: unknown): boolean {
  return fullDiskCodes.has(errorCode(error))
}
