/**
 * Parses `Retry-After`, which is a number of seconds or a date.
 *
 * @param header its value; `null` if the answer has none.
 * @param serverDateMs the answer's own `Date`. A date is relative to it, because the local clock may be wrong.
 * @returns milliseconds from now; `null` if the header is missing or invalid.
 */
export function retryAfterMs(header: string | null, serverDateMs: number | null): number | null {
  const value = header?.trim()
  if (value === undefined) return null
  if (/^\d+$/.test(value)) return Number(value) * 1000
  const dateMs = httpDateMs(value)
  return dateMs === null ? null : Math.max(0, dateMs - (serverDateMs ?? Date.now()))
}

// The only one of the three formats without a time zone. It is in UTC:
// https://www.rfc-editor.org/rfc/rfc9110#section-5.6.7
const asctime = /^([A-Z][a-z]{2}) ([A-Z][a-z]{2}) {1,2}(\d{1,2}) (\d\d:\d\d:\d\d) (\d{4})$/

/** Parses an HTTP date such as `Sun, 06 Nov 1994 08:49:37 GMT`; `null` if it is invalid. */
export function httpDateMs(value: string | null | undefined): number | null {
  const date = value?.replace(asctime, '$1, $3 $2 $5 $4 GMT') ?? ''
  // Date.parse alone would read "-1" as a year, and a date without a zone as local time.
  if (!/^[A-Z][a-z]{2,8},? .* (?:GMT|UTC|[+-]\d{4})$/.test(date)) return null
  const dateMs = Date.parse(date)
  return Number.isNaN(dateMs) ? null : dateMs
}
