import type { LockPort } from '../ports/lock-port.ts'
import type { Logger } from '../ports/logger-port.ts'
import type { ProblemCause } from '../problem.ts'

/** What the guards need. */
export interface OperationGuardOptions {
  readonly logger: Logger
  readonly lock?: LockPort | undefined
  /** Operations asked for after the end are not begun. */
  readonly isDisposed: () => boolean
  /** Runs before every operation. */
  readonly prepare: () => Promise<void>
}

/** An operation, and what it answers when it fails unexpectedly. */
export type OperationGuard = <Outcome>(
  operation: () => Promise<Outcome>,
  onDefect: (cause: ProblemCause) => Outcome,
) => () => Promise<Outcome>

/** Wrap operations so that they always answer and never run beside those of another process. */
export interface OperationGuards {
  /** Bugs become problems, never rejections. */
  readonly safely: OperationGuard
  /**
   * The same for an operation that takes or frees a seat. It holds the lock, so no other process of this app does so at
   * the same time, and it starts from the record that the one before left on disk.
   */
  readonly alone: OperationGuard
}

/** Makes the guards. */
export function createOperationGuards(options: OperationGuardOptions): OperationGuards {
  const { logger, lock, isDisposed, prepare } = options

  const safely: OperationGuard = (operation, onDefect) => {
    const isTooLate = isDisposed()
    return async () => {
      try {
        if (isTooLate) return onDefect({ code: 'unexpected' })
        await prepare()
        return await operation()
      } catch (error) {
        logger.error(`Licensing failed unexpectedly: ${error instanceof Error ? error.name : typeof error}`)
        return onDefect({ code: 'unexpected' })
      }
    }
  }

  const alone: OperationGuard = (operation, onDefect) => {
    const safe = safely(operation, onDefect)
    return async () => {
      const release = lock === undefined ? null : await lock.acquire()
      try {
        return await safe()
      } finally {
        await release?.()
      }
    }
  }

  return { safely, alone }
}
