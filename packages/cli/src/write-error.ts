import { shownFile } from './printable.ts'
import { UsageError } from './usage-error.ts'

/** Explanations of system error codes. */
const reasons: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'your share of the disk is full',
  EFBIG: 'a file may not be this large there',
  EROFS: 'the disk is read-only',
  ENOENT: 'there is no such folder',
  ENOTDIR: 'there is no such folder',
  EACCES: 'its permissions forbid it',
  EPERM: 'its permissions forbid it',
}

/** The error for a file that can't be written. */
export function fileWriteError(file: string, error: unknown): UsageError {
  return new UsageError(`${shownFile(file)} cannot be written: ${reasonOf(error)}.`)
}

/** The error for output that can't be written, as into a file on a full disk. */
export function outputWriteError(error: unknown): UsageError {
  return new UsageError(`Standard output cannot be written: ${reasonOf(error)}.`)
}

function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null
  if (code === null) return 'the reason is unknown'
  return Object.hasOwn(reasons, code) ? `${reasons[code]} (${code})` : code
}
