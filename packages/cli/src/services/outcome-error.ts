import type { Outcome, Refusal, RefusalReason, Unavailable } from '@latchkey/services'
import { explainSystemCode } from '../doctor/explain-failure.ts'
import { refusedByProxy } from '../doctor/explain-proxy.ts'
import { exitCodes } from '../exit-codes.ts'
import { asSentence } from '../printable.ts'
import { UsageError } from '../usage-error.ts'

/**
 * Which of the service's settings may be wrong.
 *
 * - `vendor-key`: the vendor's key, which was refused.
 * - `unreached`: the address, because nothing answers there.
 * - `address`: the address, because the answer isn't documented.
 * - `account`: the account, which isn't known at the address.
 * - `license`: the place where the license key is looked for, because it isn't known there.
 * - `product`: the product, store or plan that the license must belong to.
 * - `test-mode`: the switch that allows license keys of test mode.
 * - `list`: the vendor's key, without which the devices of a license that has ended or is suspended aren't listed.
 */
export type SuspectedSetting =
  | 'vendor-key'
  | 'unreached'
  | 'address'
  | 'account'
  | 'license'
  | 'product'
  | 'test-mode'
  | 'list'

/** A service refused, or didn't answer. The message contains no secret. */
export class OutcomeError extends Error {
  override readonly name = 'OutcomeError' as const
  readonly exitCode: number
  readonly suspected: SuspectedSetting | null

