import * as z from 'zod/mini'
import { toTimestamp } from '../timestamps.ts'
import type { Customer, Discount, LicenseKey, Product } from '../wire.ts'
import type { EmulatorData, ItemSource, LicenseData, LicenseKeyData } from './service-data.ts'

/** Any date, converted to the wire format. */
export const dateSchema: z.ZodMiniType<string> = z.pipe(
  z.string().check(z.refine((text) => !Number.isNaN(Date.parse(text)), 'must be a date')),
  z.transform((text: string) => toTimestamp(text)),
)

/** Any UUID, converted to lower case. */
export const idSchema: z.ZodMiniType<string> = z.pipe(
  z.uuid('must be a UUID'),
  z.transform((text: string) => text.toLowerCase()),
)
const count = z.int().check(z.nonnegative())

const keyFields = { id: idSchema, name: z.string(), created_at: dateSchema, updated_at: dateSchema }

/** A license key, as the interface shows it. */
export const licenseKeySchema: z.ZodMiniType<LicenseKey> = z.strictObject(keyFields)

const keySchema: z.ZodMiniType<LicenseKeyData> = z.strictObject({
  ...keyFields,
  details: z.optional(z.record(z.string(), z.string())),
})

const licenseSchema: z.ZodMiniType<LicenseData> = z.strictObject({
  id: idSchema,
  activation_limit: count,
  expires_at: z.nullable(dateSchema),
  suspended_at: z.nullable(dateSchema),
  status: z.string(),
  features: z.optional(z.array(z.string())),
  created_at: dateSchema,
  updated_at: dateSchema,
  keys: z.array(keySchema),
  removed_key_ids: z.array(idSchema),
})

/** A customer. */
export const customerSchema: z.ZodMiniType<Customer> = z.strictObject({
  id: idSchema,
  name: z.string(),
  email: z.string(),
})

/** A product of a discount. */
export const productSchema: z.ZodMiniType<Product> = z.strictObject({
  id: idSchema,
  store_id: idSchema,
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

/** A discount. */
export const discountSchema: z.ZodMiniType<Discount> = z.strictObject({
  id: idSchema,
  store_id: idSchema,
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
