import type { FreedSeat } from '../../shared/results.ts'
import type { Scene } from './scene.ts'
import type { ShownProblem } from './shown-problem.ts'
import type { Translator } from './translator.ts'

/** Returns the notice of a problem that doesn't decide the situation. */
export function problemNotice(about: ShownProblem | null, { problem }: Translator): Scene['notice'] {
  return about && { tone: 'warning', text: problem(about) }
}

/** Returns what a deactivation did to the seat. A seat that is freed later is the state's problem. */
export function seatNotice(seat: FreedSeat | null, { text }: Translator): Scene['notice'] {
  if (seat === 'freed') return { tone: 'success', text: text('deactivated') }
  return seat === 'not-freed' ? { tone: 'warning', text: text('seatKept') } : null
}
