import type { LicensingState } from '../../shared/licensing-state.ts'

/** Whether a license became active from one state to the next, beyond one that worked being confirmed. */
export function isActivation(before: LicensingState | null, now: LicensingState | null): boolean {
  if (before === null || now?.status !== 'active') return false
  return !before.entitled || before.license?.maskedKey !== now.license?.maskedKey
}
