import { endOf } from '../record/proven-end.ts'
import type { LicenseFacts, Verdict } from '../record/vault.ts'

const dayMs = 24 * 60 * 60 * 1000

/** The times available when an answer is read, in milliseconds since the epoch. */
export interface AnswerTimes {
  /** The answer's own `Date`; `null` if it has none. */
  readonly statedMs: number | null
  /** Whether a lease signs that time, so that no proxy can have forged it. */
  readonly isSigned: boolean
  /** This computer's wall clock. */
  readonly wallMs: number
}

/**
 * Returns the verdict of an answer about a license. An ACTIVE license counts as expired only if the answer's own time
 * is past the end and the computer's clock agrees: it is also past the end, or behind that time by at most a day.
 * A wrong clock, or a proxy with a wrong one, must not lock anyone out.
 */
export function verdictOf(license: LicenseFacts, times: AnswerTimes): Exclude<Verdict, 'revoked'> {
  if (license.suspendedAt !== null) return 'suspended'
  const { statedMs, isSigned, wallMs } = times
  const endMs = endOf(license)
  // The license doesn't entitle in either case. The time only decides which status is shown.
  if (license.status !== 'ACTIVE') return (statedMs ?? wallMs) >= endMs ? 'expired' : 'inactive'
  if (statedMs === null || statedMs < endMs) return 'valid'
  const isContradicted = wallMs < endMs && statedMs - wallMs > dayMs
  return isSigned || !isContradicted ? 'expired' : 'valid'
}

/**
 * The phase of a license that was valid at the last answer.
 *
 * - `ahead`: it has not ended.
 * - `in-doubt`: the valid answer came after the end, by the same clock. Clock and service disagree, and the service
 * wins.
 * - `renewal`: it has ended since, and may have been renewed without this device knowing.
 * - `over`: it has ended, and the time for a renewal is over too.
 */
export type EndPhase = 'ahead' | 'in-doubt' | 'renewal' | 'over'

/** Times in milliseconds on the high-water mark. */
export interface EndTimes {
  readonly endMs: number
  /** When the service last confirmed the license. */
  readonly validAtMs: number
  readonly nowMs: number
  /** How long a renewal may go unnoticed, in milliseconds. */
  readonly renewalMs: number
}

export function endPhaseOf({ endMs, validAtMs, nowMs, renewalMs }: EndTimes): EndPhase {
  if (nowMs < endMs) return 'ahead'
  if (validAtMs >= endMs) return 'in-doubt'
  return nowMs < endMs + renewalMs ? 'renewal' : 'over'
}
