import type { Dialect } from '../formats/dialect.ts'
import { formatMicroseconds } from '../timestamps.ts'
import type { Customer, Discount, Product } from '../wire.ts'
import { createSeededRandom, type SeededRandom } from './seeded-random.ts'

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
function generatedList<Item>(total: number, itemAt: (index: number) => Item): ItemList<Item> {
  return {
    total,
    slice: (from, count) =>
      Array.from({ length: Math.max(0, Math.min(count, total - from)) }, (_, offset) =>
        itemAt(from + offset),
      ),
  }
}

// Lists with the same seed and different streams are unrelated. Stream 0 is the demo license.
const customerStream = 1
const discountStream = 2
const productStream = 3
const storeStream = 4

// Includes names that often cause bugs: quotes, commas, a formula, other scripts.
const firstNames = ['Ada', 'Chloé', 'Elif', 'Jürgen', 'Quinn "Q"', 'Søren', 'Việt', '晓明']
const lastNames = [
  'Adeyemi',
  'Björnsdóttir',
  "O'Brien",
  'García-López',
  'Okafor, Jr.',
  '=Quist',
  'Šimić',
  '王',
]
const domains = ['example.com', 'example.org', 'example.net']

/** Any number of customers, generated when they are read. */
export function generatedCustomers(seed: number, count: number): ItemList<Customer> {
  return generatedList(count, (index) => {
    const random = createSeededRandom(seed, customerStream, index)
    return {
      id: random.uuid(),
      name: `${random.pick(firstNames)} ${random.pick(lastNames)}`,
      email: `customer.${index + 1}@${random.pick(domains)}`,
    }
  })
}

type DiscountStyle = Dialect['discounts']

const dayMs = 24 * 60 * 60 * 1000
const occasions = ['Spring', 'Summer', 'Launch', 'Student', 'Early bird', 'Loyalty']

/** Any number of discounts in the dialect's formats, generated when they are read. */
export function generatedDiscounts(seed: number, count: number, style: DiscountStyle): ItemList<Discount> {
  return generatedList(count, (index) => discountAt(seed, index, style))
}

function discountAt(seed: number, index: number, style: DiscountStyle): Discount {
  const random = createSeededRandom(seed, discountStream, index)
  const id = random.uuid()
  const occasion = random.pick(occasions)
  const createdAt = generatedTime(random.uint32())
  const { type, amount, total_formatted } = priceOf(random, style)
  const startMs = Date.parse(createdAt) + random.below(60) * dayMs
  const endMs = startMs + (1 + random.below(720)) * dayMs
  const duration = random.pick(['ONCE', 'REPEATING', 'FOREVER'] as const)
  return {
    id,
    store_id: storeId(seed),
    name: `${occasion} offer`,
    code: `${occasion.replace(' ', '').toUpperCase()}-${index + 1}`,
    published: random.below(4) > 0,
    type,
    amount,
    starts_at: random.below(3) === 0 ? null : formatWindow(startMs, style),
    ends_at: random.below(2) === 0 ? null : formatWindow(endMs, style),
    max_redemptions: random.below(2) === 0 ? null : 10 * (1 + random.below(100)),
    duration,
    duration_in_months: duration === 'REPEATING' ? 1 + random.below(24) : null,
    total_formatted,
    status: random.pick(style.statuses),
    products: Array.from({ length: 1 + random.below(3) }, () =>
      productAt(seed, random.below(productCount), style.productTypes),
    ),
    created_at: createdAt,
    updated_at: createdAt,
  }
}

function priceOf(
  random: SeededRandom,
  style: DiscountStyle,
): Pick<Discount, 'type' | 'amount' | 'total_formatted'> {
  const steps = 1 + random.below(18)
  if (random.below(2) === 0) {
    return { type: 'PERCENTAGE', amount: steps * 5, total_formatted: `${steps * 5}%` }
  }
  const price = steps * 2.5
  const amount = style.fixedAmountUnit === 'minor' ? price * 100 : price
  return { type: 'FIXED', amount, total_formatted: `$${price.toFixed(2)}` }
}

function formatWindow(timeMs: number, { windowFormat }: DiscountStyle): string {
  const timestamp = formatMicroseconds(timeMs * 1000)
  if (windowFormat === 'timestamp') return timestamp
  return windowFormat === 'date' ? timestamp.slice(0, 10) : timestamp.slice(0, 19).replace('T', ' ')
}

const productCount = 8
const titles = ['Gardens', 'Sourdough', 'Sailing', 'Type Design', 'Chess', 'Beekeeping']

function storeId(seed: number): string {
  return createSeededRandom(seed, storeStream, 0).uuid()
}

/** A product of a seed's only store. */
function productAt(seed: number, index: number, types: readonly string[]): Product {
  const random = createSeededRandom(seed, productStream, index)
  const id = random.uuid()
  const name = `The ${random.pick(titles)} Handbook`
  const createdAt = generatedTime(random.uint32())
  const hasButton = random.below(2) === 0
  const slug = `${name.toLowerCase().replaceAll(' ', '-')}-${index + 1}`
  return {
    id,
    store_id: storeId(seed),
    name,
    description: `${name}, a <em>digital</em> book.`,
    slug,
    published: random.below(10) > 0,
    display_on_storefront: random.below(10) > 1,
    type: random.pick(types),
    email_receipt_button_text: hasButton ? 'Read it now' : null,
    email_receipt_button_link: hasButton ? `https://example.com/${slug}` : null,
    email_receipt_message: random.below(2) === 0 ? 'Thank you for reading.' : null,
    archived: random.below(20) === 0,
    created_at: createdAt,
    updated_at: createdAt,
  }
}

/** Returns a time in 2025 or 2026 for a random number, with all six fractional digits. */
function generatedTime(random: number): string {
  return formatMicroseconds(Date.UTC(2025, 0, 1) * 1000 + random * 14_003)
}
