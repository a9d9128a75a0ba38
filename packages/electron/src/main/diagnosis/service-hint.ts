import type { Logger } from '../../core/ports/logger-port.ts'
import type { LicensingState } from '../../shared/licensing-state.ts'
import type { Problem, ProblemCode } from '../../shared/problem.ts'
import { parseUrl } from '../origin.ts'

/** What a developer should look at, for each problem that a wrong `service.baseUrl` looks like to a user. */
const hints: Readonly<Partial<Record<ProblemCode, (address: string, answer: string) => string>>> = {
  offline: (address) =>
    `Nothing could be reached at ${address}. While you develop: does the emulator or gateway run, on this port?`,
  'unexpected-answer': (address, answer) =>
    `What answered at ${address}${answer} is not the license service. Does the address name its version segment, such as /v1?`,
  'license-not-found': (address, answer) =>
    `The service at ${address} knows no such license${answer}. If the key is right, does the address name its version segment, such as /v1?`,
}

/**
 * Tells a developer, once, what may be wrong with `service.baseUrl`: on the screen it looks like a user's network or
 * key.
 *
 * @returns to be called with every state.
 */
export function createServiceHint(logger: Logger, baseUrl: string): (state: LicensingState) => void {
  const url = parseUrl(baseUrl)
  // A password in it stays out of the log.
  const address = url === null ? baseUrl : `${url.protocol}//${url.host}${url.pathname}`
  let isTold = false

  return ({ problem }) => {
    const hint = problem === null ? undefined : hints[problem.code]
    if (isTold || problem === null || hint === undefined) return
    isTold = true
    logger.warn(`${hint(address, answerOf(problem))} Check service.baseUrl. This is said once.`)
  }
}

function answerOf({ httpStatus }: Problem): string {
  return httpStatus === undefined ? '' : ` (status ${httpStatus})`
}
