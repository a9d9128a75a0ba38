/** A note that waits to be written. */
export interface Draft {
  readonly name: string
  readonly text: string
}

/** Keeps what was typed until it is on disk, and writes it once typing pauses. */
export interface Autosave {
  /** Replaces what waits of this note and starts the pause anew. */
  schedule(draft: Draft): void
  /** Writes what waits now. Settles when everything scheduled so far is on disk, or could not be written. */
  flush(): Promise<void>
  /** Writes what waits, then runs the task; nothing more is written until it settles, so it may move notes. */
  before<Value>(task: () => Promise<Value>): Promise<Value>
  /** Texts by the names of their notes that are not known to be on disk. One that cannot be written stays. */
  readonly unsaved: ReadonlyMap<string, string>
  /** Writes this note no more. */
  forget(name: string): void
}

/** @param write writes a draft and never rejects; whether it is on disk. */
export function createAutosave(write: (draft: Draft) => Promise<boolean>, pauseMs = 400): Autosave {
  const unsaved = new Map<string, string>()
  let timer: ReturnType<typeof setTimeout> | undefined
  let turn: Promise<unknown> = Promise.resolve()

  const writeAll = async () => {
    for (const [name, text] of [...unsaved]) {
      const isWritten = await write({ name, text })
      // What was typed while it was written waits for its own turn.
      if (isWritten && unsaved.get(name) === text) unsaved.delete(name)
    }
  }
  // One after the other, so that an older text never lands on a newer one.
  const inTurn = <Value>(task: () => Promise<Value>): Promise<Value> => {
    const done = turn.then(task)
    turn = done.catch(() => {})
    return done
  }
  const flush = () => {
    clearTimeout(timer)
    return inTurn(writeAll)
  }
  return {
    schedule({ name, text }) {
      unsaved.set(name, text)
      clearTimeout(timer)
      timer = setTimeout(() => void flush(), pauseMs)
    },
    flush,
    async before(task) {
      void flush()
      return await inTurn(task)
    },
    unsaved,
    forget(name) {
      unsaved.delete(name)
    },
  }
}
