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

const dayPattern = /^\d{4}-\d{2}-\d{2}$/
const dayMs = 86_400_000

/**
 * Returns when a license ends, in milliseconds since the epoch; `null` if the text is no timestamp. A date without a time
 * includes that day, as in the decision whether the license has ended.
 */
export function parseEnd(timestamp: string): number | null {
  const ms = parseTimestamp(timestamp)
  return ms !== null && dayPattern.test(timestamp) ? ms + dayMs : ms
}

/** Writes a day out in a language; `null` if the text is no timestamp. A date without a time is that day everywhere. */
export function formatDay(timestamp: string, locale: string): string | null {
  const ms = parseTimestamp(timestamp)
  if (ms === null) return null
  const timeZone = dayPattern.test(timestamp) ? 'UTC' : undefined
  return new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone }).format(ms)
}
