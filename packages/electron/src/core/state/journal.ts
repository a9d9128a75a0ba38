import type { OfflineProblemCode } from '../../shared/offline-problem.ts'
import type { ClockPort } from '../ports/clock-port.ts'
import type { Logger } from '../ports/logger-port.ts'
import { nameCause, type ProblemCause } from '../problem.ts'

/** Why an operation failed: also for a reason that only an answer to an offline request has. */
export type JournalCause = ProblemCause | { readonly code: OfflineProblemCode; readonly httpStatus?: never }

/** The outcome of one operation. */
export interface JournalEntry {
  /** Wall clock, milliseconds since the epoch. */
  readonly atMs: number
  readonly operation: string
  /** `null` if it succeeded. */
  readonly cause: JournalCause | null
}

/** The latest outcomes, for the support report. */
export interface Journal {
  note(operation: string, cause: JournalCause | null): void
  /** At most ten entries, newest last. */
  entries(): readonly JournalEntry[]
}

const maxEntries = 10

/** Creates an empty journal. A refused access token is logged too, because only the developer can fix it. */
export function createJournal(clock: ClockPort, logger: Logger): Journal {
  let entries: readonly JournalEntry[] = []

  return {
    note(operation, cause) {
      entries = [...entries, { atMs: clock.now(), operation, cause }].slice(-maxEntries)
      if (cause?.code !== 'unauthorized') return
      logger.error(
        `The license service refused this app's request (${operation}): ${nameCause(cause)}. Check the access token or gateway`,
      )
    },
    entries: () => entries,
  }
}
