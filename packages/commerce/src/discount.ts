import * as z from 'zod/mini'
import { type Product, productSchema } from './product.ts'
import { uuidSchema } from './wire-formats.ts'

/** A discount's status. `Active` is the one value the service documents; others are possible. */
export type DiscountStatus = 'Active' | (string & {})

/** Special pricing on products. */
export interface Discount {
  /** UUID of the discount. */
  id: string
  /** UUID of the store it belongs to. */
  store_id: string
  name: string
  /** What customers type to get it. */
  code: string
  published: boolean
  type: 'PERCENTAGE' | 'FIXED'
  /** As the service sends it. The unit of a `FIXED` amount is not documented: show {@link total_formatted} instead. */
  amount: number
  /** Start of the validity; its exact format is not documented. `null` when it has no start. */
  starts_at: string | null
  /** End of the validity; its exact format is not documented. `null` when it has no end. */
  ends_at: string | null
  /** How often it can be redeemed in all; `null` for no maximum. How often it was, the service does not say. */
  max_redemptions: number | null
  duration: 'ONCE' | 'REPEATING' | 'FOREVER'
  /** Months it is valid, for `REPEATING`; `null` otherwise. */
  duration_in_months: number | null
  /** The amount for people to read, such as `20%`. */
  total_formatted: string
  status: DiscountStatus
  products: Product[]
  created_at: string
  updated_at: string
}

/** Reads a {@link Discount}; fields it does not know are dropped. */
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
