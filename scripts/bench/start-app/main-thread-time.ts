import { readFileSync } from 'node:fs'

/**
 * Returns how long this process's main thread has run on a processor, in milliseconds; `null` if the system doesn't
 * report it. Excludes waiting and time taken by other processes.
 */
export function mainThreadMs(): number | null {
  if (process.platform !== 'linux') return null
  // The kernel updates the figure when the thread pauses.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 0.05)
  const [runNanoseconds] = readFileSync('/proc/self/schedstat', 'utf8').split(' ')
  return Number(runNanoseconds) / 1_000_000
}
