import type { LicensingSession } from '../licensing-session.ts'
import type { ProblemCause } from '../problem.ts'
import { isStillLate } from '../record/orphan-search.ts'
import { askService } from './ask-service.ts'

/** How many seats are in use. `count` is `undefined` if the service doesn't tell. */
export type SeatsInUse =
  | { readonly kind: 'told'; readonly count: number | undefined }
  | { readonly kind: 'unreachable'; readonly cause: ProblemCause }

/** Asks how many seats of a license are in use, where the service tells that without an activation. */
export async function readSeatsInUse(session: LicensingSession, licenseId: string): Promise<SeatsInUse> {
  const { seatsInUse } = session.ports.commerce
  if (seatsInUse === undefined) return { kind: 'told', count: undefined }
  const asked = await askService(session, () => seatsInUse(licenseId))
  if (asked.kind === 'answer') return { kind: 'told', count: asked.answer.value ?? undefined }
  const { kind, cause } = asked.failure
  // The reason of a refusal is stated when the license is activated.
  return kind === 'unreachable' ? { kind, cause } : { kind: 'told', count: undefined }
}

/**
 * Whether an activation whose answer was lost took no seat: it can't arrive anymore, and no more seats are in use than
 * before it was sent.
 */
export async function hasTakenNoSeat(session: LicensingSession, licenseId: string): Promise<boolean> {
  const { pending } = session.vault()
  const seatsBefore = pending?.seatsBefore
  if (seatsBefore === undefined || isStillLate(pending?.lateUntilMs ?? null, session.time.nowMs()))
    return false
  const seats = await readSeatsInUse(session, licenseId)
  return seats.kind === 'told' && seats.count !== undefined && seats.count <= seatsBefore
}
