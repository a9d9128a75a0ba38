import type { LicenseReleaseCode, LicensingState, ReleaseCode } from '../../shared/licensing-state.ts'
import type { OfflineProblem } from '../../shared/offline-problem.ts'
import { isUncertain, type Problem, type ProblemCode } from '../../shared/problem.ts'
import type { Device, FreedSeat } from '../../shared/results.ts'

/** A problem to show. One that the main process reported brings its English message. */
export type ShownProblem = Pick<Problem, 'code' | 'retryAt' | 'networkError' | 'source'> & {
  readonly message?: string
  /** The character that can't be part of a license key, for `foreign-character`. */
  readonly character?: string
}

/** The main process didn't answer as expected. */
export const unexpected: ShownProblem = { code: 'unexpected' }

/** An activation that the user started in this window. */
export interface Attempt {
  readonly isRunning: boolean
  /** Why it failed. While it runs, why the previous one did; `null` if none did. */
  readonly problem: ShownProblem | null
}

/** The devices of a license without a free seat. */
export interface DeviceList {
  /** `null` until they are loaded. */
  readonly devices: readonly Device[] | null
  readonly isLoading: boolean
  /** Why the list couldn't be loaded, or the last release failed; `null` if neither did. */
  readonly problem: ShownProblem | null
}

/** A key in a text that contains several, for the user to choose from. */
export interface KeyChoice {
  readonly id: string
  readonly maskedKey: string
  /** The text before the key; may be empty. */
  readonly label: string
}

/** How far an activation without internet is. */
export interface OfflineProgress {
  /** `null` until there is one. */
  readonly request: ReleaseCode | null
  /** Whether the answer is being entered. */
  readonly isAnswering: boolean
  readonly isBusy: boolean
  /** What is wrong with the key or the answer; `null` if nothing. */
  readonly problem: (Pick<OfflineProblem, 'code'> & { readonly message?: string }) | null
}

/** What the session knows at one moment. A new object after every change. */
export interface SessionView {
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
  readonly offline: OfflineProgress
  /** Which of the state's release codes is shown; `null` for none. */
  readonly releaseIndex: number | null
  /** Whether the main process has been busy for so long that the window stops waiting. */
  readonly isOverdue: boolean
  /** Why the last deactivation failed; `null` if none did. */
  readonly problem: ShownProblem | null
  /** Whether the answer is taking longer than usual. */
  readonly isSlow: boolean
  /** When the next automatic attempt starts; `null` if none is scheduled. */
  readonly retryAtMs: number | null
  /** The license key on the clipboard, masked; `null` if none is offered. */
  readonly clipboardKey: string | null
  /** What happened to this device's seat when it was just deactivated here; `null` if it wasn't. */
  readonly freedSeat: FreedSeat | null
  /** Address of a link that the system didn't open; `null` if none. */
  readonly unopenedAddress: string | null
  /** What was just copied: the details for support, or a text for another device; `null` if nothing. */
  readonly copied: 'details' | 'text' | null
}

/** The view when an operation starts, and again when it ends. */
export const nothingUnderWay = { isOverdue: false, retryAtMs: null, problem: null } as const

/** The view once an attempt no longer matters. */
export const nothingTried = {
  attempt: null,
  devices: null,
  keyChoices: [],
  clipboardKey: null,
  unopenedAddress: null,
} as const

/** The view before the first state arrives. */
export const firstView: SessionView = {
  state: null,
  fault: null,
  triedKey: null,
  intent: null,
  offline: { request: null, isAnswering: false, isBusy: false, problem: null },
  releaseIndex: null,
  isSlow: false,
  freedSeat: null,
  copied: null,
  ...nothingTried,
  ...nothingUnderWay,
}

/** Returns the codes that free the seats of licenses which were activated without internet. */
export function releaseCodesOf(
  state: LicensingState | null,
): readonly (ReleaseCode & Partial<LicenseReleaseCode>)[] {
  // An app's own bridge may know only the latest one.
  return state?.releaseCodes ?? (state?.releaseCode ? [state.releaseCode] : [])
}

/** Returns the text on the screen that another device needs: a request, or a release code; `null` if there is none. */
export function carriedText({ intent, offline, state, releaseIndex }: SessionView): ReleaseCode | null {
  if (intent === 'offline') return offline.isAnswering ? null : offline.request
  return (intent === null && releaseIndex !== null && releaseCodesOf(state)[releaseIndex]) || null
}

const aboutTheConnection: readonly ProblemCode[] = [
  'offline',
  'timeout',
  'service-error',
  'rate-limited',
  'unexpected-answer',
  'incomplete-answer',
  'untrusted-answer',
  'unconfirmed',
  'activation-unconfirmed',
]

/** Whether the problem is only about reaching the service, so that an automatic retry makes sense. */
export function isConnectionProblem({ code }: ShownProblem): boolean {
  return aboutTheConnection.includes(code)
}

/**
 * What else a missing connection may be due to: the computer's date, with which no certificate is valid, or a network that
 * has a connection but not to this host; `null` if nothing shows it.
 */
export function networkFaultOf({ code, networkError = '' }: ShownProblem): 'wrong-date' | 'blocked' | null {
  if (code !== 'offline') return null
  if (networkError === 'ERR_CERT_DATE_INVALID') return 'wrong-date'
  return networkError === '' || /^ERR_(?:INTERNET|NETWORK)_/u.test(networkError) ? null : 'blocked'
}

/** Whether an activation of unknown outcome may be the reason, or be hidden by it. */
export function isUnsettled(problem: ShownProblem | null | undefined): boolean {
  return isUncertain(problem) || (problem != null && isConnectionProblem(problem))
}
