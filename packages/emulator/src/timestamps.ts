import type { Timestamp } from './wire.ts'

/** Formats microseconds since 1970 as `YYYY-MM-DDTHH:MM:SS.ffffffZ`. */
export function formatMicroseconds(microseconds: number): Timestamp {
  const milliseconds = Math.floor(microseconds / 1000)
  const rest = String(microseconds - milliseconds * 1000).padStart(3, '0')
  return `${new Date(milliseconds).toISOString().slice(0, -1)}${rest}Z`
}

/** Converts any date that `Date` can parse to the wire format. Keeps up to six given fractional digits. */
export function toTimestamp(date: string | Date): Timestamp {
  if (typeof date === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/.test(date)) return date
  return formatMicroseconds(new Date(date).getTime() * 1000)
}

/** The service's clock. */
export interface ServiceClock {
  /** Milliseconds since 1970. */
  nowMs(): number
  /**
   * The current time as a timestamp. Never returns the same one twice, so that sorting by `created_at` is unambiguous.
   */
  timestamp(): Timestamp
}

/**
 * Creates a clock from `nowMs`.
 *
 * @param nowMs Returns milliseconds since 1970. @default Date.now
 */
export function createServiceClock(nowMs: () => number = Date.now): ServiceClock {
  let lastMicroseconds = 0
  return {
    nowMs,
    timestamp() {
      lastMicroseconds = Math.max(Math.floor(nowMs() * 1000), lastMicroseconds + 1)
      return formatMicroseconds(lastMicroseconds)
    },
  }
}
