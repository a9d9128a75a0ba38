import type { ActivationResult } from '../../shared/results.ts'

/** An activation that is retried until it succeeds or is refused. */
export interface Tried {
  readonly ask: () => Promise<ActivationResult>
  /** The license key, masked; `null` for the recorded one. */
  readonly maskedKey: string | null
  /** The entered text; empty if none was entered. */
  readonly text: string
}
