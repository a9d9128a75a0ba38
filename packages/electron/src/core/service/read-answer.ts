import { type CommerceError, isCommerceError } from '@latchkey/commerce'
import type { RefusalReason } from '@latchkey/services'
import type { ProblemCode } from '../../shared/problem.ts'
import type { Answer } from '../ports/commerce-port.ts'
import type { Lease } from '../ports/lease-port.ts'
import type { ReportedLicense } from '../ports/service-port.ts'
import type { ProblemCause } from '../problem.ts'
import type { LicensedReading } from '../record/reading.ts'
import { isSameId } from '../record/same-id.ts'
import { type LicenseFacts, toldTerms } from '../record/vault.ts'
import { verdictOf } from '../state/license-end.ts'
import { readServiceFailure } from './read-service-failure.ts'
import { ServiceFailure } from './service-failure.ts'

/** The kind of a refusal or failure, before any decision. */
export type Failure =
  | {
      /**
       * - `not-found`: 404 or 410.
       * - `rejected`: another 4xx that is about the request itself.
       * - `unauthorized`: 401, 403, 407. The app's or the network's access was denied. Never the user's fault.
       */
      readonly kind: 'not-found' | 'rejected' | 'unauthorized'
      /** The body is JSON, unlike a proxy's error page. */
      readonly isFromService: boolean
      /** See below. Only adapters know it. */
      readonly hasNotActed?: boolean
      readonly cause: ProblemCause
    }
  /** A refusal for a reason that the service documents. Only adapters return these. */
  | {
      readonly kind: 'refused'
      readonly reason: RefusalReason
      /** The license's end according to the refusal, in milliseconds since the epoch. */
      readonly endsAtMs: number | null
      /** An activation that was created anyway and must be deactivated. */
      readonly leftoverKeyId: string | null
      /** Signed proof that the license has ended, from a service whose answers are signed. */
      readonly lease?: Lease | undefined
      /** Whether the service says the same about a license that it doesn't know. */
      readonly mayBeUnknown: boolean
      readonly serverDateMs: number | null
      readonly cause: ProblemCause
    }
  /** No network, timeout, 5xx, 408, 425, 429, a proxy's error page, or a body that doesn't match the schema. */
  | {
      readonly kind: 'unreachable'
      /** A success with no body, or with JSON of another shape. The request may have been carried out. */
      readonly oddSuccess?: 'empty' | 'json'
      /** The service answered, but asking again won't give an answer that can be read. */
      readonly isUnreadable?: boolean
      /** It is proven that no seat was taken or freed. */
      readonly hasNotActed?: boolean
      readonly cause: ProblemCause
    }

/** Whether an answer is about this key of this license. Other answers are ignored. */
export function isAbout(
  { license, key }: { readonly license: { readonly id: string }; readonly key: { readonly id: string } },
  licenseId: string,
  keyId: string,
): boolean {
  return isSameId(license.id, licenseId) && isSameId(key.id, keyId)
}

/** Reads the License of a valid 2xx answer. `wallMs` is the computer's own clock. */
export function readLicense(
  answer: Answer<{ readonly license: ReportedLicense }>,
  wallMs: number,
): LicensedReading {
  const { lease, serverDateMs } = answer
  const { license } = answer.value
  const facts: LicenseFacts = {
    activationLimit: license.activation_limit,
    activationUsage: license.activation_usage,
    expiresAt: license.expires_at,
    ...(license.isEndUnknown === true && { isEndUnknown: true }),
    suspendedAt: license.suspended_at,
    status: license.status,
    ...toldTerms(lease?.license ?? license),
  }
  // A lease states whole seconds, so a refusal may have been issued later in that second, after the license had ended.
  const isRefusal = lease !== undefined && !lease.isEntitled
  const statedMs = isRefusal && serverDateMs !== null ? serverDateMs + 999 : serverDateMs
  const times = { statedMs, isSigned: lease !== undefined, wallMs }
  return { kind: 'licensed', verdict: verdictOf(facts, times), license: facts, lease }
}

/** Classifies the error of a request. No decision depends on an error body's text. */
export function readFailure(error: unknown): Failure {
  if (error instanceof ServiceFailure) return readServiceFailure(error)
  if (!isCommerceError(error)) return { kind: 'unreachable', cause: { code: 'unexpected' } }
  const isFromService = error.bodyIsJson === true
  switch (error.code) {
    case 'not-found':
      return {
        kind: 'not-found',
        isFromService,
        cause: causeOf('unexpected-answer', error),
      }
    case 'rejected':
      return { kind: 'rejected', isFromService, cause: causeOf('service-error', error) }
    case 'unauthorized':
      return { kind: 'unauthorized', isFromService, cause: causeOf('unauthorized', error) }
    case 'unreachable':
      return {
        kind: 'unreachable',
        ...((isOverGatewayLimit(error) || isOnlyShown(error)) && { hasNotActed: true }),
        cause: causeOf(unreachableCode(error), error),
      }
    case 'unexpected-answer':
      // This error is about the gateway's signature, not the body. Another host may have answered.
      if (error.field === 'latchkey-lease') {
        const cause = causeOf('untrusted-answer', error)
        return { kind: 'unreachable', ...(isOnlyShown(error) && { hasNotActed: true }), cause }
      }
      return {
        kind: 'unreachable',
        ...oddSuccessOf(error),
        cause: causeOf(error.bodyIsCut ? 'incomplete-answer' : 'unexpected-answer', error),
      }
    case 'untrusted-link':
      return { kind: 'unreachable', oddSuccess: 'json', cause: causeOf('unexpected-answer', error) }
    case 'cancelled':
      return { kind: 'unreachable', cause: causeOf('timeout', error) }
    case 'invalid-argument':
      return { kind: 'unreachable', cause: causeOf('unexpected', error) }
  }
}

/** Whether a gateway refused a request because of its own limits, which it checks before it asks the service. */
function isOverGatewayLimit({ status, refusalCode }: CommerceError): boolean {
  return status === 429 && refusalCode === 'too-many-requests'
}

/** Whether the request only showed a key, such as the one that checks answers before an activation is sent. */
function isOnlyShown({ operation }: CommerceError): boolean {
  return operation === 'licenses.key'
}

/** HTML pages don't count, because a public network's login page returns 200 for everything. */
function oddSuccessOf({ status, bodyIsJson, bodyIsEmpty, bodyIsTooLarge }: CommerceError): {
  oddSuccess?: 'empty' | 'json'
} {
  // Without a status, the client itself rejected what it read, such as a list that doesn't end.
  if (status !== null && (status < 200 || status >= 300)) return {}
  if (bodyIsEmpty) return { oddSuccess: 'empty' }
  return bodyIsJson === false && !bodyIsTooLarge ? {} : { oddSuccess: 'json' }
}

function unreachableCode(error: CommerceError): ProblemCode {
  if (error.bodyIsCut) return 'incomplete-answer'
  if (error.status === 429) return 'rate-limited'
  if (error.reason === 'timeout' || error.status === 408) return 'timeout'
  return error.reason === 'network' ? 'offline' : 'service-error'
}

function causeOf(code: ProblemCode, error: CommerceError): ProblemCause {
  return {
    code,
    ...(error.status === null ? {} : { httpStatus: error.status }),
    ...(error.retryAfterMs === null ? {} : { retryAfterMs: error.retryAfterMs }),
  }
}
