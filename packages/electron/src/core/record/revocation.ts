import type { ActivationRecord } from './vault.ts'

const dayMs = 24 * 60 * 60 * 1000

/**
 * Whether an activation was found to be gone less than a day ago. A service may list its keys from a copy that lags behind,
 * so the activation is looked for again soon, and its seat is not given up meanwhile.
 *
 * @param nowMs the high-water mark.
 */
export function isInDoubt({ verdict, revokedAtMs }: ActivationRecord, nowMs: number): boolean {
  return verdict === 'revoked' && revokedAtMs !== undefined && nowMs - revokedAtMs < dayMs
}
