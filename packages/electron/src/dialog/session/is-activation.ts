import type { LicensingState } from '../../shared/licensing-state.ts'

/** Whether a license became active between two states. Confirming a valid license doesn't count. */
export function isActivation(before: LicensingState | null, now: LicensingState | null): boolean {
  if (before === null || now?.status !== 'active') return false
  return !before.entitled || before.license?.maskedKey !== now.license?.maskedKey
}
