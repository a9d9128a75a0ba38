import { type CommerceError, isCommerceError, type License } from '@latchkey/commerce'
import type { RefusalReason } from '@latchkey/services'
import type { ProblemCode } from '../../shared/problem.ts'
import type { Answer } from '../ports/commerce-port.ts'
import type { ProblemCause } from '../problem.ts'
import type { LicensedReading, UnknownReason } from '../record/reading.ts'
import { isSameId } from '../record/same-id.ts'
import type { LicenseFacts, Verdict } from '../record/vault.ts'
import { verdictOf } from '../state/license-end.ts'
import { readServiceFailure } from './read-service-failure.ts'
import { ServiceFailure } from './service-failure.ts'

/** What kind of refusal or failure an error is, before anything is concluded from it. */
export type Failure =
  /** 404 or 410. `isFromService`, here and below: the body is JSON, which a proxy's page is not. */
  | { readonly kind: 'not-found'; readonly isFromService: boolean; readonly cause: ProblemCause }
  /** Another 4xx that is about the request itself. */
  | { readonly kind: 'rejected'; readonly isFromService: boolean; readonly cause: ProblemCause }
  /** 401, 403, 407: the access of the app or its network, never the user's fault. */
  | { readonly kind: 'unauthorized'; readonly isFromService: boolean; readonly cause: ProblemCause }
  /** A refusal for a reason that the service documents. Only adapters have these. */
  | {
      readonly kind: 'refused'
      readonly reason: RefusalReason
      /** The license's end as the refusal tells it, in milliseconds since the epoch. */
      readonly endsAtMs: number | null
      /** An activation that was made all the same and has to be deactivated. */
      readonly leftoverKeyId: string | null
      readonly serverDateMs: number | null
      readonly cause: ProblemCause
    }
  /** No network, timeout, 5xx, 408, 425, 429, a proxy's page, a body that is not the schema. */
  | {
      readonly kind: 'unreachable'
      /** A success all the same, without a body or with JSON of another shape: what was asked for may be done. */
      readonly oddSuccess?: 'empty' | 'json'
      /** It is proven that no seat was taken or freed. */
      readonly hasNotActed?: boolean
      readonly cause: ProblemCause
    }

/** Whether an answer is about this key of this license; any other is as good as none. */
export function isAbout(
  { license, key }: { readonly license: { readonly id: string }; readonly key: { readonly id: string } },
  licenseId: string,
  keyId: string,
): boolean {
  return isSameId(license.id, licenseId) && isSameId(key.id, keyId)
}

/** Reads the License of a 2xx answer whose schema held. `wallMs` is the computer's own clock. */
export function readLicense(answer: Answer<{ readonly license: License }>, wallMs: number): LicensedReading {
  const { lease, serverDateMs } = answer
  const { license } = answer.value
  const facts: LicenseFacts = {
    activationLimit: license.activation_limit,
    activationUsage: license.activation_usage,
    expiresAt: license.expires_at,
    suspendedAt: license.suspended_at,
    status: license.status,
  }
  // A lease states whole seconds: a "no" may come from later in its second, at which the license had ended.
  const isRefusal = lease !== undefined && !lease.isEntitled
  const statedMs = isRefusal && serverDateMs !== null ? serverDateMs + 999 : serverDateMs
  const times = { statedMs, isSigned: lease !== undefined, wallMs }
  return { kind: 'licensed', verdict: verdictOf(facts, times), license: facts, lease }
}

/** Sorts whatever a call to the service rejected with. No decision hangs on an error body's text. */
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
      return { kind: 'unreachable', cause: causeOf(unreachableCode(error), error) }
    case 'unexpected-answer':
      // The gateway's signature, not the body: somebody else may have answered.
      if (error.field === 'latchkey-lease') {
        return { kind: 'unreachable', cause: causeOf('untrusted-answer', error) }
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

/** A page in HTML is none: a public network says 200 to everything. */
function oddSuccessOf({ status, bodyIsJson, bodyIsEmpty }: CommerceError): { oddSuccess?: 'empty' | 'json' } {
  // Without a status the client itself gave up on what it read, such as a list that does not end.
  if (status !== null && (status < 200 || status >= 300)) return {}
  if (bodyIsEmpty) return { oddSuccess: 'empty' }
  return bodyIsJson === false ? {} : { oddSuccess: 'json' }
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
