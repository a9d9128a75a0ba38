/** Why an exchange was aborted. */
export type EndedBy = 'timeout' | 'cancelled'

/** Aborts an exchange, headers and body, after a time limit or when its caller cancels it. */
export interface Deadline {
  /** Aborted when the exchange must stop. */
  readonly signal: AbortSignal
  readonly endedBy: EndedBy | null
  /** Settles like `work`, but rejects at once when the deadline ends, even if `work` ignores the signal. */
  race<T>(work: Promise<T>): Promise<T>
  /** Removes the timer and the listener on the caller's signal. */
  release(): void
}

export function startDeadline(timeoutMs: number, callerSignal: AbortSignal | undefined): Deadline {
  const controller = new AbortController()
  let endedBy: EndedBy | null = null
  let reject: (reason: Error) => void = () => {}
  const ended = new Promise<never>((_, rejectEnded) => {
    reject = rejectEnded
  })
  // It may end when no race is running. That must not be an unhandled rejection.
  ended.catch(() => {})

  const end = (by: EndedBy): void => {
    if (endedBy !== null) return
    endedBy = by
    reject(new Error(by))
    controller.abort()
  }
  const cancel = (): void => end('cancelled')
  const timer = setTimeout(end, timeoutMs, 'timeout')
  callerSignal?.addEventListener('abort', cancel, { once: true })
  if (callerSignal?.aborted) cancel()

  return {
    signal: controller.signal,
    get endedBy() {
      return endedBy
    },
    race: (work) => Promise.race([ended, work]),
    release() {
      clearTimeout(timer)
      callerSignal?.removeEventListener('abort', cancel)
    },
  }
}
