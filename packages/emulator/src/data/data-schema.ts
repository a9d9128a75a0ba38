import { customerSchema, discountSchema } from '@latchkey/commerce/schemas'
import * as z from 'zod/mini'
import { toTimestamp } from '../timestamps.ts'
import type { LicenseKey } from '../wire.ts'
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
