import * as z from 'zod/mini'
import { isAnyId } from '../ids.ts'
import { toDate, toEndDate } from '../timestamps.ts'
import { readFeatures, readPlan } from './terms.ts'

/** A UUID of any version, in either letter case. */
export const uuidSchema: z.ZodMiniType<string> = z.guid()

/** An id of any form, as a gateway in front of another service has them. */
export const anyIdSchema: z.ZodMiniType<string> = z.string().check(z.refine(isAnyId))

/**
 * A date that a decision depends on. A missing field means the same as `null`: there is none. Text that {@link toDate}
 * can't parse makes the whole answer unreadable, so that it never counts as "no end" or "not suspended".
 */
const decisiveDate = z._default(z.nullable(z.string().check(z.refine((text) => toDate(text) !== null))), null)

/** A text that no decision depends on; `null` if it is missing or has another type. */
const optionalText = z.catch(z.nullable(z.string()), null)

/** A count that is only displayed, or compared if known; `null` if it is missing, negative, huge or of another type. */
const optionalCount = z.catch(z.nullable(z.int().check(z.gte(0))), null)

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
    activation_limit: optionalCount,
    expires_at: decisiveDate,
    suspended_at: decisiveDate,
    status: z.string(),
    activation_usage: optionalCount,
    activation_usage_formatted: optionalText,
    created_at: optionalText,
    updated_at: optionalText,
    plan: planSchema,
    features: featuresSchema,
  })
}

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
    created_at: optionalText,
    updated_at: optionalText,
  })
}

/**
 * Whether a license may be used: its status is `ACTIVE`, it is not suspended, and it has not ended.
 *
 * It doesn't check whether this device still has its key (only *validate* does) or whether a seat is free
 * ({@link remainingSeats}). A status other than `ACTIVE` and an end that can't be parsed count as not usable.
 *
 * @param now the time to check, as a `Date` or in milliseconds since the epoch.
 */
export function isLicenseUsable(
  license: Pick<License, 'status' | 'suspended_at' | 'expires_at'>,
  now: Date | number,
): boolean {
  if (license.status !== 'ACTIVE' || license.suspended_at !== null) return false
  if (license.expires_at === null) return true
  const end = toEndDate(license.expires_at)
  return end !== null && end.getTime() > Number(now)
}

/**
 * How many more keys a license can have according to its own numbers. 0 if its limit was lowered below its usage;
 * `null` if the answer didn't contain both numbers.
 *
 * The service may still refuse an activation: its behavior at the limit is not documented, and another device may be
 * faster.
 */
export function remainingSeats(
  license: Pick<License, 'activation_limit' | 'activation_usage'>,
): number | null {
  const { activation_limit, activation_usage } = license
  return activation_limit === null || activation_usage === null
    ? null
    : Math.max(0, activation_limit - activation_usage)
}
