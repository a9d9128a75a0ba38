/** Reads an HTTP date such as `Sun, 06 Nov 1994 08:49:37 GMT`; `null` when it is none. */
export function httpDateMs(value: string | null): number | null {
  // Date.parse alone takes "-1" for a year, and reads a date without a zone in local time.
  if (value === null || !/^[A-Z][a-z]{2,8},? .* (?:GMT|UTC)$/u.test(value)) return null
  const dateMs = Date.parse(value)
  return Number.isNaN(dateMs) ? null : dateMs
}

/** Reads `Retry-After`, a number of seconds or a date, as milliseconds from now. */
export function retryAfterMs(headers: Headers, serverDateMs: number | null): number | null {
  const value = headers.get('retry-after')?.trim() ?? ''
  if (/^\d+$/u.test(value)) return Number(value) * 1000
  const dateMs = httpDateMs(value)
  // Measured against the server's own clock: the local one may be wrong.
  return dateMs === null ? null : Math.max(0, dateMs - (serverDateMs ?? Date.now()))
}
