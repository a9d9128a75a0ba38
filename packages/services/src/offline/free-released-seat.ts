import { isOlderThan } from '../contract/is-older-than.ts'
import type { RefusalReason, Unavailable, UnavailableCause } from '../contract/outcome.ts'
import type { OfflineActivationService } from './activate-for-request.ts'
import { mayBeSame } from './may-be-same.ts'
import type { ReleaseTicket } from './release-ticket.ts'

/** What became of the seat of a release code. */
export type OfflineRelease<Failed extends Unavailable = Unavailable> =
  | { readonly kind: 'freed' }
  /** It was free before: the service's list proves it. */
  | { readonly kind: 'already-free' }
  | { readonly kind: 'refused'; readonly reason: RefusalReason }
  /** Nothing definite is known. */
  | { readonly kind: 'failed'; readonly outcome: Failed }

/** How a service without documented errors refuses to free what is gone. */
const refusals: readonly UnavailableCause[] = ['not-found', 'rejected']

/**
 * Frees the seat of a release code that was verified. A refusal alone doesn't prove that the seat is free: only a whole
 * list without the activation does, unless it is older than the refusal.
 */
export async function freeReleasedSeat<Failed extends Unavailable>(
  service: Pick<OfflineActivationService<Failed>, 'deactivate' | 'listActivations'>,
  { licenseKey, activationId, fingerprint }: ReleaseTicket,
): Promise<OfflineRelease<Failed>> {
  // A service may answer that it frees what is gone.
  const before = await service.listActivations({ licenseKey })
  const outcome = await service.deactivate({ licenseKey, activationId, fingerprint })
  const isGoneFrom = (listed: typeof before): boolean =>
    listed.kind === 'answer' &&
    listed.value.isWhole &&
    !isOlderThan(outcome.serverDateMs, listed.serverDateMs) &&
    !listed.value.activations.some(({ id }) => mayBeSame(id, activationId))
  if (outcome.kind === 'answer') return { kind: isGoneFrom(before) ? 'already-free' : 'freed' }
  // The service that has the seat may be the one that didn't answer, whatever another one lists.
  if (outcome.kind === 'unavailable' && !refusals.includes(outcome.cause)) return { kind: 'failed', outcome }
  const isGone = isGoneFrom(await service.listActivations({ licenseKey }))
  if (outcome.kind === 'refusal') {
    return isGone ? { kind: 'already-free' } : { kind: 'refused', reason: outcome.reason }
  }
  return isGone ? { kind: 'already-free' } : { kind: 'failed', outcome }
}
