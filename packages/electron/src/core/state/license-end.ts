import { toEndDate } from '@latchkey/commerce'
import type { LicenseFacts, Verdict } from '../record/vault.ts'

const dayMs = 24 * 60 * 60 * 1000

/** When a license ends by itself, in milliseconds since the epoch; `Infinity` for one without end. */
export function endOf(license: LicenseFacts): number {
  if (license.expiresAt === null) return Number.POSITIVE_INFINITY
  return toEndDate(license.expiresAt)?.getTime() ?? Number.POSITIVE_INFINITY
}

/** The times at hand when an answer is read, in milliseconds since the epoch. */
export interface AnswerTimes {
  /** The answer's own `Date`; `null` when it has none. */
  readonly statedMs: number | null
  /** Whether a lease signs that time, so that no proxy can have made it up. */
  readonly isSigned: boolean
  /** This computer's wall clock. */
  readonly wallMs: number
}

/**
 * What an answer says about a license. A license called ACTIVE has expired only when the answer's own time says so and
 * the computer's clock doesn't contradict it: it shows a time after the end too, or is behind that time by a day at most.
 * A wrong clock, or a proxy with a wrong one, must not lock anybody out.
 */
export function verdictOf(license: LicenseFacts, times: AnswerTimes): Exclude<Verdict, 'revoked'> {
  if (license.suspendedAt !== null) return 'suspended'
  const { statedMs, isSigned, wallMs } = times
  const endMs = endOf(license)
  // The license does not entitle anyway: the time only picks the word for it.
  if (license.status !== 'ACTIVE') return (statedMs ?? wallMs) >= endMs ? 'expired' : 'inactive'
  if (statedMs === null || statedMs < endMs) return 'valid'
  const isContradicted = wallMs < endMs && statedMs - wallMs > dayMs
  return isSigned || !isContradicted ? 'expired' : 'valid'
}

/**
 * Where a license that was last answered as valid stands between two answers.
 *
 * - `ahead`: it has not ended.
 * - `in-doubt`: the answer came after the end, by the same clock. Clock and service disagree, and the service counts.
 * - `renewal`: it ended since, and may have been renewed without this device hearing of it.
 * - `over`: it ended, and the time for a renewal is over too.
 */
export type EndPhase = 'ahead' | 'in-doubt' | 'renewal' | 'over'

/** Moments in milliseconds on the high-water mark. */
export interface EndTimes {
  readonly endMs: number
  /** When the service last said valid. */
  readonly validAtMs: number
  readonly nowMs: number
  /** How long a renewal may stay unheard of, in milliseconds. */
  readonly renewalMs: number
}

export function endPhaseOf({ endMs, validAtMs, nowMs, renewalMs }: EndTimes): EndPhase {
  if (nowMs < endMs) return 'ahead'
  if (validAtMs >= endMs) return 'in-doubt'
  return nowMs < endMs + renewalMs ? 'renewal' : 'over'
}
