import type { Timestamp } from './wire.ts'

/** Formats microseconds since 1970 as `YYYY-MM-DDTHH:MM:SS.ffffffZ`. */
export function formatMicroseconds(microseconds: number): Timestamp {
  const milliseconds = Math.floor(microseconds / 1000)
  const rest = String(microseconds - milliseconds * 1000).padStart(3, '0')
  return `${new Date(milliseconds).toISOString().slice(0, -1)}${rest}Z`
}

/** Brings any date `Date` can read into the wire's form; six given digits are kept. */
export function toTimestamp(date: string | Date): Timestamp {
  if (typeof date === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/.test(date)) return date
  return formatMicroseconds(new Date(date).getTime() * 1000)
}

/** The service's clock. */
export interface ServiceClock {
  /** Milliseconds since 1970. */
  nowMs(): number
  /** The present as a timestamp; never the same twice, so that an order by `created_at` is a total one. */
  timestamp(): Timestamp
}

/**
 * A clock over `nowMs`.
 *
 * @param nowMs Milliseconds since 1970. @default Date.now
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
