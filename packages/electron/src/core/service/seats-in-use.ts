import type { LicensingSession } from '../licensing-session.ts'
import type { ProblemCause } from '../problem.ts'
import { isStillLate } from '../record/orphan-search.ts'
import type { PendingActivation } from '../record/vault.ts'
import { askService } from './ask-service.ts'

/** How many seats are in use. `count` is `null` if the service doesn't report it. */
export type SeatsInUse =
  | { readonly kind: 'told'; readonly count: number | null }
  | { readonly kind: 'unreachable'; readonly cause: ProblemCause }

/** Asks how many seats of a license are in use, if the service reports that without an activation. */
export async function readSeatsInUse(session: LicensingSession, licenseId: string): Promise<SeatsInUse> {
  const { seatsInUse } = session.ports.commerce
  if (seatsInUse === undefined) return { kind: 'told', count: null }
  const asked = await askService(session, () => seatsInUse(licenseId))
  if (asked.kind === 'answer') return { kind: 'told', count: asked.answer.value }
  const { kind, cause } = asked.failure
  // The reason of a refusal is stated when the license is activated.
  return kind === 'unreachable' ? { kind, cause } : { kind: 'told', count: null }
}

/**
 * Whether an activation whose answer was lost took no seat: it can't arrive anymore, and no seat at all is in use. With
 * other seats in use, one of them may have been freed since.
 */
export async function hasTakenNoSeat(session: LicensingSession, sent: PendingActivation): Promise<boolean> {
  const { licenseId, lateUntilMs, seatsBefore } = sent
  if (seatsBefore === undefined || isStillLate(lateUntilMs, session.time.nowMs())) return false
  const seats = await readSeatsInUse(session, licenseId)
  return seats.kind === 'told' && seats.count === 0
}
