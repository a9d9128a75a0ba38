import { toEndDate } from '../formats/timestamps.ts'
import type { License } from './license.ts'

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
