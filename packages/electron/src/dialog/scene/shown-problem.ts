import type { Problem, ProblemCode } from '../../shared/problem.ts'

/** What matters to the screen of a problem. */
export type ShownProblem = Pick<Problem, 'code' | 'retryAt'>

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

const aboutTheEntry: readonly ProblemCode[] = [
  'empty-text',
  'no-license-key',
  'several-license-keys',
  'text-too-long',
  'license-not-found',
  'wrong-product',
  'busy',
  'not-activated',
  'device-not-found',
]

/** Whether nothing but the way to the service is in question, so that trying again by itself makes sense. */
export function isConnectionProblem({ code }: ShownProblem): boolean {
  return aboutTheConnection.includes(code)
}

/** Whether only what was entered is in question: said at the field at once, and of no interest later. */
export function isEntryProblem({ code }: ShownProblem): boolean {
  return aboutTheEntry.includes(code)
}

/** Whether the record on disk is in question. */
export function isStorageProblem({ code }: ShownProblem): boolean {
  return code.startsWith('store-') || code === 'disk-full' || code === 'record-of-another-device'
}
