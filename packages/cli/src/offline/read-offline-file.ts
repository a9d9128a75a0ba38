import { readFile, stat } from 'node:fs/promises'
import { decodeText } from '../input/decode-text.ts'
import { hiddenName, shownFile } from '../printable.ts'
import { UsageError } from '../usage-error.ts'

/** A request or a release code has a few hundred bytes, an email with one in it a few thousand. */
const largestFile = 100_000

/**
 * Reads a file from a computer without internet.
 *
 * @param tooLarge the end of the sentence about a larger file.
 * @throws {UsageError} if it is too large or can't be read. The message doesn't contain a text that was passed in place of
 * the file's name.
 */
export async function readOfflineFile(file: string, tooLarge: string): Promise<string> {
  let isTooLarge: boolean
  let text = ''
  try {
    isTooLarge = (await stat(file)).size > largestFile
    if (!isTooLarge) text = decodeText(await readFile(file))
  } catch {
    throw new UsageError(unreadableText(file))
  }
  if (isTooLarge) throw new UsageError(`${file} ${tooLarge}`)
  return text
}

/** How a request, an answer, or a release code begins. */
const offlineText = /latchkey-(?:request|answer|release)-\d+\.[\w.-]{20}/u

function unreadableText(file: string): string {
  if (offlineText.test(file)) return 'Save the text to a file, and pass the name of the file.'
  const shown = shownFile(file)
  const advice = shown === hiddenName ? 'Pass the name of a file.' : 'Check its path and permissions.'
  return `The file ${shown} cannot be read. ${advice}`
}
