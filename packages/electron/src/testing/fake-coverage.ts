import { readReleaseDate } from '../main/options/release-date.ts'
import type { LicensingState } from '../shared/licensing-state.ts'
import { parseTimestamp } from '../shared/timestamp.ts'

/** Whether a fake's license covers a build, by its `expiresAt` alone. */
export function isCovered(
  { license }: LicensingState,
  releasedAt: string | Date | null | undefined,
): boolean {
  const endMs = parseTimestamp(license?.expiresAt ?? '')
  return endMs === null || (readReleaseDate(releasedAt) ?? Date.now()) <= endMs
}
