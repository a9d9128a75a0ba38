import type { Customer, Discount, Product } from '@latchkey/commerce'
import { formatMicroseconds } from '../timestamps.ts'

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

/** Creates a list whose items are generated from their position when they are read, so that any length starts at once. */
function generatedList<Item>(total: number, itemAt: (index: number) => Item): ItemList<Item> {
  const lengthAt = (from: number, count: number): number => Math.max(0, Math.min(count, total - from))
  return {
    total,
    slice: (from, count) =>
      Array.from({ length: lengthAt(from, count) }, (_, offset) => itemAt(from + offset)),
  }
}

/** The generated kinds of objects. Ids of one kind are unrelated to those of another. */
const kinds = ['licenses', 'customers', 'discounts', 'products', 'stores'] as const

// SplitMix32's finalizer: similar inputs give unrelated outputs.
function mix(value: number): number {
  let mixed = value
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad)
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97)
  return (mixed ^ (mixed >>> 15)) >>> 0
}

/** Returns the version 4 UUID of an object. It only depends on the seed, the kind and the position. */
export function idAt(seed: number, kind: (typeof kinds)[number], index: number): string {
  let state = mix(mix(mix(seed | 0) + Math.imul(kinds.indexOf(kind), 0x9e3779b9)) + index)
  const word = (): number => {
    state = (state + 0x9e3779b9) | 0
    return mix(state)
  }
  const [a, b, c, d] = [word(), word(), word(), word()]
  // Version 4 and the variant bits, as specified by RFC 9562.
  const words = [a, (b & 0xffff0fff) | 0x4000, (c & 0x3fffffff) | 0x80000000, d]
  const hex = words.map((it) => (it >>> 0).toString(16).padStart(8, '0')).join('')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/u, '$1-$2-$3-$4-')
}

function at<Item>(items: readonly [Item, ...Item[]], index: number): Item {
  return items[index % items.length] ?? items[0]
}

// Includes names that often cause bugs: quotes, commas, a formula, other scripts.
const firstNames = ['Ada', 'Chloé', 'Elif', 'Jürgen', 'Quinn "Q"', 'Søren', 'Việt', '晓明'] as const
const lastNames = ['Björnsdóttir', "O'Brien", 'García-López', 'Okafor, Jr.', '=Quist', 'Šimić', '王'] as const

/** Any number of customers, generated when they are read. */
export function generatedCustomers(seed: number, count: number): ItemList<Customer> {
  return generatedList(count, (index) => ({
    id: idAt(seed, 'customers', index),
    name: `${at(firstNames, index)} ${at(lastNames, index)}`,
    email: `customer.${index + 1}@example.com`,
  }))
}

const dayMs = 24 * 60 * 60 * 1000
const occasions = ['Spring', 'Summer', 'Launch', 'Student', 'Loyalty'] as const

/** Any number of discounts, generated when they are read. */
export function generatedDiscounts(seed: number, count: number): ItemList<Discount> {
  return generatedList(count, (index) => {
    const occasion = at(occasions, index)
    const createdAt = timeAt(index)
    const startMs = Date.parse(createdAt) + (index % 60) * dayMs
    const endMs = startMs + (1 + ((index * 337) % 1_000)) * dayMs
    const duration = at(['ONCE', 'REPEATING', 'FOREVER'] as const, index)
    const steps = 1 + (index % 18)
    const price = steps * 2.5
    const isPercentage = index % 2 === 0
    return {
      id: idAt(seed, 'discounts', index),
      store_id: idAt(seed, 'stores', 0),
      name: `${occasion} offer`,
      code: `${occasion.toUpperCase()}-${index + 1}`,
      published: index % 7 !== 3,
      type: isPercentage ? 'PERCENTAGE' : 'FIXED',
      amount: isPercentage ? steps * 5 : price * 100,
      starts_at: index % 3 === 0 ? null : formatMicroseconds(startMs * 1000),
      ends_at: index % 4 < 2 ? null : formatMicroseconds(endMs * 1000),
      max_redemptions: index % 5 === 0 ? null : 10 * steps,
      duration,
      duration_in_months: duration === 'REPEATING' ? 1 + (index % 24) : null,
      total_formatted: isPercentage ? `${steps * 5}%` : `$${price.toFixed(2)}`,
      status: 'Active',
      products: Array.from({ length: 1 + (index % 3) }, (_, of) => productAt(seed, index + of)),
      created_at: createdAt,
      updated_at: createdAt,
    }
  })
}

const titles = ['Gardens', 'Sourdough', 'Sailing', 'Type Design', 'Chess', 'Beekeeping'] as const

/** A product of a seed's only store. The store has one for each title. */
function productAt(seed: number, position: number): Product {
  const index = position % titles.length
  const name = `The ${at(titles, index)} Handbook`
  const slug = name.toLowerCase().replaceAll(' ', '-')
  const hasButton = index % 2 === 0
  return {
    id: idAt(seed, 'products', index),
    store_id: idAt(seed, 'stores', 0),
    name,
    description: `${name}, a <em>digital</em> book.`,
    slug,
    published: true,
    display_on_storefront: index > 0,
    type: 'EBOOK',
    email_receipt_button_text: hasButton ? 'Read it now' : null,
    email_receipt_button_link: hasButton ? `https://example.com/${slug}` : null,
    email_receipt_message: hasButton ? null : 'Thank you for reading.',
    archived: false,
    created_at: timeAt(index),
    updated_at: timeAt(index),
  }
}

/** Returns a time in 2025 or 2026, with all six fractional digits. */
function timeAt(index: number): string {
  return formatMicroseconds(Date.UTC(2025, 0, 1) * 1000 + (index % 4_000) * 14_003_000_017)
}
