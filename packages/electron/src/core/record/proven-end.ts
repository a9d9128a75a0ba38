import { toEndDate } from '@latchkey/commerce'
import { formatTimestamp } from '../../shared/timestamp.ts'
import type { ActivationRecord, LicenseFacts } from './vault.ts'

/** When a license ends, in milliseconds since the epoch; `Infinity` if it has no end. */
export function endOf(license: Pick<LicenseFacts, 'expiresAt'>): number {
  if (license.expiresAt === null) return Number.POSITIVE_INFINITY
  return toEndDate(license.expiresAt)?.getTime() ?? Number.POSITIVE_INFINITY
}

/** How old an end is at least if it isn't the time of the answer itself, in milliseconds. */
const oldestUntoldMs = 5 * 60 * 1000

/**
 * Returns the facts of a license that has ended, with an end that doesn't move. Some services say that a license has
 * ended but not when. A gateway then sends the time of its answer, because a past end is what means "expired". So such
 * an end doesn't replace an earlier one that is known, or else the time of the last valid answer.
 *
 * @param nowMs the high-water mark when the answer came.
 */
export function withProvenEnd(
  license: LicenseFacts,
  known: Pick<ActivationRecord, 'license' | 'validAtMs'>,
  nowMs: number,
): LicenseFacts {
  const endMs = endOf(license)
  if (license.status === 'ACTIVE' || !Number.isFinite(endMs) || endMs < nowMs - oldestUntoldMs) return license
  const knownMs = endOf(known.license)
  const isKnown = Number.isFinite(knownMs)
  if ((isKnown ? knownMs : known.validAtMs) >= endMs) return license
  return { ...license, expiresAt: isKnown ? known.license.expiresAt : formatTimestamp(known.validAtMs) }
}
