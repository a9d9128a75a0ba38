import type { Terminal } from '../terminal.ts'
import { UsageError } from '../usage-error.ts'
import { readOfflineFile } from './read-offline-file.ts'

/** Longest text, in UTF-16 units, like that of a file. */
const longestText = 100_000

/** A text from a computer without internet. */
export interface OfflineText {
  readonly text: string
  /** The subject of a message about it: the file's name or `Standard input`. */
  readonly place: string
}

/**
 * Reads a file from a computer without internet. `-` reads standard input.
 *
 * @param tooLarge the end of the sentence about a longer text.
 * @throws {UsageError} if it is too long or can't be read.
 */
export async function readOfflineText(
  file: string,
  terminal: Terminal,
  tooLarge: string,
): Promise<OfflineText> {
  if (file !== '-') return { text: await readOfflineFile(file, tooLarge), place: file }
  const text = await terminal.readInput()
  if (text.length > longestText) throw new UsageError(`Standard input ${tooLarge}`)
  return { text, place: 'Standard input' }
}
