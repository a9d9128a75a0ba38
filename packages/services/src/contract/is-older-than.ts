/** How much older than another response a list may be, in milliseconds. */
const longestListAgeMs = 60_000

/**
 * Whether a list is from a cache, because it is much older than another response that was requested just before. Such a
 * list doesn't prove that an activation is gone. If only the list has a date, the other response is from another host, and
 * the list proves nothing either.
 *
 * @param answeredAtMs the other response's `Date` in milliseconds since the epoch; `null` if there is none.
 * @param listedAtMs the list's `Date` in milliseconds since the epoch; `null` if there is none.
 */
export function isOlderThan(answeredAtMs: number | null, listedAtMs: number | null): boolean {
  return listedAtMs !== null && (answeredAtMs === null || answeredAtMs - listedAtMs > longestListAgeMs)
}
