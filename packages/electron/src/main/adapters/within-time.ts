/** Something did not answer in time. */
export class TimeLimitError extends Error {
  override readonly name = 'TimeLimitError' as const
}

/**
 * Waits no longer than this; what was begun goes on unheard.
 *
 * @throws {TimeLimitError} when time is up; otherwise what the promise rejects with.
 */
export async function withinTime<Value>(promise: Promise<Value>, timeoutMs: number): Promise<Value> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new TimeLimitError('No answer in time')), timeoutMs)
  })
  try {
    return await Promise.race([promise, timeout])
  } finally {
    clearTimeout(timer)
  }
}
