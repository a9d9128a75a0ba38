/** Returns the value a promise resolves with, or another one if it rejects or takes longer than `delayMs`. */
export function within<Value>(
  promise: Promise<Value>,
  delayMs: number,
  otherwise: () => Value,
): Promise<Value> {
  return new Promise((resolve) => {
    const giveUp = (): void => resolve(otherwise())
    const timer = setTimeout(giveUp, delayMs)
    promise.then(resolve, giveUp).finally(() => clearTimeout(timer))
  })
}
