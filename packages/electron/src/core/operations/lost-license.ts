import { listsActivations, type ServicePort } from '../ports/service-port.ts'
import { isUncertain, type ProblemCause } from '../problem.ts'
import { isSameId } from '../record/same-id.ts'
import type { PendingActivation, Vault } from '../record/vault.ts'
import type { ActivationOutcome } from './online/adoption.ts'
import type { LeftOvers } from './online/check.ts'

/** What a user who asks for a license may not know yet. */
export interface Asked {
  readonly licenseId: string
  /** What was pending when it was this user's turn. */
  readonly pending: PendingActivation | null
  /** The problem that is shown. */
  readonly shown: { readonly code: ProblemCause['code'] } | null
  /** How many seats were lost before the user asked. */
  readonly countBefore: number
}

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
  /**
   * Returns what to tell users before another seat may be taken for them, because it happened after they asked or isn't
   * shown; `null` if they know everything.
   */
  readonly untold: (asked: Asked) => ProblemCause | null
  /** Returns what to report after an activation. The seat is reported once beside another license. */
  readonly settle: (licenseId: string, outcome: ActivationOutcome) => ProblemCause | null
}

/** Remembers that license until it or another one is activated. */
export function createLostLicense(service: ServicePort): LostLicense {
  let lostId: string | null = null
  let count = 0
  let open: { readonly licenseId: string; readonly cause: ProblemCause } | null = null
  // The license whose user was told that an activation has an unknown outcome.
  let toldId: string | null = null
  const isSame = (one: string | null, other: string): boolean => one !== null && isSameId(one, other)

  function settle(licenseId: string, outcome: ActivationOutcome): ProblemCause | null {
    if (!outcome.ok) {
      if (isUncertain(outcome.cause)) toldId = licenseId
      return null
    }
    const isOther = lostId !== null && !isSameId(lostId, licenseId)
    lostId = null
    open = null
    toldId = null
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
      if (isValidated)
        return { ...outcome, problem: problem ?? settle(before.licenseId, { ok: true, cause: null }) }
      const wasSent = pending !== null && pending.lateUntilMs !== before.lateUntilMs
      if (wasSent && problem !== null && isUncertain(problem)) {
        open = { licenseId: pending.licenseId, cause: problem }
        count += 1
      }
      return outcome
    },
    untold({ licenseId, pending, shown, countBefore }) {
      if (count !== countBefore) {
        if (open !== null && isSameId(open.licenseId, licenseId)) return open.cause
        if (isSame(lostId, licenseId)) return { code: 'seat-may-be-taken' }
      }
      const isPending = pending !== null && isSameId(pending.licenseId, licenseId)
      const isOpen = isPending && pending.lateUntilMs !== null && !listsActivations(service)
      if (!isOpen || isSame(toldId, licenseId)) return null
      toldId = licenseId
      return isUncertain(shown) ? null : { code: 'seat-may-be-taken' }
    },
    settle,
  }
}
