import type { Refusal, RefusalReason, Unavailable } from '@latchkey/services'
import { CommandError, exitCodes } from '../command-error.ts'
import type { Connection } from '../settings.ts'
import { explainCode, proxyHint, systemProblem } from './known-problems.ts'
import { type SuspectedSetting, settingAdvice } from './setting-advice.ts'

type LicenseRequest = 'list devices' | 'show device' | 'activate' | 'validate' | 'deactivate'

/** What was asked for. */
export type Operation = LicenseRequest | 'show license' | 'customers' | 'discounts'

type ServiceCheck = 'base URL' | 'reachable' | 'clock' | 'latency' | 'proxy' | 'service' | 'schema'

/** The doctor's checks. */
export type CheckName = ServiceCheck | LicenseRequest | 'access token' | 'license' | 'leases' | 'offline page'

/** Why a request failed, and what to do. */
export interface Explanation {
  /** The doctor's check that this belongs to. */
  readonly check: CheckName
  readonly exitCode: number
  /** A phrase without a period. It contains no secret. */
  readonly text: string
  /** Whether this says something about the license, and not about a fault. */
  readonly isNote?: boolean
  /** The setting that may be wrong. */
  readonly suspected?: SuspectedSetting | null
}

const { unreachable, unauthorized, notFound, unexpected, interrupted } = exitCodes

/** What each documented reason means. */
export const reasonTexts: Readonly<Record<RefusalReason, string>> = {
  'unknown-license': 'the service doesn’t know this license key',
  'unknown-activation': 'the license doesn’t have this device',
  'wrong-product': 'the license key belongs to another product, store or plan',
  'test-license': 'the license key was created in test mode',
  'no-seat-left': 'every seat is taken',
  expired: 'the license has ended',
  suspended: 'the license is suspended',
  inactive: 'the license is not in force',
}

/** Said of a license key that neither a list nor an activation finds. */
export const unknownBehindGateway =
  'the gateway answers, but the service behind it doesn’t know this license key: check the key, and in the gateway’s settings the service’s address and the organization, store or product'

/** Explains an outcome that isn't an answer. */
export function explain(
  failure: Refusal | Unavailable,
  connection: Connection,
  operation: Operation,
): Explanation {
  if (failure.kind === 'unavailable') return explainUnavailable(failure, connection, operation)
  const { reason } = failure
  const explanation = explainReason(reason, connection)
  if (connection.isGateway && reason === 'unknown-license') return explainCode('not-found') ?? explanation
  const isAboutList = operation === 'list devices' && isStateReason(reason)
  return isAboutList ? { ...explanation, suspected: 'list' } : explanation
}

/** Returns the error that ends a command after an outcome that isn't an answer. */
export function failureError(
  failure: Refusal | Unavailable,
  connection: Connection,
  operation: Operation,
): CommandError {
  const explanation = explain(failure, connection, operation)
  return new CommandError(sentencesOf(explanation, connection), explanation.exitCode)
}

/** Returns an explanation as sentences for a command's message. */
export function sentencesOf(explanation: Explanation, connection: Connection): string {
  const { text, check, exitCode, suspected = null } = explanation
  const phrase = check === 'reachable' ? `the service can’t be reached: ${text}` : text
  const sentence = `${phrase.charAt(0).toUpperCase()}${phrase.slice(1)}${/[.?]$/u.test(phrase) ? '' : '.'}`
  const isOpen = exitCode === notFound || ['reachable', 'schema', 'base URL'].includes(check)
  const doctor =
    isOpen && connection.name === 'commerce' && exitCode !== interrupted
      ? ' Run `latchkey doctor` to find the cause.'
      : ''
  return `${sentence}${settingAdvice(suspected, connection)}${doctor}`
}

const suspectsOfReason: Readonly<Partial<Record<RefusalReason, SuspectedSetting>>> = {
  'unknown-license': 'license',
  'test-license': 'test-mode',
  'wrong-product': 'product',
}

/** Returns the explanation of a refusal for a documented reason. */
export function explainReason(reason: RefusalReason, { name, isGateway }: Connection): Explanation {
  const isUnknown = reason === 'unknown-license' || reason === 'unknown-activation'
  const isWrongProduct = reason === 'wrong-product'
  const ofGateway =
    isGateway && isWrongProduct ? ': check the product and store settings of the gateway, or the key' : ''
  const isUnknownHere = reason === 'unknown-license' && name === 'commerce'
  return {
    check: 'license',
    exitCode: isUnknown ? notFound : unexpected,
    text: isUnknownHere ? unknownText(isGateway, 'license', '') : `${reasonTexts[reason]}${ofGateway}`,
    isNote: !isUnknown && !isWrongProduct,
    suspected: suspectsOfReason[reason] ?? null,
  }
}

