import { statSync } from 'node:fs'
import { shownFile } from './printable.ts'
import { UsageError } from './usage-error.ts'

/**
 * Refuses a folder in place of a file to write.
 *
 * @param option the option that names the file, such as `--output`.
 * @param after a sentence to add.
 * @throws {UsageError}
 */
export function refuseFolder(file: string, option: string, after?: string): void {
  if (!file.endsWith('/') && !isFolder(file)) return
  const why = `${shownFile(file)} names a folder. Add the name of a file to ${option}.`
  throw new UsageError(after === undefined ? why : `${why} ${after}`)
}

function isFolder(file: string): boolean {
  try {
    return statSync(file).isDirectory()
  } catch {
    // Writing it says why.
    return false
  }
}
