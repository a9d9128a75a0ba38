import type { LicensingState } from '../../shared/licensing-state.ts'
import { isUncertain, type ProblemCode } from '../../shared/problem.ts'
import {
  carriedText,
  isConnectionProblem,
  isUnsettled,
  networkFaultOf,
  type SessionView,
  type ShownProblem,
} from '../session/session-view.ts'

/**
 * What the window shows: the element's attribute `situation`.
 *
 * `enter-key` is the form for a license key, and `choose-key` lists the keys of a text that contains several. The names
 * that start with `offline` belong to an activation without internet. `grace-over` asks the user to connect to the
 * internet, and `moved` means that this device's seat was freed from another one, or that this computer was set up from
 * another one.
 */
export type SituationKind =
  | 'starting'
  | 'misconfigured'
  | 'enter-key'
  | 'key-trouble'
  | 'choose-key'
  | 'no-network'
  | 'no-seat-left'
  | 'activated'
  | 'deactivate'
  | 'offline'
  | 'offline-request'
  | 'offline-answer'
  | 'offline-release'
  | 'expired'
  | 'not-covered'
  | 'suspended'
  | 'inactive'
  | 'moved'
  | 'grace'
  | 'grace-over'
  | 'trial'
  | 'trial-over'
  | 'storage-trouble'

/** Which situation it is, and what it is about, before any text is chosen. The rest is in the session's view. */
export interface SituationFacts {
  readonly kind: SituationKind
  /** Whether an answer is pending. The situation stays, and its button shows that it is busy. */
  readonly isChecking: boolean
  /** What led to the situation; `null` if it was no problem. */
  readonly problem: ShownProblem | null
  /** A problem to mention that doesn't decide the situation. */
  readonly notice: ShownProblem | null
  /** The state, unless it says nothing about the license in question. */
  readonly state: LicensingState | null
}

/** Decides which situation a session is in. */
export function decideSituation(view: SessionView): SituationFacts {
  const { state, fault, attempt, intent } = view
  if (fault !== null || state === null) {
    const kind = fault === null ? 'starting' : 'misconfigured'
    return { kind, isChecking: fault === null, problem: null, notice: null, state }
  }
  const isRunning = attempt?.isRunning === true
  const activity = view.isOverdue ? 'idle' : state.activity
  const base = { isChecking: isRunning || activity === 'activating', problem: null, notice: null, state }
  if (intent === 'deactivate' && state.license !== null && state.entitled) {
    return { ...base, kind: intent, isChecking: activity === 'deactivating', notice: view.problem }
  }
  const isCarried = carriedText(view) !== null
  if (intent === 'offline') {
    const { isAnswering, isBusy } = view.offline
    const kind = isAnswering ? 'offline-answer' : isCarried ? 'offline-request' : 'offline'
    return { ...base, kind, isChecking: isBusy }
  }
  if (isCarried) return { ...base, kind: 'offline-release', isChecking: false }
  const failed = attempt?.problem
  // The app's own check may have sent since what this attempt couldn't.
  const stopped = failed && isConnectionProblem(failed) && isUncertain(state.problem) ? state.problem : failed
  const stoppedBy = stopped && ofProblem(stopped, view, state, isRunning)
  if (stoppedBy) return stoppedBy
  if (view.keyChoices.length > 0) return { ...base, kind: 'choose-key' }
  if (intent === 'enter-key') {
    // The user may be about to take a second seat.
    return { ...base, kind: intent, notice: isUncertain(state.problem) ? state.problem : null }
  }
  return ofStatus(base, view, state, base.isChecking || activity === 'validating')
}

/** Returns what is in the way and may end without the user, so that the window tries again; `null` if nothing is. */
export function obstacleOf({ kind, problem }: SituationFacts): ShownProblem | null {
  return kind === 'no-network' || problem?.code === 'unauthorized' ? problem : null
}

