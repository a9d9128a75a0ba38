import { isUncertain, type Problem, type ProblemCode } from '../../shared/problem.ts'
import type { ScreenProblemCode } from '../strings/activation-strings.ts'

/** What the screen needs to know about a problem. One that the main process reported brings its English message. */
export type ShownProblem =
  | Pick<Problem, 'code' | 'message' | 'retryAt'>
  | { readonly code: ScreenProblemCode; readonly message?: undefined; readonly retryAt?: undefined }

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

const aboutTheKey: readonly ProblemCode[] = ['license-not-found', 'wrong-product', 'test-license-key']

/** Whether the problem is only about reaching the service, so that an automatic retry makes sense. */
export function isConnectionProblem({ code }: ShownProblem): boolean {
  return aboutTheConnection.includes(code)
}

/** Whether an activation of unknown outcome may be the reason, or be hidden by it. */
export function isUnsettled(problem: ShownProblem | null | undefined): boolean {
  return isUncertain(problem) || (problem != null && isConnectionProblem(problem))
}

/** Whether the state's problem is only about the key that was entered. It is shown at the field and has no later effect. */
export function isKeyProblem({ code }: ShownProblem): boolean {
  return aboutTheKey.includes(code)
}

/** Whether the problem is about the record on disk. */
export function isStorageProblem({ code }: ShownProblem): boolean {
  return code.startsWith('store-') || code === 'disk-full' || code === 'record-of-another-device'
}
