import type { LicenseSummary, LicensingState } from '../../shared/licensing-state.ts'
import { isUncertain, type ProblemCode } from '../../shared/problem.ts'
import type { Device } from '../../shared/results.ts'
import {
  isConnectionProblem,
  isKeyProblem,
  isStorageProblem,
  isUnsettled,
  type ShownProblem,
} from './shown-problem.ts'

/** An activation that the user started on this screen. */
export type Attempt =
  /** `after` is the problem of the previous attempt. */
  | { readonly phase: 'running'; readonly after: ShownProblem | null }
  | { readonly phase: 'failed'; readonly problem: ShownProblem }

/** The devices of a license without a free seat. */
export type DeviceList =
  | { readonly phase: 'loading' }
  /** `problem` is why the last release failed. */
  | { readonly phase: 'ready'; readonly devices: readonly Device[]; readonly problem: ShownProblem | null }
  | { readonly phase: 'failed'; readonly problem: ShownProblem }

/** A key in a text that contains several, for the user to choose from. */
export interface KeyChoice {
  readonly id: string
  readonly maskedKey: string
  /** The text before the key; may be empty. */
  readonly label: string
}

/** Everything that decides what the screen shows. */
export interface SituationInput {
  /** The main process's latest state; `null` before the first. */
  readonly state: LicensingState | null
  /** Why this window can't reach the main process; `null` if it can. */
  readonly fault: string | null
  readonly attempt: Attempt | null
  /** The license key of that attempt, masked; `null` for the recorded one. */
  readonly triedKey: string | null
  readonly devices: DeviceList | null
  /** The keys of a text that contains several; empty if there is nothing to choose. */
  readonly keyChoices: readonly KeyChoice[]
  /**
   * What the user opened with a button: the form, the question whether to deactivate, or activation without internet.
   */
  readonly intent: 'enter-key' | 'deactivate' | 'offline' | null
  /** Whether the main process has been busy for so long that the screen stops waiting. */
  readonly isOverdue: boolean
  /** Why the last deactivation, or opening a part of the screen, failed; `null` if none did. */
  readonly problem: ShownProblem | null
}

/**
 * What the screen shows: the element's attribute `situation`.
 *
 * `enter-key` is the form for a license key, and `choose-key` lists the keys of a text that contains several. The names
 * that start with `offline` belong to an activation without internet. `grace-over` asks the user to connect to the
 * internet, and `moved` means that this device's seat was freed from another one.
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

/** What every situation has. */
interface SituationBase {
  /** Whether an answer is pending. The situation stays, and its button shows that it is busy. */
  readonly isChecking: boolean
  /** A problem to mention that doesn't decide the situation. */
  readonly notice: ShownProblem | null
}

/** One thing the screen can show. */
export type Situation = SituationBase & { readonly kind: SituationKind } & (
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
    | { readonly kind: 'moved'; readonly license: LicenseSummary | null }
    | { readonly kind: 'grace'; readonly graceEndsAt: string }
    | { readonly kind: 'grace-over' }
    | { readonly kind: 'trial'; readonly trialEndsAt: string }
    | { readonly kind: 'trial-over' }
    | { readonly kind: 'storage-trouble'; readonly problem: ShownProblem }
  )

/** Decides which situation the screen is in. It is a pure function of its input. */
export function situationOf(input: SituationInput): Situation {
  const { state, fault, attempt, intent } = input
  if (fault !== null)
    return { kind: 'misconfigured', code: fault, refusal: null, isChecking: false, notice: null }
  if (state === null) return { kind: 'starting', isChecking: true, notice: null }

  const activity = input.isOverdue ? 'idle' : state.activity
  if (intent === 'deactivate' && state.license !== null && state.entitled) {
    return { kind: 'deactivate', isChecking: activity === 'deactivating', notice: input.problem }
  }
  if (intent === 'offline') return { kind: intent, isChecking: false, notice: null }
  const failed = lastProblemOf(attempt)
  // The app's own check may have sent since what this attempt couldn't.
  const stopped = failed && isConnectionProblem(failed) && isUncertain(state.problem) ? state.problem : failed
  const stoppedBy = stopped && ofProblem(stopped, input, state, attempt?.phase === 'running')
  if (stoppedBy !== null) return stoppedBy

  const isActivating = attempt?.phase === 'running' || activity === 'activating'
  const { keyChoices: choices } = input
  if (choices.length > 0)
    return { kind: 'choose-key', choices, problem: null, isChecking: isActivating, notice: null }
  if (intent === 'enter-key') {
    // The user may be about to take a second seat.
    const notice = isUncertain(state.problem) ? state.problem : null
    return { kind: 'enter-key', isChecking: isActivating, notice }
  }
  return ofStatus(state, input, isActivating, isActivating || activity === 'validating')
}

/** Returns the problem of the last attempt that ended; `null` if none. */
export function lastProblemOf(attempt: Attempt | null): ShownProblem | null {
  return attempt?.phase === 'running' ? attempt.after : (attempt?.problem ?? null)
}

/** Returns the situation that a failed activation leads to; `null` if the screen stays as it was. */
function ofProblem(
  problem: ShownProblem,
  { triedKey, devices, keyChoices: choices }: SituationInput,
  state: LicensingState,
  isChecking: boolean,
): Situation | null {
  const base = { isChecking, notice: null }
  // The record says nothing about another license.
  const onRecord = triedKey === null || triedKey === state.license?.maskedKey ? state : null
  switch (problem.code) {
    case 'no-seat-left':
      return { kind: 'no-seat-left', devices: devices ?? { phase: 'loading' }, ...base }
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
  input: SituationInput,
  isActivating: boolean,
  isAsking: boolean,
): Situation {
  const { problem } = state
  const isSaid =
    problem === null ||
    isKeyProblem(problem) ||
    problem.code === (saidByStatus[state.status] ?? 'license-expired')
  const notice = isSaid ? null : problem
  const form = { isChecking: isActivating, notice }
  const status = { isChecking: isAsking, notice }
  // Only another key can help, whatever the old license still allows.
  const enterKey = { kind: 'enter-key', ...form } as const
  if (problem?.code === 'license-of-other-service') return enterKey
  switch (state.status) {
    case 'unlicensed':
      if (notice?.code === 'trial-over') return { kind: 'trial-over', ...form, notice: null }
      // What an activation that was cut off leaves behind, and problems with the record. Without a license, only a
      // pending activation needs a connection.
      if (
        notice !== null &&
        (notice.code === 'misconfigured' || isUnsettled(notice) || isStorageProblem(notice))
      ) {
        return ofProblem(notice, input, state, isAsking) ?? enterKey
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
      return { kind: 'moved', license: state.license, ...form }
    default:
      return ended(state, status)
  }
}

/** The license has ended. What it still covers doesn't include this version. */
function ended(state: LicensingState | null, base: SituationBase): Situation {
  const kind = state?.status === 'not-covered' ? state.status : 'expired'
  return { kind, expiresAt: state?.license?.expiresAt ?? null, ...base }
}
