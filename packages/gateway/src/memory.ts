/** Remembers the latest entries, so that made-up license keys can't use up the memory. */
export interface Memory<Value> {
  get(key: string): Value | undefined
  has(key: string): boolean
  set(key: string, value: Value): void
  delete(key: string): void
}

/** @param maxSize the oldest entry gives way to one more. */
export function createMemory<Value>(maxSize: number): Memory<Value> {
  const entries = new Map<string, Value>()
  return {
    get: (key) => entries.get(key),
    has: (key) => entries.has(key),
    set(key, value) {
      const [oldest] = entries.keys()
      if (oldest !== undefined && entries.size >= maxSize && !entries.has(key)) entries.delete(oldest)
      entries.set(key, value)
    },
    delete: (key) => void entries.delete(key),
  }
}
