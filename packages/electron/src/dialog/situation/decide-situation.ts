import type { LicenseSummary, LicensingState } from '../../shared/licensing-state.ts'
import { isUncertain, type ProblemCode } from '../../shared/problem.ts'
import {
  type DeviceList,
  isConnectionProblem,
  isUnsettled,
  type KeyChoice,
  lastProblemOf,
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

interface BaseFacts {
  /** Whether an answer is pending. The situation stays, and its button shows that it is busy. */
  readonly isChecking: boolean
  /** A problem to mention that doesn't decide the situation. */
  readonly notice: ShownProblem | null
}

/** Which situation it is, and what it is about, before any text is chosen. */
export type SituationFacts = BaseFacts & { readonly kind: SituationKind } & (
    | { readonly kind: 'starting' }
    | {
        readonly kind: 'misconfigured'
        readonly code: string
        /** A refusal that a proxy may have sent, so that the user can do something about it; `null` for none. */
        readonly refusal: ShownProblem | null
      }
    | { readonly kind: 'enter-key' }
    | { readonly kind: 'key-trouble'; readonly problem: ShownProblem }
    | {
        readonly kind: 'choose-key'
        readonly choices: readonly KeyChoice[]
        /** Why the previously chosen key was refused. */
        readonly problem: ShownProblem | null
      }
    | { readonly kind: 'no-network'; readonly problem: ShownProblem; readonly worksMeanwhile: boolean }
    | { readonly kind: 'no-seat-left'; readonly devices: DeviceList }
    | { readonly kind: 'activated'; readonly license: LicenseSummary | null }
    | { readonly kind: 'deactivate' }
    | { readonly kind: 'offline' | 'offline-request' | 'offline-answer' | 'offline-release' }
    | { readonly kind: 'expired' | 'not-covered'; readonly expiresAt: string | null }
    | { readonly kind: 'suspended' }
    | { readonly kind: 'inactive'; readonly rawStatus: string | null }
    | {
        readonly kind: 'moved'
        readonly license: LicenseSummary | null
        /** Whether this computer was set up from another one, which keeps its seat. */
        readonly isCopy: boolean
      }
    | { readonly kind: 'grace'; readonly graceEndsAt: string }
    | { readonly kind: 'grace-over' }
    | { readonly kind: 'trial'; readonly trialEndsAt: string }
    | { readonly kind: 'trial-over' }
    | { readonly kind: 'storage-trouble'; readonly problem: ShownProblem }
  )

/** Decides which situation a session is in. */
export function decideSituation(view: SessionView): SituationFacts {
  const { state, fault, attempt, intent } = view
  if (fault !== null)
    return { kind: 'misconfigured', code: fault, refusal: null, isChecking: false, notice: null }
  if (state === null) return { kind: 'starting', isChecking: true, notice: null }

  const activity = view.isOverdue ? 'idle' : state.activity
  if (intent === 'deactivate' && state.license !== null && state.entitled) {
    return { kind: 'deactivate', isChecking: activity === 'deactivating', notice: view.problem }
  }
  if (intent === 'offline') return { kind: intent, isChecking: false, notice: null }
  const failed = lastProblemOf(attempt)
  // The app's own check may have sent since what this attempt couldn't.
  const stopped = failed && isConnectionProblem(failed) && isUncertain(state.problem) ? state.problem : failed
  const stoppedBy = stopped && ofProblem(stopped, view, state, attempt?.phase === 'running')
  if (stoppedBy !== null) return stoppedBy

  const isActivating = attempt?.phase === 'running' || activity === 'activating'
  const { keyChoices: choices } = view
  if (choices.length > 0)
    return { kind: 'choose-key', choices, problem: null, isChecking: isActivating, notice: null }
  if (intent === 'enter-key') {
    // The user may be about to take a second seat.
    const notice = isUncertain(state.problem) ? state.problem : null
    return { kind: 'enter-key', isChecking: isActivating, notice }
  }
  return ofStatus(state, view, isActivating, isActivating || activity === 'validating')
}

/** Returns what is in the way and may end without the user, so that the window tries again; `null` if nothing is. */
export function obstacleOf(facts: SituationFacts): ShownProblem | null {
  if (facts.kind === 'no-network') return facts.problem
  return facts.kind === 'misconfigured' ? facts.refusal : null
}

/** Returns the situation that a failed activation leads to; `null` if the screen stays as it was. */
function ofProblem(
  problem: ShownProblem,
  { triedKey, devices, keyChoices: choices }: SessionView,
  state: LicensingState,
  isChecking: boolean,
): SituationFacts | null {
  const base = { isChecking, notice: null }
  // The record says nothing about another license.
  const onRecord = triedKey === null || triedKey === state.license?.maskedKey ? state : null
  switch (problem.code) {
    case 'no-seat-left':
      return noSeatLeft(devices ?? { phase: 'loading', after: null }, isChecking)
    case 'seat-may-be-taken':
      return { kind: 'no-seat-left', devices: { phase: 'failed', problem }, ...base }
    case 'license-expired':
      return ended(onRecord, base)
    case 'license-suspended':
      return { kind: 'suspended', ...base }
    case 'license-inactive': {
      const rawStatus = onRecord?.status === 'inactive' ? onRecord.rawStatus : null
      return { kind: 'inactive', rawStatus, ...base }
    }
    case 'misconfigured':
      return { kind: 'misconfigured', code: problem.code, refusal: null, ...base }
    case 'unauthorized':
      return { kind: 'misconfigured', code: problem.code, refusal: problem, ...base }
    default:
      if (isConnectionProblem(problem)) {
        return { kind: 'no-network', problem, worksMeanwhile: state.entitled, ...base }
      }
      if (isStorageProblem(problem)) return { kind: 'storage-trouble', problem, ...base }
      if (isChecking) return null
      return choices.length > 0
        ? { kind: 'choose-key', choices, problem, ...base }
        : { kind: 'key-trouble', problem, ...base }
  }
}

function noSeatLeft(devices: DeviceList, isActivating: boolean): SituationFacts {
  // A list that is loaded again is a wait like any other. The first one has its own picture.
  const isReloading = devices.phase === 'loading' && devices.after !== null
  return { kind: 'no-seat-left', devices, isChecking: isActivating || isReloading, notice: null }
}

/** The problem that a status already shows, so that it isn't shown twice. */
const saidByStatus: Readonly<Partial<Record<LicensingState['status'], ProblemCode>>> = {
  grace: 'offline',
  unverified: 'offline',
  suspended: 'license-suspended',
  inactive: 'license-inactive',
  revoked: 'moved-to-another-device',
}

function ofStatus(
  state: LicensingState,
  view: SessionView,
  isActivating: boolean,
  isAsking: boolean,
): SituationFacts {
  const { problem } = state
  const isSaid =
    problem === null ||
    (isKeyProblem(problem) && problem.source === undefined) ||
    (problem.code === (saidByStatus[state.status] ?? 'license-expired') && networkFaultOf(problem) === null)
  const notice = isSaid ? null : problem
  const form = { isChecking: isActivating, notice }
  const status = { isChecking: isAsking, notice }
  // Only another key can help, whatever the old license still allows.
  const enterKey = { kind: 'enter-key', ...form } as const
  if (problem?.code === 'license-of-other-service') return enterKey
  switch (state.status) {
    case 'unlicensed':
      // Nobody here entered the key, so the user sees the form for another one.
      if (notice?.source !== undefined) return enterKey
      if (notice?.code === 'trial-over') return { kind: 'trial-over', ...form, notice: null }
      // What an activation that was cut off leaves behind, and problems with the record. Without a license, only a
      // pending activation needs a connection.
      if (
        notice !== null &&
        (notice.code === 'misconfigured' || isUnsettled(notice) || isStorageProblem(notice))
      ) {
        return ofProblem(notice, view, state, isAsking) ?? enterKey
      }
      return enterKey
    case 'trial':
      return { kind: 'trial', trialEndsAt: state.trialEndsAt, ...form }
    case 'active':
      return { kind: 'activated', license: state.license, isChecking: false, notice }
    case 'grace':
      return { kind: 'grace', graceEndsAt: state.graceEndsAt, ...status }
    case 'unverified':
      return { kind: 'grace-over', ...status }
    case 'suspended':
      return { kind: 'suspended', ...status }
    case 'inactive':
      return { kind: 'inactive', rawStatus: state.rawStatus, ...status }
    case 'revoked':
      return problem?.code === 'record-of-another-device'
        ? { kind: 'moved', license: state.license, isCopy: true, isChecking: isActivating, notice: null }
        : { kind: 'moved', license: state.license, isCopy: false, ...form }
    default:
      return ended(state, status)
  }
}

/** The license has ended. What it still covers doesn't include this version. */
function ended(state: LicensingState | null, base: BaseFacts): SituationFacts {
  const kind = state?.status === 'not-covered' ? state.status : 'expired'
  return { kind, expiresAt: state?.license?.expiresAt ?? null, ...base }
}

/** Whether the state's problem is only about the key that was entered. It is shown at the field and has no later effect. */
function isKeyProblem({ code }: ShownProblem): boolean {
  return code === 'license-not-found' || code === 'wrong-product' || code === 'test-license-key'
}

/** Whether the problem is about the record on disk. */
function isStorageProblem({ code }: ShownProblem): boolean {
  return code.startsWith('store-') || code === 'disk-full' || code === 'record-of-another-device'
}
