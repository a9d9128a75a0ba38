import * as z from 'zod/mini'
import { decisiveDateSchema, optionalCountSchema, optionalTextSchema, uuidSchema } from './wire-formats.ts'

/** A license's status. `ACTIVE` is the one value the service documents; others are possible. */
export type LicenseStatus = 'ACTIVE' | (string & {})

/** Grants access to a product on a limited number of devices. */
export interface License {
  /** UUID of the license. It is what a user pastes as "license key": treat it as a secret. */
  id: string
  /** How many keys the license can have at once; `null` when the answer holds no such number. */
  activation_limit: number | null
  /**
   * End of the license; read it with {@link toEndDate}. The service documents no `null`; one is accepted all the same,
   * as is a missing field, and means a license without end.
   */
  expires_at: string | null
  /** When the license was suspended, `null` when it is not. Read it with {@link toDate}. */
  suspended_at: string | null
  /** Uppercase. */
  status: LicenseStatus
  /** How many keys the license has now; `null` when the answer holds no such number. */
  activation_usage: number | null
  /** `<activation_usage>/<activation_limit>`, for people to read; `null` when the answer holds no such text. */
  activation_usage_formatted: string | null
  /** As the service sends it; `null` when the answer holds no such text. */
  created_at: string | null
  /** As the service sends it; `null` when the answer holds no such text. */
  updated_at: string | null
}

/**
 * Reads a {@link License}; fields it does not know are dropped. Only what decides whether the license may be used has
 * to be readable: `id`, `status`, `suspended_at` and `expires_at`, of which the last two may be absent.
 */
export const licenseSchema: z.ZodMiniType<License> = z.object({
  id: uuidSchema,
  activation_limit: optionalCountSchema,
  expires_at: decisiveDateSchema,
  suspended_at: decisiveDateSchema,
  status: z.string(),
  activation_usage: optionalCountSchema,
  activation_usage_formatted: optionalTextSchema,
  created_at: optionalTextSchema,
  updated_at: optionalTextSchema,
})
