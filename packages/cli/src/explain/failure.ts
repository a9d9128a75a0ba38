import type { Refusal, RefusalReason, Unavailable } from '@latchkey/services'
import { CommandError, exitCodes } from '../command-error.ts'
import type { Connection } from '../settings.ts'
import { asSentence } from '../terminal.ts'
import { gatewayCodes, reasonOfCode } from './gateway-codes.ts'
import { isPage, pageOfProxy, redirect, refusedByProxy } from './proxy.ts'
import { type SuspectedSetting, settingAdvice } from './setting-advice.ts'
import { proxyHint, systemProblem } from './system-problem.ts'

/** What was asked for. */
export type Operation =
  | 'list keys'
  | 'show key'
  | 'activate'
  | 'validate'
  | 'deactivate'
  | 'show license'
  | 'customers'
  | 'discounts'

/** The doctor's checks. */
export type CheckName =
  | 'base URL'
  | 'reachable'
  | 'clock'
  | 'latency'
  | 'proxy'
  | 'service'
  | 'schema'
  | 'access token'
  | 'license'
  | 'list keys'
  | 'activate'
  | 'show key'
  | 'validate'
  | 'deactivate'
  | 'leases'
  | 'offline page'

/** Why a request failed, and what to do. */
export interface Explanation {
  /** A phrase without a period. It contains no secret. */
  readonly text: string
  readonly exitCode: number
  /** The doctor's check that this belongs to. */
  readonly check: CheckName
  /** Whether this says something about the license, and not about a fault. */
  readonly isNote?: boolean
  /** The setting that may be wrong. */
  readonly suspected?: SuspectedSetting | null | undefined
  /** Whether the doctor can say more. */
  readonly asksDoctor?: boolean
}

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

const unknownAtGateway = gatewayCodes['not-found']
const misconfiguredGateway = gatewayCodes['upstream-misconfigured']
const wrongProductAtGateway: Explanation = {
  text: `${reasonTexts['wrong-product']}: check the product and store settings of the gateway, or the key`,
  exitCode: exitCodes.unexpected,
  check: 'license',
}

/** Explains an outcome that isn't an answer. */
export function explain(
  failure: Refusal | Unavailable,
  connection: Connection,
  operation: Operation,
): Explanation {
  if (failure.kind === 'refusal') {
    const { reason } = failure
    if (connection.isGateway && reason === 'unknown-license' && unknownAtGateway !== undefined) {
      return unknownAtGateway
    }
    if (connection.isGateway && reason === 'wrong-product') return wrongProductAtGateway
    const isListed = operation === 'list keys' && isStateReason(reason)
    return { ...explainReason(reason), ...(isListed && { suspected: 'list' }) }
  }
  const explanation = explainUnavailable(failure, connection, operation)
  return connection.name === 'commerce' ? explanation : { ...explanation, asksDoctor: false }
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
  const { text, check, suspected = null, asksDoctor } = explanation
  const subject = check === 'reachable' ? `the service can’t be reached: ${text}` : text
  const doctor = asksDoctor ? ' Run `latchkey doctor` to find the cause.' : ''
  return `${asSentence(subject)}${settingAdvice(suspected, connection)}${doctor}`
}

/** Returns the explanation of a refusal for a documented reason. */
export function explainReason(reason: RefusalReason): Explanation {
  const isUnknown = reason === 'unknown-license' || reason === 'unknown-activation'
  const suspects: Readonly<Partial<Record<RefusalReason, SuspectedSetting>>> = {
    'unknown-license': 'license',
    'test-license': 'test-mode',
    'wrong-product': 'product',
  }
  return {
    text: reasonTexts[reason],
    exitCode: isUnknown ? exitCodes.notFound : exitCodes.unexpected,
    check: 'license',
    isNote: !isUnknown && reason !== 'wrong-product',
    suspected: suspects[reason] ?? null,
  }
}

