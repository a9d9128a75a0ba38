import { type LockOutcome, type LockPort, withLock } from '../ports/lock-port.ts'
import type { Logger } from '../ports/logger-port.ts'
import type { ProblemCause } from '../problem.ts'

/** What the guards need. */
export interface OperationGuardOptions {
  readonly logger: Logger
  readonly lock?: LockPort | undefined
  readonly onLock: (kind: LockOutcome['kind']) => void
  /** Returns `true` once the app is quitting. No operation starts after that. */
  readonly isDisposed: () => boolean
  /** Runs before every operation. */
  readonly prepare: () => Promise<void>
}

/** Runs an operation. `fallback` gives its result if it fails unexpectedly. */
export type OperationGuard = <Outcome>(
  operation: () => Promise<Outcome>,
  onDefect: (cause: ProblemCause) => Outcome,
) => () => Promise<Outcome>

/** Wrappers that make operations always return a result and never run at the same time as another process's. */
export interface OperationGuards {
  /** Bugs become problems, never rejections. */
  readonly safely: OperationGuard
  /**
   * Does the same for an operation that takes or frees a seat. It holds the lock, so no other process of this app can
   * do so at the same time, and it starts from the latest record on disk.
   */
  readonly alone: OperationGuard
}

/** Creates the guards. */
export function createOperationGuards(options: OperationGuardOptions): OperationGuards {
  const { logger, lock, onLock, isDisposed, prepare } = options

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
    return () => withLock(lock, onLock, safe)
  }

  return { safely, alone }
}

/** The result of an operation that only returns why it failed, if that is a bug. */
export function causeOfDefect(cause: ProblemCause): ProblemCause {
  return cause
}
