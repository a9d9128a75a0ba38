/** A list one can read a part of, whatever stands behind it. */
export interface ItemList<Item> {
  total: number
  /** Up to `count` items, the first at position `from`, counted from 0. */
  slice(from: number, count: number): Item[]
}

/** A list of items at hand. */
export function listOf<Item>(items: readonly Item[]): ItemList<Item> {
  return { total: items.length, slice: (from, count) => items.slice(from, from + count) }
}
