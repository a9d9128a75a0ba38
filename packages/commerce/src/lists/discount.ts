import * as z from 'zod/mini'
import { uuidSchema } from '../formats/wire-formats.ts'
import { type Product, productSchema } from './product.ts'

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
