import { readFile, stat } from 'node:fs/promises'
import { UsageError } from '../usage-error.ts'

/** A request or a release code has a few hundred bytes, an email with one in it a few thousand. */
const largestFile = 100_000

/**
 * Reads a file from a computer without internet.
 *
 * @param tooLarge the end of the sentence about a larger file.
 * @throws {UsageError} if it is too large or can't be read.
 */
export async function readOfflineFile(file: string, tooLarge: string): Promise<string> {
  let isTooLarge: boolean
  let text = ''
  try {
    isTooLarge = (await stat(file)).size > largestFile
    if (!isTooLarge) text = await readFile(file, 'utf8')
  } catch {
    throw new UsageError(`The file ${file} cannot be read. Check its path and permissions.`)
  }
  if (isTooLarge) throw new UsageError(`${file} ${tooLarge}`)
  return text
}
