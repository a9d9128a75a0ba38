/** Runs operations one after the other; the same operation asked for again is the one already under way. */
export interface OperationLane {
  /**
   * @param name what the operation is and on what: two with the same name are one.
   * @returns the outcome of the operation, shared by everyone who asked for it.
   */
  run<Outcome>(name: string, operation: () => Promise<Outcome>): Promise<Outcome>
  /** Names of the operations that run or wait, oldest first. */
  names(): readonly string[]
  /** Settles when nothing runs or waits any more. */
  idle(): Promise<void>
}

export function createOperationLane(): OperationLane {
  const underWay = new Map<string, Promise<unknown>>()
  let last: Promise<unknown> = Promise.resolve()

  return {
    async run<Outcome>(name: string, operation: () => Promise<Outcome>): Promise<Outcome> {
      const same = underWay.get(name) as Promise<Outcome> | undefined
      if (same !== undefined) return same
      const outcome = last.then(operation, operation).finally(() => underWay.delete(name))
      underWay.set(name, outcome)
      last = outcome
      return outcome
    },
    names: () => [...underWay.keys()],
    idle: () =>
      last.then(
        () => undefined,
        () => undefined,
      ),
  }
}
