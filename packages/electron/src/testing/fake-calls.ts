/** One call of a method of a fake. */
export interface FakeCall {
  readonly method: string
  readonly args: readonly unknown[]
}

/** The calls of a fake so far, and a function to add one. */
export interface FakeCalls {
  readonly calls: readonly FakeCall[]
  note(method: string, ...args: readonly unknown[]): void
}

export function createFakeCalls(): FakeCalls {
  const calls: FakeCall[] = []
  return { calls, note: (method, ...args) => void calls.push({ method, args }) }
}
