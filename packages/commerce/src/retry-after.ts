/**
 * Reads `Retry-After`, which is a number of seconds or a date.
 *
 * @param serverDateMs the answer's own `Date`, against which a date is measured: the local clock may be wrong.
 * @returns milliseconds from now, or `null` when there is no such header or it is neither.
 */
export function retryAfterMs(headers: Headers, serverDateMs: number | null): number | null {
  const value = headers.get('retry-after')?.trim()
  if (value === undefined) return null
  if (/^\d+$/.test(value)) return Number(value) * 1000
  const dateMs = httpDateMs(value)
  return dateMs === null ? null : Math.max(0, dateMs - (serverDateMs ?? Date.now()))
}

/** Reads an HTTP date such as `Sun, 06 Nov 1994 08:49:37 GMT`; `null` when it is none. */
export function httpDateMs(value: string | null | undefined): number | null {
  // Date.parse alone takes "-1" for a year.
  if (value == null || !/^[A-Z][a-z]{2,8},? /.test(value)) return null
  const dateMs = Date.parse(value)
  return Number.isNaN(dateMs) ? null : dateMs
}
