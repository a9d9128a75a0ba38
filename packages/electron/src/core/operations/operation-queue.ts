/** Runs operations one after the other; the same operation asked for again is the one already under way. */
export interface OperationQueue {
  /**
   * @param name what the operation is and on what. Asked for twice in a row it is one operation; with another one
   * asked for in between it is not, for the other one may undo it.
   * @returns the outcome of the operation, shared by everyone who asked for it.
   */
  run<Outcome>(name: string, operation: () => Promise<Outcome>): Promise<Outcome>
  /** The same for what nobody asked for: it undoes nothing. */
  runInBackground<Outcome>(name: string, operation: () => Promise<Outcome>): Promise<Outcome>
  /** Names of the operations that run or wait, oldest first. */
  names(): readonly string[]
  /** Settles when nothing runs or waits any more. */
  idle(): Promise<void>
}

interface Entry {
  readonly name: string
  readonly isBackground: boolean
  readonly outcome: Promise<unknown>
}

export function createOperationQueue(): OperationQueue {
  let entries: readonly Entry[] = []
  let last: Promise<unknown> = Promise.resolve()

  function enter<Outcome>(
    name: string,
    isBackground: boolean,
    operation: () => Promise<Outcome>,
  ): Promise<Outcome> {
    const newest = entries.findLast((entry) => !entry.isBackground || entry.name === name)
    if (newest?.name === name) return newest.outcome as Promise<Outcome>
    const outcome = last.then(operation, operation).finally(() => {
      entries = entries.filter((other) => other !== entry)
    })
    const entry: Entry = { name, isBackground, outcome }
    entries = [...entries, entry]
    last = outcome
    return outcome
  }

  return {
    run: (name, operation) => enter(name, false, operation),
    runInBackground: (name, operation) => enter(name, true, operation),
    names: () => entries.map((entry) => entry.name),
    async idle() {
      while (entries.length > 0) await last
    },
  }
}
