/** Parses an ISO 8601 timestamp (up to six fractional digits) to milliseconds since the epoch; `null` if invalid. */
export function parseTimestamp(text: string): number | null {
  const ms = Date.parse(text)
  return Number.isNaN(ms) ? null : ms
}

/** The latest time a `Date` can hold, in milliseconds. Later times are formatted as this one. */
const lastMs = 8.64e15

/** Formats milliseconds since the epoch as ISO 8601 UTC. */
export function formatTimestamp(ms: number): string {
  return new Date(Math.max(-lastMs, Math.min(lastMs, ms))).toISOString()
}
