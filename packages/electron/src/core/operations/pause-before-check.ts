import type { LicensingRules } from '../licensing-core.ts'
import { isInDoubt } from '../record/seats/revocation.ts'
import type { ActivationRecord } from '../record/vault.ts'
import { coveredUntilMs } from '../state/coverage.ts'
import type { Entitlement } from '../state/entitlement.ts'

/** Checks again within the hour while an answer may change soon, even with jitter. */
const soonMs = 50 * 60 * 1000

/**
 * How long to wait for the next check after a definite answer, in milliseconds. The schedule has a minimum of its own.
 *
 * @param activation `null` if this device isn't activated.
 * @param nowMs the high-water mark.
 */
export function pauseBeforeCheckMs(
  activation: ActivationRecord | null,
  entitlement: Entitlement,
  nowMs: number,
  { recheckMs, renewalGraceMs }: Pick<LicensingRules, 'recheckMs' | 'renewalGraceMs'>,
): number {
  if (activation === null) return recheckMs
  const isEndInDoubt = 'isEndInDoubt' in entitlement && entitlement.isEndInDoubt
  if (isEndInDoubt || isInDoubt(activation, nowMs)) return Math.min(soonMs, recheckMs)
  const isLocked = entitlement.status === 'expired' || entitlement.status === 'not-covered'
  const endedForMs = nowMs - coveredUntilMs(activation)
  if (!isLocked || endedForMs < 0 || endedForMs >= renewalGraceMs) return recheckMs
  // A service may learn of a renewal a little later. The longer it takes, the less often it is asked.
  return Math.min(endedForMs, soonMs, recheckMs)
}

const leastRecheckMs = 6 * 60 * 1000

/**
 * How often to check while the app runs, in milliseconds: at least twice within grace. With a longer pause, one failed check
 * would lock out a user whose last check succeeded. Without grace, every failed check does.
 */
export function recheckWithinGrace(recheckMs: number, graceMs: number): number {
  return graceMs === 0 ? recheckMs : Math.min(recheckMs, Math.max(leastRecheckMs, graceMs / 2))
}
