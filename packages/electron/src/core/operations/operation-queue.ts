/** What an operation is, and on which license or device it works. Two operations with equal keys are the same one. */
export interface OperationKey {
  readonly kind: 'activate' | 'deactivate' | 'release' | 'settle' | 'check' | 'devices'
  /** The license key or the id of the device, where the kind alone does not say it. */
  readonly subject?: string | null
}

/** Runs operations one after the other. The same operation asked for again is the one that already runs or waits. */
export interface OperationQueue {
  /**
   * Asked for twice in a row it is one operation. With another one asked for in between it is not, since that one may
   * undo it.
   *
   * @returns the outcome of the operation, shared by all callers.
   */
  run<Outcome>(key: OperationKey, operation: () => Promise<Outcome>): Promise<Outcome>
  /** The same for an operation that no person asked for: it undoes nothing. */
  runInBackground<Outcome>(key: OperationKey, operation: () => Promise<Outcome>): Promise<Outcome>
  /** The operations that run or wait, oldest first. */
  keys(): readonly OperationKey[]
  /** Resolves when nothing runs or waits any more. */
  idle(): Promise<void>
}

interface Entry {
  readonly key: OperationKey
  readonly isBackground: boolean
  readonly outcome: Promise<unknown>
}

/** Makes an empty queue. */
export function createOperationQueue(): OperationQueue {
  let entries: readonly Entry[] = []
  let last: Promise<unknown> = Promise.resolve()

  function enter<Outcome>(
    key: OperationKey,
    isBackground: boolean,
    operation: () => Promise<Outcome>,
  ): Promise<Outcome> {
    const newest = entries.findLast((entry) => !entry.isBackground || isSameOperation(entry.key, key))
    if (newest !== undefined && isSameOperation(newest.key, key)) return newest.outcome as Promise<Outcome>
    const outcome = last.then(operation, operation).finally(() => {
      entries = entries.filter((other) => other !== entry)
    })
    const entry: Entry = { key, isBackground, outcome }
    entries = [...entries, entry]
    last = outcome
    return outcome
  }

  return {
    run: (key, operation) => enter(key, false, operation),
    runInBackground: (key, operation) => enter(key, true, operation),
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
