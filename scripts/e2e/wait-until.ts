import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Waits until a probe returns a result.
 *
 * @returns the result.
 * @throws Error that says what didn't happen, after `timeoutMs`.
 */
export async function waitUntil<T>(
  what: string,
  probe: () => Promise<T | undefined> | T | undefined,
  timeoutMs = 60_000,
): Promise<T> {
  const deadlineMs = performance.now() + timeoutMs
  while (performance.now() < deadlineMs) {
    const found = await probe()
    if (found !== undefined) return found
    await sleep(50)
  }
  throw new Error(`This did not happen within ${timeoutMs / 1000} s: ${what}.`)
}