/** Returns the situation that a failed activation leads to; `null` if the screen stays as it was. */
function ofProblem(
  problem: ShownProblem,
  { triedKey, devices, keyChoices }: SessionView,
  state: LicensingState,
  isChecking: boolean,
): SituationFacts | null {
  // The record says nothing about another license.
  const isRecorded = triedKey === null || triedKey === state.license?.maskedKey
  const base = { isChecking, problem, notice: null, state: isRecorded ? state : null }
  switch (problem.code) {
    case 'no-seat-left': {
      // A list that is loaded again is a wait like any other. The first one has its own picture.
      const isReloading = devices?.isLoading === true && devices.problem !== null
      return { ...base, kind: 'no-seat-left', isChecking: isChecking || isReloading }
    }
    case 'seat-may-be-taken':
      return { ...base, kind: 'no-seat-left' }
    case 'license-expired':
      return { ...base, kind: base.state?.status === 'not-covered' ? 'not-covered' : 'expired' }
    case 'license-suspended':
      return { ...base, kind: 'suspended' }
    case 'license-inactive':
      return { ...base, kind: 'inactive' }
    case 'misconfigured':
    case 'unauthorized':
      return { ...base, kind: 'misconfigured' }
    default:
      if (isConnectionProblem(problem)) return { ...base, kind: 'no-network' }
      if (isStorageProblem(problem)) return { ...base, kind: 'storage-trouble' }
      return isChecking ? null : { ...base, kind: keyChoices.length > 0 ? 'choose-key' : 'key-trouble' }
  }
}

/** The problem that a status already shows, so that it isn't shown twice. */
const saidByStatus: Readonly<Partial<Record<LicensingState['status'], ProblemCode>>> = {
  grace: 'offline',
  unverified: 'offline',
  suspended: 'license-suspended',
  inactive: 'license-inactive',
  revoked: 'moved-to-another-device',
}

/** @param isAsking whether the app asks the service for anything, also for a check of its own */
function ofStatus(
  base: Omit<SituationFacts, 'kind'>,
  view: SessionView,
  state: LicensingState,
  isAsking: boolean,
): SituationFacts {
  const { problem, status } = state
  const isSaid =
    problem === null ||
    (isKeyProblem(problem) && problem.source === undefined) ||
    (problem.code === (saidByStatus[status] ?? 'license-expired') && networkFaultOf(problem) === null)
  const notice = isSaid ? null : problem
  const form = { ...base, notice }
  // Only another key can help, whatever the old license still allows.
  if (problem?.code === 'license-of-other-service') return { ...form, kind: 'enter-key' }
  switch (status) {
    case 'unlicensed':
      // Nobody here entered the key, so the user sees the form for another one.
      if (notice === null || notice.source !== undefined) return { ...form, kind: 'enter-key' }
      if (notice.code === 'trial-over') return { ...base, kind: 'trial-over' }
      // What an activation that was cut off leaves behind, and problems with the record. Without a license, only a
      // pending activation needs a connection.
      if (notice.code === 'misconfigured' || isUnsettled(notice) || isStorageProblem(notice)) {
        return ofProblem(notice, view, state, isAsking) ?? { ...form, kind: 'enter-key' }
      }
      return { ...form, kind: 'enter-key' }
    case 'trial':
      return { ...form, kind: status }
    case 'active':
      return { ...form, kind: 'activated', isChecking: false }
    case 'revoked':
      return { ...(problem?.code === 'record-of-another-device' ? base : form), kind: 'moved' }
    default:
      return { ...form, kind: status === 'unverified' ? 'grace-over' : status, isChecking: isAsking }
  }
}

/** Whether the state's problem is only about the key that was entered. It is shown at the field and has no later effect. */
function isKeyProblem({ code }: ShownProblem): boolean {
  return code === 'license-not-found' || code === 'wrong-product' || code === 'test-license-key'
}

/** Whether the problem is about the record on disk. */
function isStorageProblem({ code }: ShownProblem): boolean {
  return code.startsWith('store-') || code === 'disk-full' || code === 'record-of-another-device'
}
