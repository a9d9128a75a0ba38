/** Thrown when a time limit is exceeded. */
export class TimeLimitError extends Error {
  override readonly name = 'TimeLimitError' as const
}

/**
 * Waits for a promise, but no longer than the time limit. The operation itself continues.
 *
 * @throws {TimeLimitError} if the time limit is exceeded; otherwise the promise's own error.
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
