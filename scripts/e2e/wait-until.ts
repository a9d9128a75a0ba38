import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Waits until a probe finds what it looks for.
 *
 * @returns what it found.
 * @throws Error that says what did not come, after `timeoutMs`.
 */
export async function waitUntil<T>(
  what: string,
  probe: () => Promise<T | undefined> | T | undefined,
  timeoutMs = 20_000,
): Promise<T> {
  const deadlineMs = performance.now() + timeoutMs
  while (performance.now() < deadlineMs) {
    const found = await probe()
    if (found !== undefined) return found
    await sleep(50)
  }
  throw new Error(`This did not happen within ${timeoutMs / 1000} s: ${what}.`)
}
