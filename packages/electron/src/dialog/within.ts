/** What a promise resolves with; something else when it rejects or takes longer than `delayMs`. */
export async function within<Value>(
  promise: Promise<Value>,
  delayMs: number,
  otherwise: () => Value,
): Promise<Value> {
  try {
    return await Promise.race([
      promise,
      new Promise<Value>((resolve) => setTimeout(() => resolve(otherwise()), delayMs)),
    ])
  } catch {
    return otherwise()
  }
}
