/** Collects lines and writes them in batches. */
export interface LineWriter {
  write(line: string): void
  /** Writes all pending lines. */
  flush(): void
}

/** Where lines are written, such as `process.stdout`. */
export interface LineStream {
  write(text: string): unknown
  on(event: 'error', listener: (error: Error) => void): unknown
}

/**
 * Creates a writer that writes all lines of one event-loop turn with one call. Each write to a pipe is a system call on
 * the main thread, and one per request takes about a tenth of the request's processor time. Lines that can't be written,
 * because the disk is full or nobody reads the pipe anymore, are lost: without a listener, the error would end the
 * process. Later lines are tried again.
 *
 * @param onFirstError called for the first line that can't be written.
 */
export function createLineWriter(stream: LineStream, onFirstError: (error: Error) => void): LineWriter {
  let pending = ''
  let hasFailed = false
  stream.on('error', (error) => {
    if (hasFailed) return
    hasFailed = true
    onFirstError(error)
  })
  const flush = (): void => {
    if (pending === '') return
    const text = pending
    pending = ''
    stream.write(text)
  }
  return {
    write(line) {
      if (pending === '') setImmediate(flush)
      pending += `${line}\n`
    },
    flush,
  }
}
