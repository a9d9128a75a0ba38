import * as z from 'zod/mini'
import { toTimestamp } from '../timestamps.ts'
import type { Customer, Discount, Product } from '../wire.ts'
import type { EmulatorData, ItemSource, LicenseData, LicenseKeyData } from './emulator-data.ts'

/** Any date, converted to the wire format. */
export const dateSchema: z.ZodMiniType<string> = z.pipe(
  z.string().check(z.refine((text) => !Number.isNaN(Date.parse(text)), 'this is no date')),
  z.transform((text: string) => toTimestamp(text)),
)

const id = z.pipe(
  z.uuid(),
  z.transform((text: string) => text.toLowerCase()),
)
const count = z.int().check(z.nonnegative())

const keySchema: z.ZodMiniType<LicenseKeyData> = z.strictObject({
  id,
  name: z.string(),
  created_at: dateSchema,
  updated_at: dateSchema,
  details: z.optional(z.record(z.string(), z.string())),
})

const licenseSchema: z.ZodMiniType<LicenseData> = z.strictObject({
  id,
  activation_limit: count,
  expires_at: z.nullable(dateSchema),
  suspended_at: z.nullable(dateSchema),
  status: z.string(),
  features: z.optional(z.array(z.string())),
  created_at: dateSchema,
  updated_at: dateSchema,
  keys: z.array(keySchema),
  removed_key_ids: z.array(id),
})

const customerSchema: z.ZodMiniType<Customer> = z.strictObject({ id, name: z.string(), email: z.string() })

const productSchema: z.ZodMiniType<Product> = z.strictObject({
  id,
  store_id: id,
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
  created_at: dateSchema,
  updated_at: dateSchema,
})

const discountSchema: z.ZodMiniType<Discount> = z.strictObject({
  id,
  store_id: id,
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

function sourceOf<Item>(item: z.ZodMiniType<Item>): z.ZodMiniType<ItemSource<Item>> {
  return z.union([z.strictObject({ seed: z.int(), count }), z.array(item)])
}

/** A data file. */
export const emulatorDataSchema: z.ZodMiniType<EmulatorData> = z.strictObject({
  version: z.literal(1),
  licenses: z.array(licenseSchema),
  customers: sourceOf(customerSchema),
  discounts: sourceOf(discountSchema),
})
