import type { Refusal, RefusalReason, Unavailable } from '@latchkey/services'
import { CommandError, exitCodes } from '../command-error.ts'
import type { Connection } from '../settings.ts'
import { asSentence } from '../terminal.ts'
import { gatewayCodes, proxyHint, reasonsByCode, systemProblem } from './known-problems.ts'
import { type SuspectedSetting, settingAdvice } from './setting-advice.ts'

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

/** Explains an outcome that isn't an answer. */
export function explain(
  failure: Refusal | Unavailable,
  connection: Connection,
  operation: Operation,
): Explanation {
  if (failure.kind === 'unavailable') return explainUnavailable(failure, connection, operation)
  const { reason } = failure
  const explanation = explainReason(reason, connection)
  if (connection.isGateway && reason === 'unknown-license')
    return gatewayCodes.get('not-found') ?? explanation
  return operation === 'list keys' && isStateReason(reason)
    ? { ...explanation, suspected: 'list' }
    : explanation
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
  const subject = check === 'reachable' ? `the service can’t be reached: ${text}` : text
  const isOpen = exitCode === exitCodes.notFound || ['reachable', 'schema', 'base URL'].includes(check)
  const doctor =
    isOpen && connection.name === 'commerce' && exitCode !== exitCodes.interrupted
      ? ' Run `latchkey doctor` to find the cause.'
      : ''
  return `${asSentence(subject)}${settingAdvice(suspected, connection)}${doctor}`
}

/** Returns the explanation of a refusal for a documented reason. */
export function explainReason(reason: RefusalReason, { name, isGateway }: Connection): Explanation {
  const isUnknown = reason === 'unknown-license' || reason === 'unknown-activation'
  const suspects: Readonly<Partial<Record<RefusalReason, SuspectedSetting>>> = {
    'unknown-license': 'license',
    'test-license': 'test-mode',
    'wrong-product': 'product',
  }
  const ofGateway =
    isGateway && reason === 'wrong-product'
      ? ': check the product and store settings of the gateway, or the key'
      : ''
  const isUnknownHere = reason === 'unknown-license' && name === 'commerce'
  return {
    text: isUnknownHere ? unknownText(isGateway, 'license', '') : `${reasonTexts[reason]}${ofGateway}`,
    exitCode: isUnknown ? exitCodes.notFound : exitCodes.unexpected,
    check: 'license',
    isNote: !isUnknown && reason !== 'wrong-product',
    suspected: suspects[reason] ?? null,
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

function explainUnavailable(failure: Unavailable, connection: Connection, operation: Operation): Explanation {
  const { cause, httpStatus: status, detail, bodyIsJson, retryAfterMs } = failure
  const { isGateway } = connection
  const isCommerce = connection.name === 'commerce'
  const isList = operation === 'customers' || operation === 'discounts'
  if (cause === 'not-found' && isList) {
    return {
      text: `the service has nothing at this address (status ${status}): check the base URL. A gateway serves no lists: check one with latchkey doctor --gateway and --license`,
      exitCode: exitCodes.unexpected,
      check: 'base URL',
    }
  }
  const code = isCommerce ? (detail ?? '') : ''
  const ofGateway = gatewayCodes.get(code)
  if (ofGateway !== undefined) return ofGateway
  const reason = reasonsByCode.get(code)
  if (reason !== undefined) return explainReason(reason, { ...connection, isGateway: true })
  const fromProxy = explainProxy(failure, connection)
  if (fromProxy !== null) return fromProxy

  const shown = [status === null ? null : `status ${status}`, detail].filter((fact) => fact !== null)
  const known = shown.length === 0 ? '' : ` (${shown.join(', ')})`
  switch (cause) {
    case 'cancelled':
      return { text: 'interrupted', exitCode: exitCodes.interrupted, check: 'reachable' }
    case 'access-denied':
      if (isGateway && bodyIsJson === true) {
        return {
          text: 'asked for at this address, and a gateway needs none: check that it is the address of your gateway, not of the service',
          exitCode: exitCodes.unauthorized,
          check: 'access token',
        }
      }
      if (isCommerce && status === 403 && bodyIsJson === true && !isList) {
        return {
          text: `the service forbids this request${known}: the access token may not allow it, or the license may be suspended or have ended`,
          exitCode: exitCodes.unauthorized,
          check: operation === 'list keys' ? 'list keys' : 'license',
          suspected: 'vendor-key',
        }
      }
      return {
        text: `the service${bodyIsJson === true ? '' : ', or a proxy in front of it,'} refuses access${known}`,
        exitCode: exitCodes.unauthorized,
        check: 'access token',
        suspected: 'vendor-key',
      }
    case 'rate-limited': {
      const minutes = Math.max(1, Math.ceil((retryAfterMs ?? 0) / 60_000))
      return {
        text: `the service limits the requests${known}. Try again in ${minutes === 1 ? 'a minute' : `${minutes} minutes`}`,
        exitCode: exitCodes.unreachable,
        check: 'service',
      }
    }
    case 'network':
    case 'timeout': {
      if (status !== null) break
      const problem =
        cause === 'timeout'
          ? `no answer came within ${connection.options.timeout} s: --timeout allows more`
          : (systemProblem(detail) ?? `the connection failed${known}`)
      return {
        text: `${problem}${proxyHint(connection.baseUrl, connection.terminal.env)}`,
        exitCode: exitCodes.unreachable,
        check: 'reachable',
        // A proxy for outgoing requests was reached.
        suspected: detail === 'ERR_PROXY_TUNNEL' ? null : 'unreached',
      }
    }
    case 'not-found':
      return explainNotFound(failure, connection, operation, known)
    case 'misconfigured': {
      if (isGateway) return gatewayCodes.get('upstream-misconfigured') ?? serverProblem(known)
      // Keygen's code if license keys are no credentials.
      const asksForKey = detail?.includes('authenticationStrategy') === true
      return {
        text: `the service isn’t set up for this${known}${asksForKey ? '' : '. Compare the settings with your account at the service'}`,
        exitCode: exitCodes.unexpected,
        check: 'service',
        suspected: asksForKey ? 'vendor-key' : 'account',
      }
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
      }
    case 'server-error':
  }
  return serverProblem(known)
}

function serverProblem(known: string): Explanation {
  return {
    text: `the service, or a proxy in front of it, has a problem${known}: try again later`,
    exitCode: exitCodes.unreachable,
    check: 'service',
  }
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
    }
  }
  const isOfLicense = operation === 'list keys' || operation === 'activate'
  return {
    text: unknownText(isGateway, isOfLicense ? 'license' : 'license or key', known),
    exitCode: exitCodes.notFound,
    check: 'license',
  }
}