function unknownText(isGateway: boolean, what: string, known: string): string {
  return isGateway
    ? unknownBehindGateway
    : `there is no such ${what}, or the base URL is wrong${known}. If the license key is right, check the address`
}

/** Whether a reason is about the state of a license, and not about whose it is. */
export function isStateReason(reason: RefusalReason): reason is 'expired' | 'suspended' | 'inactive' {
  return reason === 'expired' || reason === 'suspended' || reason === 'inactive'
}

function isReason(text: string): text is RefusalReason {
  return Object.hasOwn(reasonTexts, text)
}

function explainUnavailable(failure: Unavailable, connection: Connection, operation: Operation): Explanation {
  const { cause, httpStatus: status, detail, bodyIsJson, retryAfterMs } = failure
  const { isGateway, baseUrl, terminal, options } = connection
  const isCommerce = connection.name === 'commerce'
  const isList = operation === 'customers' || operation === 'discounts'
  if (cause === 'not-found' && isList) {
    const text = `the service has nothing at this address (status ${status}): check the base URL. A gateway serves no lists: check one with latchkey doctor --gateway and --license`
    return { check: 'base URL', exitCode: unexpected, text }
  }
  const code = isCommerce ? (detail ?? '') : ''
  const reason = code.replace(/^license-/u, '')
  if (isReason(reason)) return explainReason(reason, { ...connection, isGateway: true })
  const explained = explainCode(code) ?? explainProxy(failure, connection)
  if (explained !== null) return explained

  const shown = [status === null ? null : `status ${status}`, detail].filter((fact) => fact !== null)
  const known = shown.length === 0 ? '' : ` (${shown.join(', ')})`
  const notDocumented = `the answer isn’t one that the service documents: ${cause}${known}`
  switch (cause) {
    case 'cancelled':
      return { check: 'reachable', exitCode: interrupted, text: 'interrupted' }
    case 'access-denied': {
      if (isGateway && bodyIsJson === true) {
        const text =
          'asked for at this address, and a gateway needs none: check that it is the address of your gateway, not of the service'
        return { check: 'access token', exitCode: unauthorized, text }
      }
      // A service may refuse a license with the status that it has for a token.
      const mayBeLicense = isCommerce && status === 403 && bodyIsJson === true && !isList
      const check = operation === 'list devices' ? 'list devices' : 'license'
      const why = mayBeLicense
        ? ': the access token may not allow it, or the license may be suspended or have ended'
        : ''
      const text = `the service${bodyIsJson === true ? '' : ', or a proxy in front of it,'} refuses access${known}${why}`
      const suspected = 'vendor-key'
      return { check: mayBeLicense ? check : 'access token', exitCode: unauthorized, text, suspected }
    }
    case 'rate-limited': {
      const minutes = Math.max(1, Math.ceil((retryAfterMs ?? 0) / 60_000))
      const text = `the service limits the requests${known}. Try again in ${minutes === 1 ? 'a minute' : `${minutes} minutes`}`
      return { check: 'service', exitCode: unreachable, text }
    }
    case 'network':
    case 'timeout': {
      if (status !== null) break
      const problem =
        cause === 'timeout'
          ? `no answer came within ${options.timeout} s: --timeout allows more`
          : (systemProblem(detail) ?? `the connection failed${known}`)
      const text = `${problem}${proxyHint(baseUrl, terminal.env)}`
      // A proxy for outgoing requests was reached.
      const suspected = detail === 'ERR_PROXY_TUNNEL' ? null : 'unreached'
      return { check: 'reachable', exitCode: unreachable, text, suspected }
    }
    case 'not-found': {
      if (!isCommerce) {
        return { check: 'schema', exitCode: unexpected, text: notDocumented, suspected: 'address' }
      }
      if (bodyIsJson !== true) {
        const text = isGateway
          ? 'no gateway answers at this path: its address ends with LATCHKEY_BASE_PATH, which is /v1 by default. If a reverse proxy passes on a prefix of its own, remove it there, or begin LATCHKEY_BASE_PATH with it'
          : `something other than the service answers at this address${known}. Check the base URL, which ends with the version segment, such as /v1`
        return { check: 'base URL', exitCode: unexpected, text }
      }
      const isOfLicense = operation === 'list devices' || operation === 'activate'
      const text = unknownText(isGateway, isOfLicense ? 'license' : 'license or device', known)
      return { check: 'license', exitCode: notFound, text }
    }
    case 'misconfigured': {
      const ofGateway = isGateway ? explainCode('upstream-misconfigured') : null
      // Keygen's code if license keys are no credentials.
      const asksForKey = detail?.includes('authenticationStrategy') === true
      const advice = asksForKey ? '' : '. Compare the settings with your account at the service'
      const text = `the service isn’t set up for this${known}${advice}`
      const suspected = asksForKey ? 'vendor-key' : 'account'
      return ofGateway ?? { check: 'service', exitCode: unexpected, text, suspected }
    }
    case 'unsigned-answer': {
      const text = `the answer has no valid signature of the service${known}. Check the public key and the account in the settings`
      return { check: 'service', exitCode: unexpected, text }
    }
    case 'rejected': {
      if (!isCommerce) {
        return { check: 'service', exitCode: unexpected, text: notDocumented, suspected: 'license' }
      }
      return { check: 'service', exitCode: unexpected, text: `the service refused the request${known}` }
    }
    case 'unexpected-answer':
    case 'incomplete-answer':
    case 'redirected': {
      const isExplained = cause === 'unexpected-answer' && detail !== null
      const text = isExplained
        ? `the service’s answer can’t be used (status ${status}): ${detail}`
        : notDocumented
      return { check: 'schema', exitCode: unexpected, text }
    }
    case 'server-error':
  }
  const text = `the service, or a proxy in front of it, has a problem${known}: try again later`
  return { check: 'service', exitCode: unreachable, text }
}

