import type { Terminal } from '../terminal.ts'

/** The text that was passed to a command, and where it is from. */
export interface GivenText {
  readonly text: string
  /** The subject of a message about it: `The argument` or `Standard input`. */
  readonly place: string
}

/** Returns an argument. For `-`, reads standard input, which keeps a license key out of the shell's history. */
export async function readGiven(argument: string, terminal: Terminal): Promise<GivenText> {
  return argument === '-'
    ? { text: await terminal.readInput(), place: 'Standard input' }
    : { text: argument, place: 'The argument' }
}
