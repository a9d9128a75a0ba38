import type { Logger } from '../../core/ports.ts'
import type { LicensingState } from '../../shared/licensing-state.ts'
import type { ProblemCode } from '../../shared/problem.ts'
import type { ConnectionFacts } from '../adapters/app-service.ts'
import type { LicensingSettings } from '../options/parse-licensing-options.ts'

/** What each problem says about the address, if the service settings are wrong. */
const findings: Readonly<Partial<Record<ProblemCode, string>>> = {
  offline: 'Nothing answered at',
  'unexpected-answer': 'Something that is not the license service answered at',
  'license-not-found': 'There is no such license at',
  'test-license-key': 'The license key is one of the test mode at',
  'wrong-product': 'The license key is for another product at',
  'untrusted-answer': 'No public key in this app verifies the signature of the answer from',
  misconfigured: 'Apps may not use the service at',
}

/** What an administrator can mend, if the license key is theirs. */
const aboutKey: ReadonlySet<ProblemCode> = new Set(['license-not-found', 'wrong-product', 'test-license-key'])

/** What to check if `service` is an address. */
const addressHints: Readonly<Partial<Record<ProblemCode, string>>> = {
  offline:
    'Does the emulator or gateway run on this port, and is the start of the address right, http:// or https://?',
  'unexpected-answer': 'Does the address include its version segment, such as /v1?',
  'license-not-found':
    "If the key is right, does the address include its version segment, such as /v1? For a gateway, are its LATCHKEY_UPSTREAM and licenseKeys: 'any' right?",
}

/** What to check if `service` is an adapter, which has an address of its own. */
const adapterHints: Readonly<Partial<Record<ProblemCode, string>>> = {
  'license-not-found':
    'If the key is right, it belongs to another organization, store or account, or to the test mode.',
}

/**
 * Logs once what may be wrong with the address or the product of the service. To the user it looks like a network problem
 * or a wrong key.
 *
 * @param connection has the code of why the last request had no answer.
 * @returns a function to call with every state.
 */
export function createServiceHint(
  logger: Logger,
  { service, isAdapter }: Pick<LicensingSettings, 'service' | 'isAdapter'>,
  connection: Readonly<Pick<ConnectionFacts, 'networkError'>>,
): (state: LicensingState) => void {
  let isTold = false

  return ({ problem }) => {
    const finding = problem === null ? undefined : findings[problem.code]
    const hints = isAdapter ? adapterHints : addressHints
    if (isTold || problem === null || finding === undefined) return
    const { source } = problem
    const isProvided = source !== undefined && aboutKey.has(problem.code)
    if (!isAdapter && hints[problem.code] === undefined && !isProvided) return
    isTold = true
    const reason = problem.code === 'offline' ? connection.networkError : problem.httpStatus
    const facts = reason == null ? '' : ` (${typeof reason === 'number' ? `status ${reason}` : reason})`
    const hint = hints[problem.code]
    const what = isAdapter ? `the settings of the ${service.name} adapter` : 'service.baseUrl'
    const advice = isProvided
      ? `Compare the license key from ${source} with the one that you bought. If it is the same, ask the vendor of the app.`
      : `${hint ? `${hint} ` : ''}Check ${what}.`
    logger.warn(`${finding} ${service.baseUrl}${facts}. ${advice}`)
  }
}
