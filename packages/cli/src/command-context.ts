import type { CommerceClient } from '@latchkey/commerce'
import type { Connection, GlobalOptions } from './connection.ts'
import { exitCodes } from './exit-codes.ts'
import type { Terminal } from './terminal.ts'

/** Where a command writes its result. */
export interface CommandOutput {
  readonly terminal: Terminal
  /** Whether `--json` was given. */
  readonly json: boolean
  /** Prints one JSON document and returns the exit code. @default 0 */
  printJson(value: unknown, exitCode?: number): Promise<number>
}

/** The context of a command. */
export interface CommandContext extends Connection, CommandOutput {
  readonly commerce: CommerceClient
}

export function outputOf({ json }: GlobalOptions, terminal: Terminal): CommandOutput {
  return {
    terminal,
    json: json === true,
    async printJson(value, exitCode = exitCodes.ok) {
      await terminal.out.write(`${JSON.stringify(value, null, 2)}\n`)
      return exitCode
    },
  }
}
