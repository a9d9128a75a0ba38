import type { SituationInput } from './situation.ts'

/** What the screen knows at one moment. A new object after every change. */
export interface SessionView extends SituationInput {
  /** Whether the answer takes longer than one expects. */
  readonly isSlow: boolean
  /** When the next try starts by itself; `null` when none is due. */
  readonly retryAtMs: number | null
  /** The license key on the clipboard, masked; `null` when none is offered. */
  readonly clipboardKey: string | null
  /** Whether this device was just deactivated here and its seat is available again. */
  readonly isSignedOut: boolean
  /** Whether the details for support were just copied. */
  readonly isCopied: boolean
}

/** What every operation starts with, and what is left when it ends. */
export const nothingUnderWay = { isOverdue: false, isSlow: false, retryAtMs: null, problem: null } as const

/** What a screen knows before the first state arrives. */
export const firstView: SessionView = {
  state: null,
  fault: null,
  attempt: null,
  triedKey: null,
  devices: null,
  keyChoices: [],
  intent: null,
  clipboardKey: null,
  isSignedOut: false,
  isCopied: false,
  ...nothingUnderWay,
}
