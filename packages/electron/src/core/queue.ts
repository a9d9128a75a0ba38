/** An operation, and the license or device it works on. Two operations with equal keys are the same one. */
export interface OperationKey {
  readonly kind: 'activate' | 'cancel' | 'deactivate' | 'release' | 'settle' | 'check' | 'devices'
  /** The license key or the id of the device, if the operation needs one. */
  readonly subject?: string | null
}

/** Runs operations one after the other. A repeated request shares the operation that is already running or queued. */
export interface OperationQueue {
  /**
   * Runs an operation. Two requests in a row with the same key share one run. If another operation was requested in
   * between, they don't, because that one may undo the first.
   *
   * @returns the outcome of the operation, shared by all callers.
   */
  run<Outcome>(key: OperationKey, operation: () => Promise<Outcome>): Promise<Outcome>
  /** The running and queued operations, oldest first. */
  keys(): readonly OperationKey[]
  /** Resolves when nothing is running or queued. */
  idle(): Promise<void>
}

interface Entry {
  readonly key: OperationKey
  readonly outcome: Promise<unknown>
}

/** Creates an empty queue. */
export function createOperationQueue(): OperationQueue {
  let entries: readonly Entry[] = []
  let last: Promise<unknown> = Promise.resolve()

  return {
    run<Outcome>(key: OperationKey, operation: () => Promise<Outcome>) {
      const newest = entries.at(-1)
      if (newest !== undefined && isSameOperation(newest.key, key)) return newest.outcome as Promise<Outcome>
      const outcome = last.then(operation, operation).finally(() => {
        entries = entries.filter((other) => other !== entry)
      })
      const entry: Entry = { key, outcome }
      entries = [...entries, entry]
      last = outcome
      return outcome
    },
    keys: () => entries.map((entry) => entry.key),
    async idle() {
      while (entries.length > 0) await last
    },
  }
}

/** Whether two keys name the same operation on the same subject. */
export function isSameOperation(one: OperationKey, other: OperationKey): boolean {
  return one.kind === other.kind && (one.subject ?? null) === (other.subject ?? null)
}
