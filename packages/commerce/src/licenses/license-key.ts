import * as z from 'zod/mini'
import { optionalTextSchema, uuidSchema } from '../formats/wire-formats.ts'

/** One activation of a license, for example one device. It occupies one seat. */
export interface LicenseKey {
  /** UUID of the key. */
  id: string
  /** Label given on activation, for example a device label; empty if the answer has none. */
  name: string
  /** `YYYY-MM-DDTHH:MM:SS.ffffffZ`, as sent by the service. Parse it with {@link toDate}. `null` if there is none. */
  created_at: string | null
  /** `YYYY-MM-DDTHH:MM:SS.ffffffZ`, as sent by the service. Parse it with {@link toDate}. `null` if there is none. */
  updated_at: string | null
}

/** Parses a {@link LicenseKey} and drops unknown fields. Only its `id` is required. */
export const licenseKeySchema: z.ZodMiniType<LicenseKey> = licenseKeySchemaOf(uuidSchema)

/** Creates the same schema for ids of another form. */
export function licenseKeySchemaOf(idSchema: z.ZodMiniType<string>): z.ZodMiniType<LicenseKey> {
  return z.object({
    id: idSchema,
    name: z.catch(z.string(), ''),
    created_at: optionalTextSchema,
    updated_at: optionalTextSchema,
  })
}
