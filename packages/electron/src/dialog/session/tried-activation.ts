import type { ActivationResult } from '../../shared/results.ts'

/** An activation that is tried again until it succeeds or is refused. */
export interface Tried {
  readonly ask: () => Promise<ActivationResult>
  /** The license key, masked; `null` for the one on record. */
  readonly maskedKey: string | null
  /** What was entered; empty for what was not. */
  readonly text: string
}