/** Explains what a proxy, a website or a login page answered; `null` if the service may have answered itself. */
function explainProxy(failure: Unavailable, connection: Connection): Explanation | null {
  const { cause, httpStatus: status, bodyIsJson, mayHaveActed } = failure
  const { isGateway, baseUrl } = connection
  if (status === null) return null
  if (status >= 300 && status < 400) return explainRedirect(status, connection)
  if (status === 407) {
    const text =
      'a proxy asks for a password (status 407): set one in the address of the proxy for outgoing requests, or change the rules of a reverse proxy'
    return { check: 'proxy', exitCode: unauthorized, text }
  }
  const last = connection.lastResponse()
  const isPage =
    bodyIsJson === false &&
    last?.status === status &&
    /^text\/html\b/iu.test(last.headers.get('content-type') ?? '')
  const isRefused = cause === 'rejected' || cause === 'not-found' || cause === 'access-denied'
  // A page that says only that nothing is at this address may be about the address.
  const isOfProxy = isPage && status !== 404 && status !== 410
  if (!isOfProxy && !(isRefused && bodyIsJson === false && mayHaveActed)) return null
  const isDenied = status === 401 || status === 403
  const whose = isGateway ? 'gateway' : 'service'
  const advice = [
    `check the address, that the ${whose} runs, and that a proxy in front of it forwards GET, POST and DELETE without a password`,
    ...(isDenied && !isGateway ? ['If there is no proxy, check the access token'] : []),
    ...(status === 400 && baseUrl.startsWith('http:') ? ['This port may need https://'] : []),
  ]
  return {
    check: 'proxy',
    exitCode: isDenied ? unauthorized : status >= 500 ? unreachable : unexpected,
    text: `a website or a proxy answers in place of the ${whose} (status ${status}, no JSON): ${advice.join('. ')}`,
  }
}

/** Explains a redirect. Apps follow none, because it would carry the license key to another address. */
function explainRedirect(status: number, { baseUrl, lastResponse }: Connection): Explanation {
  const last = lastResponse()
  const location = last?.status === status ? last.headers.get('location') : null
  const target = location !== null && URL.canParse(location, baseUrl) ? new URL(location, baseUrl) : null
  // The rest of the path, and the query, contain the license key.
  const [, base] = /^(.*)\/(?:licenses\/|customers\/?$|discounts\/?$)/u.exec(target?.pathname ?? '') ?? []
  const to = target === null ? '' : ` to ${target.origin}${base ?? ''}`
  const text =
    base === undefined
      ? `a proxy or a login page on the network redirects${to} (status ${status})`
      : `this address redirects${to} (status ${status}): use that one. Apps follow no redirects`
  return { check: 'base URL', exitCode: unexpected, text }
}
