import * as z from 'zod/mini'
import { uuidSchema } from '../licenses/license-and-key.ts'
import { toDate, toEndDate } from '../timestamps.ts'

/** An item of the customer list. The service's further fields are undocumented and are dropped. */
export interface Customer {
  /** UUID of the customer. */
  id: string
  name: string
  email: string
}

/** Parses a {@link Customer} and drops unknown fields. */
export const customerSchema: z.ZodMiniType<Customer> = z.object({
  id: uuidSchema,
  name: z.string(),
  email: z.string(),
})

/** A product's type. `EBOOK` is the only documented value; others are possible. */
export type ProductType = 'EBOOK' | (string & {})

/** A product as included in a discount. */
export interface Product {
  /** UUID of the product. */
  id: string
  /** UUID of the store it belongs to. */
  store_id: string
  name: string
  description: string
  slug: string
  published: boolean
  display_on_storefront: boolean
  type: ProductType
  email_receipt_button_text: string | null
  email_receipt_button_link: string | null
  email_receipt_message: string | null
  archived: boolean
  /** `YYYY-MM-DDTHH:MM:SS.ffffffZ`. Parse it with {@link toDate}. */
  created_at: string
  /** `YYYY-MM-DDTHH:MM:SS.ffffffZ`. Parse it with {@link toDate}. */
  updated_at: string
}

/** Parses a {@link Product} and drops unknown fields. */
export const productSchema: z.ZodMiniType<Product> = z.object({
  id: uuidSchema,
  store_id: uuidSchema,
  name: z.string(),
  description: z.string(),
  slug: z.string(),
  published: z.boolean(),
  display_on_storefront: z.boolean(),
  type: z.string(),
  email_receipt_button_text: z.nullable(z.string()),
  email_receipt_button_link: z.nullable(z.string()),
  email_receipt_message: z.nullable(z.string()),
  archived: z.boolean(),
  created_at: z.string(),
  updated_at: z.string(),
})

/** A discount's status. `Active` is the only documented value; others are possible. */
export type DiscountStatus = 'Active' | (string & {})

/** Special pricing on products. */
export interface Discount {
  /** UUID of the discount. */
  id: string
  /** UUID of the store it belongs to. */
  store_id: string
  name: string
  /** The code customers enter to get it. */
  code: string
  published: boolean
  type: 'PERCENTAGE' | 'FIXED'
  /**
   * As sent by the service. The unit of a `FIXED` amount is not documented, so display {@link total_formatted}
   * instead.
   */
  amount: number
  /** Start of the validity period; its exact format is not documented. `null` if it has no start. */
  starts_at: string | null
  /** End of the validity period; its exact format is not documented. `null` if it has no end. */
  ends_at: string | null
  /** Maximum number of redemptions; `null` for no maximum. The service doesn't report the actual number. */
  max_redemptions: number | null
  duration: 'ONCE' | 'REPEATING' | 'FOREVER'
  /** Months it is valid, for `REPEATING`; `null` otherwise. */
  duration_in_months: number | null
  /** The amount for display, such as `20%`. */
  total_formatted: string
  status: DiscountStatus
  products: Product[]
  created_at: string
  updated_at: string
}

/** Parses a {@link Discount} and drops unknown fields. */
export const discountSchema: z.ZodMiniType<Discount> = z.object({
  id: uuidSchema,
  store_id: uuidSchema,
  name: z.string(),
  code: z.string(),
  published: z.boolean(),
  type: z.enum(['PERCENTAGE', 'FIXED']),
  amount: z.number(),
  starts_at: z.nullable(z.string()),
  ends_at: z.nullable(z.string()),
  max_redemptions: z.nullable(z.number()),
  duration: z.enum(['ONCE', 'REPEATING', 'FOREVER']),
  duration_in_months: z.nullable(z.number()),
  total_formatted: z.string(),
  status: z.string(),
  products: z.array(productSchema),
  created_at: z.string(),
  updated_at: z.string(),
})

/**
 * Whether a discount can be used at a given time: it is published, the time is within its validity period, and it
 * allows at least one redemption.
 *
 * It doesn't check how often the discount was already redeemed, because the service doesn't report it, so a discount
 * with `max_redemptions` may be used up. It also ignores `status`, because only one of its values is documented, and
 * whether the discount applies to a given product.
 *
 * @param now the time to check, as a `Date` or in milliseconds since the epoch.
 * @returns whether it can be used; `null` if the result depends on a `starts_at` or `ends_at` that can't be parsed,
 * such as `1 March`.
 */
export function isDiscountOpen(
  discount: Pick<Discount, 'published' | 'starts_at' | 'ends_at' | 'max_redemptions'>,
  now: Date | number,
): boolean | null {
  if (!discount.published || discount.max_redemptions === 0) return false
  const start = discount.starts_at === null ? Number.NEGATIVE_INFINITY : toDate(discount.starts_at)?.getTime()
  const end = discount.ends_at === null ? Number.POSITIVE_INFINITY : toEndDate(discount.ends_at)?.getTime()
  if (start !== undefined && start > Number(now)) return false
  if (end !== undefined && end <= Number(now)) return false
  return start === undefined || end === undefined ? null : true
}
