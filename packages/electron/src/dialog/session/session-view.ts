import type { LicensingState } from '../../shared/licensing-state.ts'
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
  /** Whether the details for support were just copied. */
  readonly isCopied: boolean
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
  isSlow: false,
  freedSeat: null,
  isCopied: false,
  ...nothingTried,
  ...nothingUnderWay,
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
