import type { Discount } from './discount.ts'
import { toDate, toEndDate } from './timestamps.ts'

/**
 * Whether a discount can be used at a moment: it is published, the moment lies in its validity, and it allows any
 * redemptions at all.
 *
 * Leaves undecided: how often it was redeemed already, since the service does not say, so a discount with
 * `max_redemptions` may be used up; what its `status` means, for one value alone is documented; and whether it applies
 * to a given product.
 *
 * @param now the moment to decide for, as a `Date` or in milliseconds since the epoch.
 * @returns `null` when `starts_at` or `ends_at` would decide but is no moment one can read, such as `1 March`.
 */
export function isDiscountOpen(
  discount: Pick<Discount, 'published' | 'starts_at' | 'ends_at' | 'max_redemptions'>,
  now: Date | number,
): boolean | null {
  if (!discount.published || discount.max_redemptions === 0) return false
  const start = discount.starts_at === null ? Number.NEGATIVE_INFINITY : toDate(discount.starts_at)?.getTime()
  const end = discount.ends_at === null ? Number.POSITIVE_INFINITY : toEndDate(discount.ends_at)?.getTime()
  if (start !== undefined && start > Number(now)) return false
  if (end !== undefined && end <= Number(now)) return false
  return start === undefined || end === undefined ? null : true
}
