import type { ActivationRecord } from '../vault.ts'

const dayMs = 24 * 60 * 60 * 1000

/**
 * Whether an activation was found missing less than a day ago. A service may list its keys from an outdated copy, so
 * Latchkey looks for the activation again soon and keeps its seat until then.
 *
 * @param nowMs the high-water mark, in milliseconds since the epoch.
 */
export function isInDoubt({ verdict, revokedAtMs }: ActivationRecord, nowMs: number): boolean {
  return verdict === 'revoked' && revokedAtMs !== undefined && nowMs - revokedAtMs < dayMs
}
