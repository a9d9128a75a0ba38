import type { Logger } from '../../core/ports.ts'
import type { LicensingState } from '../../shared/licensing-state.ts'
import type { Problem, ProblemCode } from '../../shared/problem.ts'
import { isThisMachine, parseUrl } from '../origin.ts'

/** What a hint is about: the address, what it answered or why it didn't, and a question about the likely setting. */
type Hint = (address: string, answer: string, question: string) => string

/** What to check, for each problem that wrong service settings can look like to a user. */
const hints: Readonly<Partial<Record<ProblemCode, Hint>>> = {
  offline: (address, answer, question) =>
    address.includes('licensing.example.com')
      ? `Nothing answered at ${address}, which is only the documentation's example. Set the address of your own gateway or service.`
      : `Nothing answered at ${address}${answer}.${question || ' If this is your development machine, is the emulator or gateway running on this port?'}`,
  'unexpected-answer': (address, answer) =>
    `The server at ${address}${answer} is not the license service. Does the address include its version segment, such as /v1?`,
  'license-not-found': (address, answer) =>
    `The service at ${address} doesn't know this license${answer}. If the key is right, does the address include its version segment, such as /v1? If it is a gateway, is its LATCHKEY_UPSTREAM (in code: upstream.baseUrl) right, and is licenseKeys set to 'any' if another service is behind it? \`latchkey doctor --gateway\` checks the first.`,
}

/** The same hints for adapters, which have a fixed address. */
const adapterHints: typeof hints = {
  offline: (address, answer, question) => `Nothing answered at ${address}${answer}.${question}`,
  'unexpected-answer': (address, answer, question) =>
    `The server at ${address}${answer} is not the license service.${question}`,
  'license-not-found': (address, answer, question) =>
    `The service at ${address} doesn't know this license${answer}.${question} If the key is right, it belongs to another organization, store or account, or to the test mode.`,
  'test-license-key': (address) =>
    `The service at ${address} says that the license key is one of its test mode.`,
  'wrong-product': (address) => `The service at ${address} says that the license key is for another product.`,
  'untrusted-answer': (address, answer, question) =>
    `The answer of ${address}${answer} has no signature that the public key in this app verifies.${question}`,
  misconfigured: (address) => `The service at ${address} isn't set up for use from an app.`,
}

/**
 * Logs once what may be wrong with `service.baseUrl`. To the user it looks like a network problem or a wrong key.
 *
 * @param adapter name of the adapter in use; absent if `service.baseUrl` is set.
 * @param networkError returns Chromium's code of why the last request had no answer.
 * @returns a function to call with every state.
 */
export function createServiceHint(
  logger: Logger,
  baseUrl: string,
  adapter?: string,
  networkError: () => string | null = () => null,
): (state: LicensingState) => void {
  const url = parseUrl(baseUrl)
  // Keep a password in the address out of the log.
  const address = url === null ? baseUrl : `${url.protocol}//${url.host}${url.pathname}`
  let isTold = false

  return ({ problem }) => {
    const known = adapter === undefined ? hints : adapterHints
    const hint = problem === null ? undefined : known[problem.code]
    if (isTold || problem === null || hint === undefined) return
    isTold = true
    const what = adapter === undefined ? 'service.baseUrl' : `the settings of the ${adapter} adapter`
    const error = problem.code === 'offline' ? networkError() : null
    const question =
      problem.code === 'offline'
        ? networkQuestion(address, error)
        : problem.httpStatus === 404
          ? questionOf(adapter, address, problem.code)
          : ''
    const answer = error === null ? answerOf(problem) : ` (${error})`
    logger.warn(`${hint(address, answer, question)} Check ${what}. This warning is logged once.`)
  }
}

/** What a network error may be about. The emulator and the gateway don't encrypt what they send. */
function networkQuestion(address: string, error: string | null): string {
  if (error === 'ERR_CERT_DATE_INVALID')
    return ` Its certificate isn't valid at this computer's date, ${new Date().toISOString().slice(0, 10)}. Is that date right?`
  if (error?.startsWith('ERR_CERT_') === true)
    return ' This computer does not trust its certificate: is it self-signed or for another host, or does a proxy or a security program replace it?'
  if (error === 'ERR_NAME_NOT_RESOLVED') return ' Is the host name right?'
  const url = parseUrl(address)
  const isLocal = url?.protocol === 'https:' && isThisMachine(url.hostname)
  const isUnencrypted = error === null ? isLocal : error === 'ERR_SSL_PROTOCOL_ERROR'
  return isUnencrypted ? ' Does it use http:// instead of https://?' : ''
}

function answerOf({ httpStatus }: Problem): string {
  return httpStatus === undefined ? '' : ` (status ${httpStatus})`
}

/** What a 404 may be about: a version segment in `baseUrl`, or an account that Keygen doesn't know. */
function questionOf(adapter: string | undefined, address: string, code: ProblemCode): string {
  const isKeygen = adapter === 'keygen'
  // The Keygen adapter adds this to `baseUrl`.
  const given = isKeygen ? address.replace(/\/v1(?:\/accounts\/[^/]+)?$/u, '') : address
  const version = /\/v\d+(?=\/?$)/u.exec(given)?.[0]
  if (version !== undefined) return ` Does the address work without its version segment, ${version}?`
  return isKeygen && code === 'untrusted-answer' ? ' Is `account` the account ID in Settings?' : ''
}
