import type { CommerceClient } from '@latchkey/commerce'
import type { Connection } from './connection.ts'
import type { Terminal } from './terminal.ts'

/** The context of a command. */
export interface CommandContext extends Connection {
  readonly commerce: CommerceClient
  readonly terminal: Terminal
  /** Whether `--json` was given. */
  readonly json: boolean
  /** Prints one JSON document and returns the exit code. @default 0 */
  printJson(value: unknown, exitCode?: number): Promise<number>
}
