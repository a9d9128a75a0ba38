import { isUncertain } from '../../shared/problem.ts'
import { listsActivations, type ServicePort } from '../ports/service-port.ts'
import type { ProblemCause } from '../problem.ts'
import { isSameId } from '../record/same-id.ts'
import type { PendingActivation, Vault } from '../record/vault.ts'
import type { LeftOvers } from './online/check.ts'

/** An activation that a user asked for, and its result. */
export interface EndedActivation {
  readonly licenseId: string
  readonly isActivated: boolean
  /** What was pending before it. */
  readonly before: PendingActivation | null
  /** What the user knew when asking. */
  readonly known: KnownLoss
}

/** What this process has said about lost seats so far. */
export interface KnownLoss {
  /** How often an activation was dropped, or left open by the app itself, that may have taken a seat. */
  readonly count: number
  /** The license about whose activation it has said what is known; `null` for none. */
  readonly toldId: string | null
}

/** The license whose seat an unanswered activation may have taken, where no list can show it: only its user can find it. */
export interface LostLicense {
  /** `null` if there is none. */
  readonly id: () => string | null
  readonly known: () => KnownLoss
  /** Notes that a pending activation is being dropped. @returns whether it may have taken a seat. */
  readonly drop: (pending: PendingActivation | null) => boolean
  /** Runs what the app itself does to finish an activation, and adds a lost seat to its outcome. */
  readonly watch: (vault: () => Vault, settle: () => Promise<LeftOvers | null>) => Promise<LeftOvers | null>
  /** Returns what to tell a user who asked for this license before that was known; `null` if nothing was lost since. */
  readonly lossSince: (known: KnownLoss, licenseId: string) => ProblemCause | null
  /**
   * Returns what to report after an activation ended. Once one succeeds, a seat is reported that another license may have
   * taken, or an earlier request of the same one that this process hasn't mentioned.
   */
  readonly settle: (ended: EndedActivation) => ProblemCause | null
}

/** Remembers that license until it or another one is activated. */
export function createLostLicense(service: ServicePort): LostLicense {
  let lostId: string | null = null
  let count = 0
  let open: { readonly licenseId: string; readonly cause: ProblemCause } | null = null
  let toldId: string | null = null
  const isSame = (one: string | null, other: string): boolean => one !== null && isSameId(one, other)

  function settle({ licenseId, isActivated, before, known }: EndedActivation): ProblemCause | null {
    if (!isActivated) {
      toldId = licenseId
      return null
    }
    // The app may have ended during that request, and may activate again before anything could say so.
    const isUntold =
      mayBeLost(before) && isSameId(before.licenseId, licenseId) && !isSame(known.toldId, licenseId)
    const other = lostBeside(licenseId)
    return isUntold ? { code: 'seat-may-be-taken' } : other
  }

  /** Forgets everything once a license is activated. @returns what to report of another one. */
  function lostBeside(licenseId: string): ProblemCause | null {
    const isOther = lostId !== null && !isSame(lostId, licenseId)
    lostId = null
    open = null
    toldId = null
    return isOther ? { code: 'seat-may-be-taken' } : null
  }

  const known = (): KnownLoss => ({ count, toldId })

  function mayBeLost(pending: PendingActivation | null): pending is PendingActivation {
    return pending !== null && pending.lateUntilMs !== null && !listsActivations(service)
  }

  return {
    id: () => lostId,
    known,
    drop(pending) {
      if (!mayBeLost(pending)) return false
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
      const { licenseId } = before
      if (isValidated) return { ...outcome, problem: problem ?? lostBeside(licenseId) }
      if (isUncertain(problem)) toldId = licenseId
      const wasSent = pending !== null && pending.lateUntilMs !== before.lateUntilMs
      if (wasSent && problem !== null && isUncertain(problem)) {
        open = { licenseId: pending.licenseId, cause: problem }
        count += 1
      }
      return outcome
    },
    lossSince(before, licenseId) {
      if (count === before.count) return null
      if (open !== null && isSameId(open.licenseId, licenseId)) return open.cause
      return isSame(lostId, licenseId) ? { code: 'seat-may-be-taken' } : null
    },
    settle,
  }
}
