import { CommerceError } from '../errors/commerce-error.ts'
import { isCommerceError } from '../errors/is-commerce-error.ts'

const firstDelayMs = 300
const maxDelayMs = 30_000
/** The longest pause that a service can ask for. */
const maxAskedMs = 120_000

/** Called before each wait for a retry, with its error and the delay in milliseconds. */
export type OnRetry = (error: CommerceError, delayMs: number) => void

/**
 * Runs an attempt up to `1 + repeats` times, as long as its error is retryable.
 *
 * ky's own retry can't be used, because it only checks the status, before the body is read.
 */
export async function withRetry<T>(
  attempt: () => Promise<T>,
  repeats: number,
  signal: AbortSignal | undefined,
  onRetry?: OnRetry,
): Promise<T> {
  for (let count = 0; ; count++) {
    try {
      return await attempt()
    } catch (error) {
      // A field means that the service has changed its format, so a retry doesn't help.
      if (!isCommerceError(error) || !error.isRetryable || error.field !== null || count >= repeats)
        throw error
      const askedMs = error.retryAfterMs ?? 0
      if (askedMs > maxAskedMs) throw error
      const delayMs = Math.max(askedMs, Math.min(firstDelayMs * 2 ** count, maxDelayMs))
      onRetry?.(error, delayMs)
      await delay(delayMs, signal)
      if (signal?.aborted) throw new CommerceError('cancelled', { operation: error.operation })
    }
  }
}

/** Waits for the delay, or until the signal is aborted. */
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
