/** Parses an HTTP date such as `Sun, 06 Nov 1994 08:49:37 GMT`; `null` if it isn't one. */
export function httpDateMs(value: string | null): number | null {
  // Date.parse reads "-1" as a year, and a date without a time zone as local time.
  if (value === null || !/^[A-Z][a-z]{2,8},? .* (?:GMT|UTC)$/u.test(value)) return null
  const dateMs = Date.parse(value)
  return Number.isNaN(dateMs) ? null : dateMs
}

/** Converts `Retry-After`, which is in seconds or a date, to milliseconds from now. */
export function retryAfterMs(headers: Headers, serverDateMs: number | null): number | null {
  const value = headers.get('retry-after')?.trim() ?? ''
  if (/^\d+$/u.test(value)) return Number(value) * 1000
  const dateMs = httpDateMs(value)
  // Uses the server's clock, because the local clock may be wrong.
  return dateMs === null ? null : Math.max(0, dateMs - (serverDateMs ?? Date.now()))
}
