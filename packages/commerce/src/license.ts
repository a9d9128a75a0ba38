import * as z from 'zod/mini'
import { timestampSchema, uuidSchema } from './wire-formats.ts'

/** A license's status. `ACTIVE` is the one value the service documents; others are possible. */
export type LicenseStatus = 'ACTIVE' | (string & {})

/** Grants access to a product on a limited number of devices. */
export interface License {
  /** UUID of the license. It is what a user pastes as "license key": treat it as a secret. */
  id: string
  /** How many keys the license can have at once. */
  activation_limit: number
  /**
   * End of the license as a timestamp. The service documents no `null`; one is accepted all the same and means a
   * license without end.
   */
  expires_at: string | null
  /** When the license was suspended, `null` when it is not. */
  suspended_at: string | null
  /** Uppercase. */
  status: LicenseStatus
  /** How many keys the license has now. */
  activation_usage: number
  /** `<activation_usage>/<activation_limit>`, for people to read. */
  activation_usage_formatted: string
  created_at: string
  updated_at: string
}

/** Reads a {@link License}; fields it does not know are dropped. */
export const licenseSchema: z.ZodMiniType<License> = z.object({
  id: uuidSchema,
  activation_limit: z.int(),
  expires_at: z.nullable(timestampSchema),
  suspended_at: z.nullable(timestampSchema),
  status: z.string(),
  activation_usage: z.int(),
  activation_usage_formatted: z.string(),
  created_at: timestampSchema,
  updated_at: timestampSchema,
})
