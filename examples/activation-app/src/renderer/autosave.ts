/** A note that waits to be written. */
export interface Draft {
  readonly name: string
  readonly text: string
}

/** Writes the newest draft once typing pauses. */
export interface Autosave {
  /** Replaces the waiting draft and starts the pause anew. */
  schedule(draft: Draft): void
  /** Writes what waits now. Settles when everything scheduled so far is on disk. */
  flush(): Promise<void>
  /** Hands over what waits and forgets it: for the moment the page goes away. */
  take(): Draft | null
}

/** @param write writes a draft and never rejects. */
export function createAutosave(write: (draft: Draft) => Promise<void>, pauseMs = 400): Autosave {
  let waiting: Draft | null = null
  let timer: ReturnType<typeof setTimeout> | undefined
  let written: Promise<void> = Promise.resolve()

  const take = () => {
    clearTimeout(timer)
    const draft = waiting
    waiting = null
    return draft
  }
  const flush = () => {
    const draft = take()
    // One after the other, so that an older text never lands on a newer one.
    if (draft) written = written.then(() => write(draft))
    return written
  }
  return {
    schedule(draft) {
      waiting = draft
      clearTimeout(timer)
      timer = setTimeout(() => void flush(), pauseMs)
    },
    flush,
    take,
  }
}
