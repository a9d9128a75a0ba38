import { CommerceError, isCommerceError } from './commerce-error.ts'

const firstDelayMs = 300
const maxDelayMs = 30_000

/**
 * Performs an attempt up to `1 + repeats` times, for as long as its error says that a later one may succeed.
 *
 * ky's own retry cannot be used here: it looks at the status alone, before the body is read.
 */
export async function withRetry<T>(
  attempt: () => Promise<T>,
  repeats: number,
  signal: AbortSignal | undefined,
): Promise<T> {
  for (let count = 0; ; count++) {
    try {
      return await attempt()
    } catch (error) {
      // A named field means that the service itself speaks differently now: asking again changes nothing.
      if (!isCommerceError(error) || !error.isRetryable || error.field !== null || count >= repeats)
        throw error
      await delay(Math.min(error.retryAfterMs ?? firstDelayMs * 2 ** count, maxDelayMs), signal)
      if (signal?.aborted) throw new CommerceError('cancelled', { operation: error.operation })
    }
  }
}

/** Waits; an aborted signal ends it early. */
function delay(delayMs: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, delayMs)
    signal?.addEventListener('abort', done, { once: true })
    if (signal?.aborted) done()
  })
}
