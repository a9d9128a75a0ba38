/** A map or set, which keeps its entries in the order in which they were added. */
interface Entries {
  readonly size: number
  keys(): Iterator<string>
  delete(key: string): boolean
}

/** Deletes the oldest entry of a map or set that has reached its maximum size. */
export function makeRoom(entries: Entries, maxSize: number): void {
  const { value: oldest } = entries.keys().next()
  if (entries.size >= maxSize && oldest !== undefined) entries.delete(oldest)
}
