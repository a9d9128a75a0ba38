/** Milliseconds since the epoch of an ISO 8601 timestamp (six fractional digits welcome), or `null`. */
export function parseTimestamp(text: string): number | null {
  const ms = Date.parse(text)
  return Number.isNaN(ms) ? null : ms
}

/** The last moment a `Date` can hold; later ones are written as this one. */
const lastMs = 8.64e15

/** ISO 8601 UTC of a moment in milliseconds since the epoch. */
export function formatTimestamp(ms: number): string {
  return new Date(Math.max(-lastMs, Math.min(lastMs, ms))).toISOString()
}
