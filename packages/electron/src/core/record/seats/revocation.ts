import type { Problem, ProblemCode } from '../../../shared/problem.ts'
import { isSameId } from '../same-id.ts'
import type { ActivationRecord, Vault } from '../vault.ts'
import { isOfOtherService } from './service-of-record.ts'

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
 * license stays pending, and would keep the other one away for good. One without a free seat gives way if it was requested
 * before that loss, which is what the user sees.
 *
 * @param vault after that attempt, whose result is the second argument.
 * @param requestedAtMs when the pending one had been requested before that attempt.
 * @returns `null` if there is no such license, or the attempt had another outcome.
 */
export function licenseInstead(
  { activation, pending }: Vault,
  { problem }: { readonly ok: boolean; readonly problem?: Pick<Problem, 'code'> },
  requestedAtMs: number | undefined,
): string | null {
  if (problem === undefined || pending === null || activation?.verdict !== 'revoked') return null
  // The service in use can't know it.
  if (isOfOtherService(activation)) return null
  const { code } = problem
  const isRefused =
    refusals.has(code) || (code === 'no-seat-left' && (requestedAtMs ?? 0) < activation.decidedAtMs)
  return isRefused && !isSameId(activation.licenseId, pending.licenseId) ? activation.licenseId : null
}
