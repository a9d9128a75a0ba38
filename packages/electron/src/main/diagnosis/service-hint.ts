import type { Logger } from '../../core/ports/logger-port.ts'
import type { LicensingState } from '../../shared/licensing-state.ts'
import type { Problem, ProblemCode } from '../../shared/problem.ts'
import { parseUrl } from '../origin.ts'

/** What a developer should look at, for each problem that wrong settings of the service look like to a user. */
const hints: Readonly<Partial<Record<ProblemCode, (address: string, answer: string) => string>>> = {
  offline: (address) =>
    `Nothing could be reached at ${address}. While you develop: does the emulator or gateway run, on this port?`,
  'unexpected-answer': (address, answer) =>
    `What answered at ${address}${answer} is not the license service. Does the address name its version segment, such as /v1?`,
  'license-not-found': (address, answer) =>
    `The service at ${address} knows no such license${answer}. If the key is right, does the address name its version segment, such as /v1?`,
}

/** The same where an adapter knows the address. */
const adapterHints: typeof hints = {
  offline: (address) => `Nothing could be reached at ${address}.`,
  'unexpected-answer': (address, answer) =>
    `What answered at ${address}${answer} is not the license service.`,
  'license-not-found': (address, answer) =>
    `The service at ${address} knows no such license${answer}. If the key is right, it belongs to another organization, store or account, or to the test mode.`,
  'wrong-product': (address) => `The service at ${address} says that the license key is for another product.`,
  misconfigured: (address) => `The service at ${address} can't do what an app needs, as it is set up there.`,
}

/**
 * Tells a developer, once, what may be wrong with `service.baseUrl`: on the screen it looks like a user's network or
 * key.
 *
 * @param adapter name of the adapter in use; absent where `service.baseUrl` is set.
 * @returns to be called with every state.
 */
export function createServiceHint(
  logger: Logger,
  baseUrl: string,
  adapter?: string,
): (state: LicensingState) => void {
  const url = parseUrl(baseUrl)
  // A password in it stays out of the log.
  const address = url === null ? baseUrl : `${url.protocol}//${url.host}${url.pathname}`
  let isTold = false

  return ({ problem }) => {
    const known = adapter === undefined ? hints : adapterHints
    const hint = problem === null ? undefined : known[problem.code]
    if (isTold || problem === null || hint === undefined) return
    isTold = true
    const what = adapter === undefined ? 'service.baseUrl' : `the settings of the ${adapter} adapter`
    logger.warn(`${hint(address, answerOf(problem))} Check ${what}. This is said once.`)
  }
}

function answerOf({ httpStatus }: Problem): string {
  return httpStatus === undefined ? '' : ` (status ${httpStatus})`
}
