import * as z from 'zod/mini'
import { timestampSchema, uuidSchema } from './wire-formats.ts'

/** One activation of a license, for example one device. It occupies one seat. */
export interface LicenseKey {
  /** UUID of the key. */
  id: string
  /** Label given on activation, for example a device label. */
  name: string
  /** `YYYY-MM-DDTHH:MM:SS.ffffffZ`; read it with {@link toDate}. */
  created_at: string
  /** `YYYY-MM-DDTHH:MM:SS.ffffffZ`; read it with {@link toDate}. */
  updated_at: string
}

/** Reads a {@link LicenseKey}; fields it does not know are dropped. */
export const licenseKeySchema: z.ZodMiniType<LicenseKey> = z.object({
  id: uuidSchema,
  name: z.string(),
  created_at: timestampSchema,
  updated_at: timestampSchema,
})
