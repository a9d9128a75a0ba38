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

const noDate =
  'licensing.covers() got something that is not a date, so the build counts as released now. The app could download an update ' +
  'that locks its user out: pass the release date, such as "2026-11-22T10:00:00Z" or a Date, not a version'

/**
 * Creates {@link readReleaseDate} for `covers`.
 *
 * @param warn called once, for the first argument that can't be read. A release may have no date.
 */
export function createReleaseReader(
  warn: ((warning: string) => void) | undefined,
): (releasedAt: unknown) => number | null {
  let isTold = false
  return (releasedAt) => {
    const releasedAtMs = readReleaseDate(releasedAt)
    if (releasedAtMs === null && releasedAt != null && !isTold) {
      isTold = true
      warn?.(noDate)
    }
    return releasedAtMs
  }
}

const futureRelease =
  'build.releasedAt is in the future: let your bundler set the date of this build, and check the clock of this computer'

const launchAsRelease =
  'build.releasedAt is the time of this launch: let your bundler set it when it builds the app. ' +
  'Otherwise, a license that ends covers no launch after its end'

/** What a release date is compared with. */
export interface LaunchFacts {
  readonly isPackaged: boolean
  /** When this process started, in milliseconds since the epoch. @default not known */
  readonly startedAtMs?: number
}

/** Returns what to log about a release date. */
export function releaseWarnings(
  releasedAtMs: number | undefined,
  endsUpdates: boolean,
  { isPackaged, startedAtMs = Number.POSITIVE_INFINITY }: LaunchFacts,
): readonly string[] {
  if (releasedAtMs === undefined) return []
  const nowMs = Date.now()
  // A user's clock may be wrong, so a date in the future is reported only while you develop.
  if (!isPackaged && releasedAtMs > nowMs + 86_400_000) return [futureRelease]
  // No bundler set a date between the start and now.
  return endsUpdates && releasedAtMs > startedAtMs && releasedAtMs <= nowMs ? [launchAsRelease] : []
}
