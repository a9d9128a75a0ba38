import * as z from 'zod/mini'
import { optionalTextSchema, uuidSchema } from './wire-formats.ts'

/** One activation of a license, for example one device. It occupies one seat. */
export interface LicenseKey {
  /** UUID of the key. */
  id: string
  /** Label given on activation, for example a device label; empty when the answer holds none. */
  name: string
  /** `YYYY-MM-DDTHH:MM:SS.ffffffZ`, as the service sends it; read it with {@link toDate}. `null` when there is none. */
  created_at: string | null
  /** `YYYY-MM-DDTHH:MM:SS.ffffffZ`, as the service sends it; read it with {@link toDate}. `null` when there is none. */
  updated_at: string | null
}

/** Reads a {@link LicenseKey}; fields it does not know are dropped. Only its `id` has to be readable. */
export const licenseKeySchema: z.ZodMiniType<LicenseKey> = z.object({
  id: uuidSchema,
  name: z.catch(z.string(), ''),
  created_at: optionalTextSchema,
  updated_at: optionalTextSchema,
})
