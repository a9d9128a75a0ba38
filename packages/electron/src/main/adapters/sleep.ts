/** Waits that many milliseconds. `node:timers/promises` would be another module to load at every launch. */
export function sleep(delayMs: number | undefined): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, delayMs))
}
