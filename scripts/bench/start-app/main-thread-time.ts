import { readFileSync } from 'node:fs'

/**
 * How long this process's main thread has run on a processor, in milliseconds; `null` where the system does not tell.
 * Waiting is not in it, and neither is what other processes took away.
 */
export function mainThreadMs(): number | null {
  if (process.platform !== 'linux') return null
  // The kernel brings the figure up to date when the thread pauses.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 0.05)
  const [runNanoseconds] = readFileSync('/proc/self/schedstat', 'utf8').split(' ')
  return Number(runNanoseconds) / 1_000_000
}