/** Whether a reason is about the state of a license, and not about whose it is. */
export function isStateReason(reason: RefusalReason): reason is 'expired' | 'suspended' | 'inactive' {
  return reason === 'expired' || reason === 'suspended' || reason === 'inactive'
}

function explainUnavailable(failure: Unavailable, connection: Connection, operation: Operation): Explanation {
  const { cause, httpStatus: status, detail, bodyIsJson, retryAfterMs } = failure
  const isCommerce = connection.name === 'commerce'
  const whose = connection.isGateway ? 'gateway' : 'service'
  if (cause === 'not-found' && (operation === 'customers' || operation === 'discounts')) {
    return {
      text: `the service has nothing at this address (status ${status}): check the base URL. A gateway serves no lists: check one with latchkey doctor --gateway and --license`,
      exitCode: exitCodes.unexpected,
      check: 'base URL',
    }
  }
  const code = isCommerce ? (detail ?? '') : ''
  if (Object.hasOwn(gatewayCodes, code) && gatewayCodes[code] !== undefined) return gatewayCodes[code]
  const reason = reasonOfCode(code)
  if (reason !== null) {
    if (reason === 'wrong-product') return wrongProductAtGateway
    return { ...explainReason(reason), text: `${reasonTexts[reason]} (${code})`, suspected: null }
  }
  const shown = [status === null ? null : `status ${status}`, detail].filter((fact) => fact !== null)
  const known = shown.length === 0 ? '' : ` (${shown.join(', ')})`
  if (status !== null && status >= 300 && status < 400) return redirect(status, connection)
  if (status === 407) {
    const text =
      'a proxy asks for a password (status 407): set one in the address of the proxy for outgoing requests, or change the rules of a reverse proxy'
    return { text, exitCode: exitCodes.unauthorized, check: 'proxy' }
  }
  const isRefused = cause === 'rejected' || cause === 'not-found' || cause === 'access-denied'
  if (status !== null && isRefused && bodyIsJson === false && failure.mayHaveActed) {
    return refusedByProxy(status, whose)
  }
  if (status !== null && isPage(failure, connection)) {
    const page = pageOfProxy(status, connection)
    if (page !== null) return page
  }

  switch (cause) {
    case 'cancelled':
      return { text: 'interrupted', exitCode: exitCodes.interrupted, check: 'reachable' }
    case 'access-denied':
      return explainDenied(failure, connection, operation, known)
    case 'rate-limited':
      return {
        text: `the service limits the requests${known}. ${tryAgain(retryAfterMs)}`,
        exitCode: exitCodes.unreachable,
        check: 'service',
      }
    case 'network':
    case 'timeout': {
      if (status !== null) break
      const seconds = connection.options.timeout
      const problem =
        cause === 'timeout'
          ? `no answer came within ${seconds} s: --timeout allows more`
          : (systemProblem(detail) ?? `the connection failed${known}`)
      return {
        text: `${problem}${proxyHint(connection.baseUrl, connection.terminal.env)}`,
        exitCode: exitCodes.unreachable,
        check: 'reachable',
        // A proxy for outgoing requests was reached.
        suspected: detail === 'ERR_PROXY_TUNNEL' ? null : 'unreached',
        asksDoctor: true,
      }
    }
    case 'not-found':
      return explainNotFound(failure, connection, operation, known)
    case 'misconfigured':
      if (connection.isGateway && misconfiguredGateway !== undefined) return misconfiguredGateway
      return {
        text: `the service isn’t set up for this${known}${detail?.includes('authenticationStrategy') ? '' : '. Compare the settings with your account at the service'}`,
        exitCode: exitCodes.unexpected,
        check: 'service',
        // Keygen's codes if license keys are no credentials, and if it has no such account.
        suspected: detail?.includes('authenticationStrategy')
          ? 'vendor-key'
          : detail === 'ACCOUNT'
            ? 'account'
            : null,
      }
    case 'unsigned-answer':
      return {
        text: `the answer has no valid signature of the service${known}. Check the public key and the account in the settings`,
        exitCode: exitCodes.unexpected,
        check: 'service',
      }
    case 'rejected':
      return {
        text: isCommerce
          ? `the service refused the request${known}`
          : `the answer isn’t one that the service documents: rejected${known}`,
        exitCode: exitCodes.unexpected,
        check: 'service',
        suspected: isCommerce ? null : 'license',
        asksDoctor: true,
      }
    case 'unexpected-answer':
    case 'incomplete-answer':
    case 'redirected':
      return {
        text:
          cause === 'unexpected-answer' && detail !== null
            ? `the service’s answer can’t be used (status ${status}): ${detail}`
            : `the answer isn’t one that the service documents: ${cause}${known}`,
        exitCode: exitCodes.unexpected,
        check: 'schema',
        asksDoctor: true,
      }
    case 'server-error':
  }
  return {
    text: `the service, or a proxy in front of it, has a problem${known}: try again later`,
    exitCode: exitCodes.unreachable,
    check: 'service',
    asksDoctor: true,
  }
}

