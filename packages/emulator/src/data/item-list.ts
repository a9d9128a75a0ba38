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

/** A list of items made when they are read, each from its position alone. */
export function generatedList<Item>(total: number, itemAt: (index: number) => Item): ItemList<Item> {
  return {
    total,
    slice: (from, count) =>
      Array.from({ length: Math.max(0, Math.min(count, total - from)) }, (_, offset) =>
        itemAt(from + offset),
      ),
  }
}
