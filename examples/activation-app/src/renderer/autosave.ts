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
  /** Texts by the names of their notes that are not known to be on disk. One that cannot be written stays. */
  readonly unsaved: ReadonlyMap<string, string>
  /** Writes this note no more. */
  forget(name: string): void
}

/** @param write writes a draft and never rejects; whether it is on disk. */
export function createAutosave(write: (draft: Draft) => Promise<boolean>, pauseMs = 400): Autosave {
  const unsaved = new Map<string, string>()
  let timer: ReturnType<typeof setTimeout> | undefined
  let written: Promise<void> = Promise.resolve()

  const writeAll = async () => {
    for (const [name, text] of [...unsaved]) {
      const isWritten = await write({ name, text })
      // What was typed while it was written waits for its own turn.
      if (isWritten && unsaved.get(name) === text) unsaved.delete(name)
    }
  }
  const flush = () => {
    clearTimeout(timer)
    // One after the other, so that an older text never lands on a newer one.
    written = written.then(writeAll)
    return written
  }
  return {
    schedule({ name, text }) {
      unsaved.set(name, text)
      clearTimeout(timer)
      timer = setTimeout(() => void flush(), pauseMs)
    },
    flush,
    unsaved,
    forget(name) {
      unsaved.delete(name)
    },
  }
}
