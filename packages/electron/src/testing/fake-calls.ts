/** One call of a method of a fake. */
export interface FakeCall {
  /** The method's name, such as `activate`; `quit` for the app's end by a gate. */
  readonly method: string
  /** Its arguments. */
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
