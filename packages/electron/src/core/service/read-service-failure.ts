import type { RefusalReason, Unavailable, UnavailableCause } from '@latchkey/services'
import type { ProblemCode } from '../../shared/problem.ts'
import { formatTimestamp } from '../../shared/timestamp.ts'
import type { ProblemCause } from '../problem.ts'
import type { LicensedReading } from '../record/reading.ts'
import { type LicenseFacts, toldTerms } from '../record/vault.ts'
import type { Failure } from './read-answer.ts'
import type { ServiceFailure } from './service-failure.ts'

/** Classifies an adapter's failure. */
export function readServiceFailure({ outcome, lease }: ServiceFailure): Failure {
  if (outcome.kind === 'unavailable') return readUnavailable(outcome)
  const { reason, license, leftoverActivationId, mayBeUnknown = false, serverDateMs, httpStatus } = outcome
  const endsAtMs = typeof license?.endsAtMs === 'number' ? license.endsAtMs : null
  const cause = { code: refusalCodes[reason], ...(httpStatus !== null && { httpStatus }) }
  return {
    kind: 'refused',
    reason,
    endsAtMs,
    leftoverKeyId: leftoverActivationId,
    lease,
    mayBeUnknown,
    serverDateMs,
    cause,
  }
}

const refusalCodes: Readonly<Record<RefusalReason, ProblemCode>> = {
  'unknown-license': 'license-not-found',
  'unknown-activation': 'unconfirmed',
  'wrong-product': 'wrong-product',
  'test-license': 'test-license-key',
  expired: 'license-expired',
  suspended: 'license-suspended',
  inactive: 'license-inactive',
  'no-seat-left': 'no-seat-left',
}

function readUnavailable(outcome: Unavailable): Failure {
  const { cause: reason, httpStatus, retryAfterMs, bodyIsJson, mayHaveActed } = outcome
  const cause: ProblemCause = {
    code: causeCodes[reason],
    ...(httpStatus !== null && { httpStatus }),
    ...(retryAfterMs !== null && { retryAfterMs }),
  }
  const isFromService = bodyIsJson === true
  const isUnreadable = reason === 'misconfigured' || (reason === 'unexpected-answer' && isFromService)
  const hasNotActed = !mayHaveActed
  switch (reason) {
    case 'not-found':
      return { kind: 'not-found', isFromService, hasNotActed, cause }
    case 'rejected':
      return { kind: 'rejected', isFromService, hasNotActed, cause }
    case 'access-denied':
      return { kind: 'unauthorized', isFromService, hasNotActed, cause }
    default:
      return { kind: 'unreachable', isUnreadable, hasNotActed, cause }
  }
}

const causeCodes: Readonly<Record<UnavailableCause, ProblemCode>> = {
  network: 'offline',
  timeout: 'timeout',
  cancelled: 'timeout',
  'rate-limited': 'rate-limited',
  'server-error': 'service-error',
  'access-denied': 'unauthorized',
  'not-found': 'unexpected-answer',
  rejected: 'service-error',
  redirected: 'unexpected-answer',
  'unexpected-answer': 'unexpected-answer',
  'incomplete-answer': 'incomplete-answer',
  'unsigned-answer': 'untrusted-answer',
  misconfigured: 'misconfigured',
}

/** A refusal for a reason that the service documents. */
export type RefusedFailure = Extract<Failure, { kind: 'refused' }>

/**
 * Returns what a refused *validate* says about the license. The other facts keep their last known values.
 *
 * @returns `null` if the reason isn't about the license itself.
 */
export function readRefusal(
  { reason, endsAtMs, lease }: RefusedFailure,
  known: LicenseFacts | null,
): LicensedReading | null {
  if (reason !== 'expired' && reason !== 'suspended' && reason !== 'inactive') return null
  const facts = known ?? { activationLimit: null, activationUsage: null, expiresAt: null, suspendedAt: null }
  const expiresAt = endsAtMs === null ? facts.expiresAt : formatTimestamp(endsAtMs)
  const terms = lease === undefined ? {} : toldTerms(lease.license)
  return {
    kind: 'licensed',
    verdict: reason,
    license: { ...facts, ...terms, expiresAt, status: reason },
    lease,
  }
}