function explainDenied(
  { httpStatus, bodyIsJson }: Unavailable,
  { name, isGateway }: Connection,
  operation: Operation,
  known: string,
): Explanation {
  const exitCode = exitCodes.unauthorized
  if (isGateway && bodyIsJson === true) {
    const text =
      'asked for at this address, and a gateway needs none: check that it is the address of your gateway, not of the service'
    return { text, exitCode, check: 'access token' }
  }
  const isList = operation === 'customers' || operation === 'discounts'
  if (name === 'commerce' && httpStatus === 403 && bodyIsJson === true && !isList) {
    const text = `the service forbids this request${known}: the access token may not allow it, or the license may be suspended or have ended`
    return {
      text,
      exitCode,
      check: operation === 'list keys' ? 'list keys' : 'license',
      suspected: 'vendor-key',
    }
  }
  // An error in another form than the service's may be a proxy's.
  const orProxy = bodyIsJson === true ? '' : ', or a proxy in front of it,'
  const text = `the service${orProxy} refuses access${known}`
  return { text, exitCode, check: 'access token', suspected: 'vendor-key' }
}

/** Explains a 404: the license, its key or the address is wrong. */
function explainNotFound(
  { bodyIsJson }: Unavailable,
  { name, isGateway }: Connection,
  operation: Operation,
  known: string,
): Explanation {
  if (name !== 'commerce') {
    return {
      text: `the answer isn’t one that the service documents: not-found${known}`,
      exitCode: exitCodes.unexpected,
      check: 'schema',
      suspected: 'address',
    }
  }
  if (bodyIsJson !== true) {
    return {
      text: isGateway
        ? 'no gateway answers at this path: its address ends with LATCHKEY_BASE_PATH, which is /v1 by default. If a reverse proxy passes on a prefix of its own, remove it there, or begin LATCHKEY_BASE_PATH with it'
        : `something other than the service answers at this address${known}. Check the base URL, which ends with the version segment, such as /v1`,
      exitCode: exitCodes.unexpected,
      check: 'base URL',
      asksDoctor: true,
    }
  }
  const what = operation === 'list keys' || operation === 'activate' ? 'license' : 'license or key'
  return {
    text: isGateway
      ? unknownBehindGateway
      : `there is no such ${what}, or the base URL is wrong${known}. If the license key is right, check the address`,
    exitCode: exitCodes.notFound,
    check: 'license',
    asksDoctor: true,
  }
}

/** The sentence that says how long to wait if a service limits the requests. */
function tryAgain(retryAfterMs: number | null): string {
  const minutes = Math.ceil((retryAfterMs ?? 0) / 60_000)
  return minutes <= 1 ? 'Try again in a minute' : `Try again in ${minutes} minutes`
}
