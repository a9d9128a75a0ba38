/** A note that is waiting to be written. */
export interface Draft {
  readonly name: string
  readonly text: string
}

/** Keeps typed text until it is on disk. Writes it once typing pauses. */
export interface Autosave {
  /** Replaces the pending text of this note and restarts the pause. */
  schedule(draft: Draft): void
  /** Writes the pending texts now. Settles when everything so far is written or has failed. */
  flush(): Promise<void>
  /** Writes the pending texts, then runs the task. Nothing else is written until it settles, so it may move notes. */
  before<Value>(task: () => Promise<Value>): Promise<Value>
  /** Texts that may not be on disk, by the names of their notes. A text that can't be written stays here. */
  readonly unsaved: ReadonlyMap<string, string>
  /** Stops writing this note. */
  forget(name: string): void
}

/** @param write writes a draft and returns whether it is on disk; never rejects. */
export function createAutosave(write: (draft: Draft) => Promise<boolean>, pauseMs = 400): Autosave {
  const unsaved = new Map<string, string>()
  let timer: ReturnType<typeof setTimeout> | undefined
  let turn: Promise<unknown> = Promise.resolve()

  const writeAll = async () => {
    for (const [name, text] of [...unsaved]) {
      const isWritten = await write({ name, text })
      // Text typed during the write is written next.
      if (isWritten && unsaved.get(name) === text) unsaved.delete(name)
    }
  }
  // Writes run one after the other, so that an older text never replaces a newer one.
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
