import { toDate } from '@latchkey/commerce'

/**
 * Reads when a build was released. Text without an offset is UTC, whatever this computer's time zone.
 *
 * @returns milliseconds since the epoch; `null` if it can't be read.
 */
export function readReleaseDate(releasedAt: unknown): number | null {
  const date = typeof releasedAt === 'string' ? toDate(releasedAt) : releasedAt
  const ms = date instanceof Date ? date.getTime() : Number.NaN
  return Number.isNaN(ms) ? null : ms
}
