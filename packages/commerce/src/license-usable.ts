import type { License } from './license.ts'
import { toEndDate } from './timestamps.ts'

/**
 * Whether a license may be used: its status is `ACTIVE`, it is not suspended, and its end lies ahead or it has none.
 *
 * Leaves undecided: whether this device still has its key (only *validate* says so), whether a seat is free
 * ({@link remainingSeats}), and what a status other than `ACTIVE` means; none of them counts as usable. Neither does an
 * end that is no timestamp.
 *
 * @param now the moment to decide for, as a `Date` or in milliseconds since the epoch.
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
 * How many more keys a license can get by its own numbers; 0 when its limit was lowered below its usage, `null` when
 * the answer did not hold both numbers.
 *
 * Leaves undecided: whether the service will accept an activation. What it does at the limit is not documented, and
 * another device may be faster.
 */
export function remainingSeats(
  license: Pick<License, 'activation_limit' | 'activation_usage'>,
): number | null {
  const { activation_limit, activation_usage } = license
  return activation_limit === null || activation_usage === null
    ? null
    : Math.max(0, activation_limit - activation_usage)
}
