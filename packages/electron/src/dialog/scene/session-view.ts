import type { FreedSeat } from '../../shared/results.ts'
import type { SituationInput } from './situation.ts'

/** What the screen knows at one moment. A new object after every change. */
export interface SessionView extends SituationInput {
  /** Whether the answer is taking longer than usual. */
  readonly isSlow: boolean
  /** When the next automatic attempt starts; `null` if none is scheduled. */
  readonly retryAtMs: number | null
  /** The license key on the clipboard, masked; `null` if none is offered. */
  readonly clipboardKey: string | null
  /** What happened to this device's seat when it was just deactivated here; `null` if it wasn't. */
  readonly freedSeat: FreedSeat | null
  /** Whether the details for support were just copied. */
  readonly isCopied: boolean
}

/** The view when an operation starts, and again when it ends. */
export const nothingUnderWay = { isOverdue: false, retryAtMs: null, problem: null } as const

/** The view once an attempt no longer matters. */
export const nothingTried = { attempt: null, devices: null, keyChoices: [], clipboardKey: null } as const

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
