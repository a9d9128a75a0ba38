import { listsActivations, type ServicePort } from '../ports/service-port.ts'
import { isUncertain, type ProblemCause } from '../problem.ts'
import { isSameId } from '../record/same-id.ts'
import type { PendingActivation, Vault } from '../record/vault.ts'
import type { LeftOvers } from './online/check.ts'

/** The license whose seat an unanswered activation may have taken, where no list can show it: only its user can find it. */
export interface LostLicense {
  /** `null` if there is none. */
  readonly id: () => string | null
  /** How often an activation was dropped, or left open by the app itself, that may have taken a seat. */
  readonly count: () => number
  /** Notes that a pending activation is being dropped. @returns whether it may have taken a seat. */
  readonly drop: (pending: PendingActivation | null) => boolean
  /** Runs what the app itself does to finish an activation, and adds a lost seat to its outcome. */
  readonly watch: (vault: () => Vault, settle: () => Promise<LeftOvers | null>) => Promise<LeftOvers | null>
  /** Returns what to tell a user who asked for this license before that was known; `null` if nothing was lost since. */
  readonly lossSince: (countBefore: number, licenseId: string) => ProblemCause | null
  /** Returns what to report after a license was activated. The seat is reported once beside another license. */
  readonly settle: (licenseId: string) => ProblemCause | null
}

/** Remembers that license until it or another one is activated. */
export function createLostLicense(service: ServicePort): LostLicense {
  let lostId: string | null = null
  let count = 0
  let open: { readonly licenseId: string; readonly cause: ProblemCause } | null = null
  const isAbout = (licenseId: string): boolean => lostId !== null && isSameId(lostId, licenseId)

  function settle(licenseId: string): ProblemCause | null {
    const isOther = lostId !== null && !isAbout(licenseId)
    lostId = null
    open = null
    return isOther ? { code: 'seat-may-be-taken' } : null
  }

  return {
    id: () => lostId,
    count: () => count,
    drop(pending) {
      if (pending === null || pending.lateUntilMs === null || listsActivations(service)) return false
      lostId = pending.licenseId
      count += 1
      return true
    },
    async watch(vault, finish) {
      const { pending: before } = vault()
      const outcome = await finish()
      const { pending } = vault()
      if (outcome === null || before === null) return outcome
      const { problem, isValidated } = outcome
      if (isValidated) return { ...outcome, problem: problem ?? settle(before.licenseId) }
      const wasSent = pending !== null && pending.lateUntilMs !== before.lateUntilMs
      if (wasSent && problem !== null && isUncertain(problem)) {
        open = { licenseId: pending.licenseId, cause: problem }
        count += 1
      }
      return outcome
    },
    lossSince(countBefore, licenseId) {
      if (count === countBefore) return null
      if (open !== null && isSameId(open.licenseId, licenseId)) return open.cause
      return isAbout(licenseId) ? { code: 'seat-may-be-taken' } : null
    },
    settle,
  }
}
