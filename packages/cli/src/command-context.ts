import type { CommerceClient } from '@latchkey/commerce'
import type { Connection } from './connection.ts'
import type { Terminal } from './terminal.ts'

/** What a command works with. */
export interface CommandContext extends Connection {
  readonly commerce: CommerceClient
  readonly terminal: Terminal
  /** Whether `--json` was asked for. */
  readonly json: boolean
  /** Prints one JSON document and gives the exit code back, 0 unless said otherwise. */
  printJson(value: unknown, exitCode?: number): Promise<number>
}
