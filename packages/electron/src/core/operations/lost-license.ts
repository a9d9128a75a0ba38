import { listsActivations, type ServicePort } from '../ports/service-port.ts'
import type { ProblemCause } from '../problem.ts'
import { isSameId } from '../record/same-id.ts'
import type { PendingActivation } from '../record/vault.ts'

/** The license whose seat an unanswered activation may have taken, where no list can show it: only its user can find it. */
export interface LostLicense {
  /** `null` if there is none. */
  readonly id: () => string | null
  /** How often an activation was dropped that may have taken a seat. */
  readonly count: () => number
  /** Notes that a pending activation is being dropped. @returns whether it may have taken a seat. */
  readonly drop: (pending: PendingActivation | null) => boolean
  /** Whether the seat of this license was lost since there were `countBefore` of them. */
  readonly wasLostSince: (countBefore: number, licenseId: string) => boolean
  /** Returns what to report after a license was activated. The seat is reported once beside another license. */
  readonly settle: (licenseId: string) => ProblemCause | null
}

/** Remembers that license until it or another one is activated. */
export function createLostLicense(service: ServicePort): LostLicense {
  let lostId: string | null = null
  let count = 0
  const isAbout = (licenseId: string): boolean => lostId !== null && isSameId(lostId, licenseId)

  return {
    id: () => lostId,
    count: () => count,
    drop(pending) {
      if (pending === null || pending.lateUntilMs === null || listsActivations(service)) return false
      lostId = pending.licenseId
      count += 1
      return true
    },
    wasLostSince: (countBefore, licenseId) => count > countBefore && isAbout(licenseId),
    settle(licenseId) {
      const isOther = lostId !== null && !isAbout(licenseId)
      lostId = null
      return isOther ? { code: 'seat-may-be-taken' } : null
    },
  }
}
