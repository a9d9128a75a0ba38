const timestamp = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)?$/iu

/** Parses an ISO 8601 timestamp, as UTC if it has no time zone; `null` if it isn't one. */
export function timestampMs(text: string | null | undefined): number | null {
  const match = timestamp.exec(text ?? '')
  if (match === null) return null
  const [whole, zone] = match
  const ms = Date.parse(zone === undefined ? `${whole}Z` : whole)
  return Number.isNaN(ms) ? null : ms
}

/** Returns when a license ends: `'never'` for `null` on the wire, `null` for a missing or invalid field. */
export function endOf(text: string | null | undefined): number | 'never' | null {
  return text === null ? 'never' : timestampMs(text)
}

/** Returns the number of seats: `'unlimited'` for `null` on the wire, `null` for a missing field. */
export function limitOf(limit: number | null | undefined): number | 'unlimited' | null {
  return limit === null ? 'unlimited' : (limit ?? null)
}
