import type { Dialect } from '../dialects/dialect.ts'
import { createSeededRandom, type SeededRandom } from '../seeded-random.ts'
import { formatMicroseconds } from '../timestamps.ts'
import type { Discount } from '../wire.ts'
import { generatedTime, productAt, productCount, storeId } from './generated-products.ts'
import { generatedList, type ItemList } from './item-list.ts'

const stream = 2
const dayMs = 24 * 60 * 60 * 1000
const occasions = ['Spring', 'Summer', 'Autumn', 'Winter', 'Launch', 'Student', 'Early bird', 'Loyalty']

/** Any number of discounts in the dialect's formats, generated when they are read. */
export function generatedDiscounts(
  seed: number,
  count: number,
  style: Dialect['discounts'],
): ItemList<Discount> {
  return generatedList(count, (index) => discountAt(seed, index, style))
}

function discountAt(seed: number, index: number, style: Dialect['discounts']): Discount {
  const random = createSeededRandom(seed, stream, index)
  const id = random.uuid()
  const occasion = random.pick(occasions)
  const createdAt = generatedTime(random.uint32())
  const price = priceOf(random, style)
  const duration = random.pick(['ONCE', 'REPEATING', 'FOREVER'] as const)
  return {
    id,
    store_id: storeId(seed),
    name: `${occasion} offer`,
    code: `${occasion.replace(' ', '').toUpperCase()}-${index + 1}`,
    published: random.below(4) > 0,
    type: price.type,
    amount: price.amount,
    ...windowOf(random, createdAt, style),
    max_redemptions: random.below(2) === 0 ? null : 10 * (1 + random.below(100)),
    duration,
    duration_in_months: duration === 'REPEATING' ? 1 + random.below(24) : null,
    total_formatted: price.formatted,
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
  style: Dialect['discounts'],
): Pick<Discount, 'type' | 'amount'> & { formatted: string } {
  const steps = 1 + random.below(18)
  if (random.below(2) === 0) return { type: 'PERCENTAGE', amount: steps * 5, formatted: `${steps * 5}%` }
  const cents = steps * 250
  const formatted = `$${(cents / 100).toFixed(2)}`
  return { type: 'FIXED', amount: style.fixedAmountUnit === 'minor' ? cents : cents / 100, formatted }
}

function windowOf(
  random: SeededRandom,
  createdAt: string,
  style: Dialect['discounts'],
): Pick<Discount, 'starts_at' | 'ends_at'> {
  const startMs = Date.parse(createdAt) + random.below(60) * dayMs
  const endMs = startMs + (1 + random.below(720)) * dayMs
  return {
    starts_at: random.below(3) === 0 ? null : formatWindow(startMs, style),
    ends_at: random.below(2) === 0 ? null : formatWindow(endMs, style),
  }
}

function formatWindow(timeMs: number, { windowFormat }: Dialect['discounts']): string {
  const timestamp = formatMicroseconds(timeMs * 1000)
  switch (windowFormat) {
    case 'timestamp':
      return timestamp
    case 'date-time':
      return timestamp.slice(0, 19).replace('T', ' ')
    case 'date':
      return timestamp.slice(0, 10)
  }
}
