import { toDate, toEndDate } from '../formats/timestamps.ts'
import type { Discount } from './discount.ts'

/**
 * Whether a discount can be used at a given time: it is published, the time is within its validity period, and it
 * allows at least one redemption.
 *
 * It doesn't check how often the discount was already redeemed, because the service doesn't report it, so a discount
 * with `max_redemptions` may be used up. It also ignores `status`, because only one of its values is documented, and
 * whether the discount applies to a given product.
 *
 * @param now the time to check, as a `Date` or in milliseconds since the epoch.
 * @returns whether it can be used; `null` if the result depends on a `starts_at` or `ends_at` that can't be parsed,
 * such as `1 March`.
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