/** Explains what a proxy, a website or a login page answered; `null` if the service may have answered itself. */
function explainProxy(failure: Unavailable, connection: Connection): Explanation | null {
  const { cause, httpStatus: status, bodyIsJson, mayHaveActed } = failure
  if (status === null) return null
  if (status >= 300 && status < 400) return explainRedirect(status, connection)
  if (status === 407) {
    return {
      text: 'a proxy asks for a password (status 407): set one in the address of the proxy for outgoing requests, or change the rules of a reverse proxy',
      exitCode: exitCodes.unauthorized,
      check: 'proxy',
    }
  }
  const whose = connection.isGateway ? 'gateway' : 'service'
  const last = connection.lastResponse()
  const isPage =
    bodyIsJson === false &&
    last?.status === status &&
    /^text\/html\b/iu.test(last.headers.get('content-type') ?? '')
  const page = `(status ${status}, an HTML page)`
  if (isPage && status < 300) {
    return {
      text: `a website or a proxy answers in place of the ${whose} ${page}: check the address, and that a proxy forwards this path to the ${whose}`,
      exitCode: exitCodes.unexpected,
      check: 'proxy',
    }
  }
  if (isPage && status >= 500) {
    return {
      text: `a reverse proxy answers in place of the ${whose} ${page}: check that the ${whose} runs, and its address in the proxy’s settings`,
      exitCode: exitCodes.unreachable,
      check: 'proxy',
    }
  }
  if (isPage && status === 400 && connection.baseUrl.startsWith('http:')) {
    return {
      text: `a proxy answers in place of the ${whose} ${page}: the address begins with http://, so check whether this port needs https://`,
      exitCode: exitCodes.unexpected,
      check: 'base URL',
    }
  }
  const isNotFound = status === 404 || status === 410
  const isRefused = cause === 'rejected' || cause === 'not-found' || cause === 'access-denied'
  // A page that says only that nothing is at this address may be about the address.
  if (!(isPage && !isNotFound) && !(isRefused && bodyIsJson === false && mayHaveActed)) return null
  const isDenied = status === 401 || status === 403
  const orToken = isDenied && whose === 'service' ? '. If there is no proxy, check the access token' : ''
  return {
    text: `a reverse proxy in front of the ${whose} may have refused the request (status ${status}, no JSON): change its rules, so that it lets GET, POST and DELETE through without a password${orToken}`,
    exitCode: isDenied ? exitCodes.unauthorized : exitCodes.unexpected,
    check: 'proxy',
  }
}

/** Explains a redirect. Apps follow none, because it would carry the license key to another address. */
function explainRedirect(status: number, { baseUrl, isGateway, lastResponse }: Connection): Explanation {
  const last = lastResponse()
  const location = last?.status === status ? last.headers.get('location') : null
  const target = location !== null && URL.canParse(location, baseUrl) ? new URL(location, baseUrl) : null
  // The rest of the path, and the query, contain the license key.
  const [, base] = /^(.*)\/(?:licenses\/|customers\/?$|discounts\/?$)/u.exec(target?.pathname ?? '') ?? []
  const text =
    target === null
      ? `a proxy redirects the requests to the ${isGateway ? 'gateway' : 'service'} (status ${status})`
      : base === undefined
        ? `a proxy or a login page on the network redirects to ${target.origin} (status ${status})`
        : `this address redirects to ${target.origin}${base} (status ${status}): use that one. Apps follow no redirects`
  return { text, exitCode: exitCodes.unexpected, check: 'base URL' }
}
