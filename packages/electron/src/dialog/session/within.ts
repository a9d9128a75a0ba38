/** What a promise resolves with; something else when it rejects or takes longer than `delayMs`. */
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
