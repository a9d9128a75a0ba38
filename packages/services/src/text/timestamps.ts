const timestamp = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)?$/iu

/** Reads an ISO 8601 timestamp, in UTC where it names no zone; `null` when it is none. */
export function timestampMs(text: string | null | undefined): number | null {
  const match = timestamp.exec(text ?? '')
  if (match === null) return null
  const [whole, zone] = match
  const ms = Date.parse(zone === undefined ? `${whole}Z` : whole)
  return Number.isNaN(ms) ? null : ms
}

/** When a license ends: `null` on the wire is "never", a field that is absent or unreadable is "not told". */
export function endOf(text: string | null | undefined): number | 'never' | null {
  return text === null ? 'never' : timestampMs(text)
}

/** How many seats there are: `null` on the wire is "unlimited", an absent field is "not told". */
export function limitOf(limit: number | null | undefined): number | 'unlimited' | null {
  return limit === null ? 'unlimited' : (limit ?? null)
}
