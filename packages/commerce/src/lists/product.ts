import * as z from 'zod/mini'
import { uuidSchema } from '../formats/wire-formats.ts'

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
