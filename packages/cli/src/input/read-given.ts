import type { Terminal } from '../terminal.ts'
import { UsageError } from '../usage-error.ts'
import { readMailText } from './mail-text.ts'

/** The text that was passed to a command, and where it is from. */
export interface GivenText {
  readonly text: string
  /** The subject of a message about it: `The argument` or `Standard input`. */
  readonly place: string
}

/**
 * Returns an argument. For `-`, reads standard input, which keeps a license key out of the shell's history, and may be the
 * source of an email.
 *
 * @throws {UsageError} if there is no text, as from a shell variable that isn't set.
 */
export async function readGiven(argument: string, terminal: Terminal): Promise<GivenText> {
  const given =
    argument === '-'
      ? { text: await readMailText(await terminal.readInput()), place: 'Standard input' }
      : { text: argument, place: 'The argument' }
  if (given.text.trim() === '') throw new UsageError(`${given.place} is empty.`)
  return given
}