  constructor(message: string, exitCode: number, suspected: SuspectedSetting | null = null) {
    super(message)
    this.exitCode = exitCode
    this.suspected = suspected
  }
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

/** Returns the value of an answer. @throws {OutcomeError} for every other outcome. */
export function answeredValue<Value>(outcome: Outcome<Value>): Value {
  if (outcome.kind === 'answer') return outcome.value
  throw outcomeError(outcome)
}

/** Converts an outcome that isn't an answer. */
export function outcomeError(outcome: Refusal | Unavailable): OutcomeError {
  if (outcome.kind === 'unavailable') return unavailableError(outcome)
  const { reason } = outcome
  const isUnknown = reason === 'unknown-license' || reason === 'unknown-activation'
  return new OutcomeError(
    asSentence(reasonTexts[reason]),
    isUnknown ? exitCodes.notFound : exitCodes.unexpected,
    suspectedBy(reason),
  )
}

/** Converts an outcome of a request for the devices of a license. */
export function listError(outcome: Refusal | Unavailable): OutcomeError {
  const { message, exitCode, suspected } = outcomeError(outcome)
  const isEnded = outcome.kind === 'refusal' && isStateReason(outcome.reason)
  return new OutcomeError(message, exitCode, isEnded ? 'list' : suspected)
}

/** Whether a reason is about the state of a license, and not about whose it is. */
export function isStateReason(reason: RefusalReason): reason is 'expired' | 'suspended' | 'inactive' {
  return reason === 'expired' || reason === 'suspended' || reason === 'inactive'
}

/** Returns the setting that may be wrong if a service refuses for a documented reason. */
export function suspectedBy(reason: RefusalReason): SuspectedSetting | null {
  if (reason === 'unknown-license') return 'license'
  if (reason === 'test-license') return 'test-mode'
  return reason === 'wrong-product' ? 'product' : null
}

/**
 * The error if a seat wasn't released.
 *
 * @param isListed whether the service still lists the device afterwards. If not, nothing is known about its seat.
 */
export function unreleasedError(outcome: Refusal | Unavailable, isListed: boolean): OutcomeError {
  const { message, exitCode, suspected: suspectedBefore } = outcomeError(outcome)
  // The service has just shown the device.
  const suspected = suspectedBefore === 'unreached' ? null : suspectedBefore
  // The service contradicts itself, so its refusal doesn't explain anything.
  const isContradiction = outcome.kind === 'refusal' && outcome.reason === 'unknown-activation'
  if (isListed) {
    const why = isContradiction ? 'The service refused to release it.' : message
    return new OutcomeError(
      `The seat is still taken. ${why}`,
      isContradiction ? exitCodes.unexpected : exitCode,
      isContradiction ? null : suspected,
    )
  }
  return new OutcomeError(
    `${message} The seat may still be taken. Check it with keys list.`,
    exitCode,
    suspected,
  )
}

/** The error if the service doesn't list devices without the vendor's key. */
export function unlistedError(): UsageError {
  return new UsageError('The service lists devices only with the vendor’s key.')
}

/** The sentence that says how long to wait if a service limits the requests. */
export function tryAgain(retryAfterMs: number | null): string {
  const minutes = Math.ceil((retryAfterMs ?? 0) / 60_000)
  return minutes <= 1 ? 'Try again in a minute.' : `Try again in ${minutes} minutes.`
}

/** What may be wrong if a service refuses without a documented reason. */
const suspects: Readonly<Partial<Record<Unavailable['cause'], SuspectedSetting>>> = {
  'not-found': 'address',
  rejected: 'license',
}

function isRefusalCause(cause: Unavailable['cause']): boolean {
  return cause === 'rejected' || cause === 'not-found' || cause === 'access-denied'
}

function unavailableError({ cause, httpStatus, detail, ...facts }: Unavailable): OutcomeError {
  const status = httpStatus === null ? null : `status ${httpStatus}`
  const shown = [status, detail].filter((fact) => fact !== null)
  const known = shown.length === 0 ? '' : ` (${shown.join(', ')})`
  if (httpStatus !== null && facts.bodyIsJson === false && facts.mayHaveActed && isRefusalCause(cause)) {
    const exitCode = cause === 'access-denied' ? exitCodes.unauthorized : exitCodes.unexpected
    return new OutcomeError(asSentence(refusedByProxy(httpStatus)), exitCode)
  }
  switch (cause) {
    case 'access-denied':
      return new OutcomeError(
        // An error in another form than the service's may be a proxy's.
        `The service${facts.bodyIsJson === true ? '' : ', or a proxy in front of it,'} refuses access${known}.`,
        exitCodes.unauthorized,
        'vendor-key',
      )
    case 'cancelled':
      return new OutcomeError('Interrupted.', exitCodes.interrupted)
    case 'rate-limited':
      return new OutcomeError(
        `The service limits the requests${known}. ${tryAgain(facts.retryAfterMs)}`,
        exitCodes.unreachable,
      )
    case 'network':
    case 'timeout':
      return new OutcomeError(
        `The service can’t be reached: ${explainSystemCode(detail ?? '') ?? `${cause}${known}`}.`,
        exitCodes.unreachable,
        // The proxy was reached.
        httpStatus === null && detail !== 'ERR_PROXY_TUNNEL' ? 'unreached' : null,
      )
    case 'server-error':
      return new OutcomeError(
        `The service, or a proxy in front of it, has a problem${known}. Try again later.`,
        exitCodes.unreachable,
      )
    case 'misconfigured':
      if (detail?.includes('authenticationStrategy')) {
        return new OutcomeError(
          `The service isn’t set up for this${known}.`,
          exitCodes.unexpected,
          'vendor-key',
        )
      }
      return new OutcomeError(
        `The service isn’t set up for this${known}. Compare the settings with your account at the service.`,
        exitCodes.unexpected,
        // Keygen's code if it has no such account.
        detail === 'ACCOUNT' ? 'account' : null,
      )
    case 'unsigned-answer':
      return new OutcomeError(
        `The answer has no valid signature of the service${known}. Check the public key and the account in the settings.`,
        exitCodes.unexpected,
      )
    default:
      return new OutcomeError(
        cause === 'unexpected-answer' && detail !== null
          ? `The service’s answer can’t be used${status === null ? '' : ` (${status})`}: ${detail}.`
          : `The answer isn’t one that the service documents: ${cause}${known}.`,
        exitCodes.unexpected,
        suspects[cause] ?? null,
      )
  }
}
