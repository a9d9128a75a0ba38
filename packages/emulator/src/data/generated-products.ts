import { createSeededRandom } from '../seeded-random.ts'
import { formatMicroseconds } from '../timestamps.ts'
import type { Product } from '../wire.ts'

const productStream = 3
const storeStream = 4

/** Number of products in a seed's store. */
export const productCount = 12

const subjects = ['Gardens', 'Sourdough', 'Sailing', 'Type Design', 'Chess', 'Beekeeping']
const kinds = ['Handbook', 'Workbook', 'Atlas', 'Primer', 'Companion']

/** Returns the id of a seed's only store. */
export function storeId(seed: number): string {
  return createSeededRandom(seed, storeStream, 0).uuid()
}

/**
 * A product of a seed's store.
 *
 * @param types The values `type` takes.
 */
export function productAt(seed: number, index: number, types: readonly string[]): Product {
  const random = createSeededRandom(seed, productStream, index)
  const id = random.uuid()
  const name = `The ${random.pick(subjects)} ${random.pick(kinds)}`
  const created = generatedTime(random.uint32())
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
    created_at: created,
    updated_at: created,
  }
}

const startOf2025 = Date.UTC(2025, 0, 1) * 1000

/** Returns a time in 2025 or 2026 for a random number, with all six fractional digits. */
export function generatedTime(random: number): string {
  return formatMicroseconds(startOf2025 + random * 14_003)
}
