/** Random numbers that only depend on a seed. */
export interface SeededRandom {
  /** A whole number from 0 to 2^32 - 1. */
  uint32(): number
  /** A whole number from 0 to `bound` - 1. */
  below(bound: number): number
  /** One of `items`, which must not be empty. */
  pick<Item>(items: readonly Item[]): Item
  /** A version 4 UUID. */
  uuid(): string
}

const hex = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

// SplitMix32's finalizer: similar inputs give unrelated outputs.
function mix(value: number): number {
  let mixed = value
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad)
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97)
  return (mixed ^ (mixed >>> 15)) >>> 0
}

/**
 * Creates random numbers for one item of a seeded list, independent of the items before it.
 *
 * @param seed The list's seed.
 * @param stream The list's number. Lists with the same seed and different streams are unrelated.
 * @param index The item's position in its list.
 */
export function createSeededRandom(seed: number, stream: number, index: number): SeededRandom {
  let state = mix(mix(mix(seed | 0) + Math.imul(stream, 0x9e3779b9)) + index)
  const uint32 = (): number => {
    state = (state + 0x9e3779b9) | 0
    return mix(state)
  }
  const byte = (word: number, shift: number): string => hex[(word >>> shift) & 0xff] ?? ''
  const below = (bound: number): number => uint32() % bound
  return {
    uint32,
    below,
    pick(items) {
      const item = items[below(items.length)]
      if (item === undefined) throw new Error('Cannot pick from an empty list.')
      return item
    },
    uuid() {
      const a = uint32()
      // Version 4 and the variant bits, as specified by RFC 9562.
      const b = ((uint32() & 0xffff0fff) | 0x00004000) >>> 0
      const c = ((uint32() & 0x3fffffff) | 0x80000000) >>> 0
      const d = uint32()
      return (
        `${byte(a, 24)}${byte(a, 16)}${byte(a, 8)}${byte(a, 0)}-${byte(b, 24)}${byte(b, 16)}-` +
        `${byte(b, 8)}${byte(b, 0)}-${byte(c, 24)}${byte(c, 16)}-${byte(c, 8)}${byte(c, 0)}` +
        `${byte(d, 24)}${byte(d, 16)}${byte(d, 8)}${byte(d, 0)}`
      )
    },
  }
}
