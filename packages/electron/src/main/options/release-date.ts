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

/** What to log about a date in the future. */
export const futureRelease: string =
  'build.releasedAt is in the future: let your bundler set the date of this build, and check the clock of this computer'

/** A user's clock may be wrong, so a date in the future is reported only while you develop. */
export function isFutureRelease(
  releasedAtMs: number | undefined,
  { isPackaged }: { readonly isPackaged: boolean },
): boolean {
  return !isPackaged && releasedAtMs !== undefined && releasedAtMs > Date.now() + 86_400_000
}
