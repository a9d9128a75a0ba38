import type { ShownProblem } from '../scene/shown-problem.ts'

/** The main process didn't answer as expected. */
export const unexpected: ShownProblem = { code: 'unexpected' }

/** The service refused an activation. The situation has texts of its own. */
export const noSeatLeft: ShownProblem = { code: 'no-seat-left', message: '' }
