import * as z from 'zod/mini'
import {
  decisiveDateSchema,
  optionalCountSchema,
  optionalTextSchema,
  uuidSchema,
} from '../formats/wire-formats.ts'
import { readFeatures, readPlan } from './license-terms.ts'

/** A license's status. `ACTIVE` is the only documented value; others are possible. */
export type LicenseStatus = 'ACTIVE' | (string & {})

/** Grants access to a product on a limited number of devices. */
export interface License {
  /** UUID of the license. Users paste it as their license key, so treat it as a secret. */
  id: string
  /** Maximum number of keys at the same time; `null` if the answer has no such number. */
  activation_limit: number | null
  /**
   * End of the license. Parse it with `toEndDate`. The service documents no `null`, but `null` and a missing
   * field are accepted and mean that the license has no end.
   */
  expires_at: string | null
  /** When the license was suspended; `null` if it isn't. Parse it with `toDate`. */
  suspended_at: string | null
  /** Uppercase. */
  status: LicenseStatus
  /** Current number of keys; `null` if the answer has no such number. */
  activation_usage: number | null
  /** `<activation_usage>/<activation_limit>`, for display; `null` if the answer has no such text. */
  activation_usage_formatted: string | null
  /** As sent by the service; `null` if the answer has no such text. */
  created_at: string | null
  /** As sent by the service; `null` if the answer has no such text. */
  updated_at: string | null
  /** The plan, only sent by a gateway; `null` if there is none. */
  plan?: string | null | undefined
  /** What the license includes, only sent by a gateway: at most 100 texts. */
  features?: readonly string[] | undefined
}

const planSchema = z.pipe(z.optional(z.unknown()), z.transform<unknown, License['plan']>(readPlan))
const featuresSchema = z.pipe(
  z.optional(z.unknown()),
  z.transform<unknown, License['features']>(readFeatures),
)

/**
 * Parses a {@link License} and drops unknown fields. Only the fields that decide whether the license may be used are
 * required: `id`, `status`, `suspended_at` and `expires_at`. The last two may be missing.
 */
export const licenseSchema: z.ZodMiniType<License> = licenseSchemaOf(uuidSchema)

/** Creates the same schema for ids of another form. */
export function licenseSchemaOf(idSchema: z.ZodMiniType<string>): z.ZodMiniType<License> {
  return z.object({
    id: idSchema,
    activation_limit: optionalCountSchema,
    expires_at: decisiveDateSchema,
    suspended_at: decisiveDateSchema,
    status: z.string(),
    activation_usage: optionalCountSchema,
    activation_usage_formatted: optionalTextSchema,
    created_at: optionalTextSchema,
    updated_at: optionalTextSchema,
    plan: planSchema,
    features: featuresSchema,
  })
}
