import type { ProblemCode } from '../../../shared/problem.ts'
import { isSameId } from '../same-id.ts'
import type { ActivationRecord, Vault } from '../vault.ts'

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

const refusals: ReadonlySet<ProblemCode> = new Set([
  'license-not-found',
  'license-expired',
  'license-suspended',
  'license-inactive',
])

/**
 * Returns the license that this device lost, to be activated after the pending one was refused. Without a list, a refused
 * license stays pending, and would keep the other one away for good.
 *
 * @param vault after that attempt.
 * @param code why it failed; `undefined` if it didn't.
 * @returns `null` if there is no such license, or the attempt had another outcome.
 */
export function licenseInstead({ activation, pending }: Vault, code: ProblemCode | undefined): string | null {
  if (code === undefined || !refusals.has(code)) return null
  if (pending === null || activation?.verdict !== 'revoked') return null
  return isSameId(activation.licenseId, pending.licenseId) ? null : activation.licenseId
}
