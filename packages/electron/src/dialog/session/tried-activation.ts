import type { ShownProblem } from '../scene/shown-problem.ts'

/** The result of an activation, or the state after a check. */
export interface AttemptOutcome {
  readonly ok?: boolean
  readonly problem?: ShownProblem | null
}

/** An activation that is retried until it succeeds or is refused. */
export interface Tried {
  readonly ask: () => Promise<AttemptOutcome>
  /** The license key, masked; `null` for the recorded one. */
  readonly maskedKey: string | null
  /** The entered text; empty if none was entered. */
  readonly text: string
}
