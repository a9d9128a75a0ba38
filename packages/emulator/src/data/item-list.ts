/** A list that can be read in parts. */
export interface ItemList<Item> {
  total: number
  /** Returns up to `count` items, starting at position `from`, counted from 0. */
  slice(from: number, count: number): Item[]
}

/** Creates a list from an array. */
export function listOf<Item>(items: readonly Item[]): ItemList<Item> {
  return { total: items.length, slice: (from, count) => items.slice(from, from + count) }
}

/** Creates a list whose items are generated from their position when they are read. */
export function generatedList<Item>(total: number, itemAt: (index: number) => Item): ItemList<Item> {
  return {
    total,
    slice: (from, count) =>
      Array.from({ length: Math.max(0, Math.min(count, total - from)) }, (_, offset) =>
        itemAt(from + offset),
      ),
  }
}
