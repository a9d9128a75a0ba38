import type { RefusalReason } from '@latchkey/services'
import type { ProblemCause } from '../../problem.ts'
import type { Failure } from '../../service/read-answer.ts'
import type { ListingBefore } from '../../service/seat-evidence.ts'

/** A refused activation, according to its own answer. */
export interface Refusal {
  readonly cause: ProblemCause
  /**
   * Whether the service itself refused, which proves that no seat was taken. A proxy may refuse after the service
   * acted.
   */
  readonly isFromService: boolean
}

/** Returns `null` if the activation was not refused, so its outcome is unknown. */
export function refusalOf(
  failure: Exclude<Failure, { kind: 'refused' }>,
  before: ListingBefore,
): Refusal | null {
  const { cause } = failure
  switch (failure.kind) {
    case 'not-found':
    case 'rejected': {
      if (isUnseenPage(failure, before)) return null
      // The same host doesn't list this license's keys either, so the license key is probably mistyped.
      const isUnknown = before.kind === 'refused' && before.mayBeUnknown
      const isPage = failure.kind === 'not-found' && !failure.isFromService
      if (isPage && !isUnknown) return null
      const mayBeMistyped = isUnknown || (failure.kind === 'not-found' && hasNoKeys(before))
      return {
        cause: { ...cause, code: mayBeMistyped ? 'license-not-found' : 'activation-refused' },
        isFromService: true,
      }
    }
    case 'unauthorized':
      // This may come from a proxy, after the service acted.
      return isUnseenPage(failure, before) ? null : { cause, isFromService: false }
    case 'unreachable':
      return null
  }
}

/** Whether a proxy's page stands in place of an answer, and no list can show whether the service acted before. */
function isUnseenPage(
  { isFromService }: { readonly isFromService: boolean },
  before: ListingBefore,
): boolean {
  return !isFromService && before.kind === 'refused' && before.isUnsupported === true
}

/**
 * Whether a refusal may end, or may not have applied to an earlier request: a license can be renewed, and some services
 * don't know a new key for a while. Another product stays another product.
 */
export function mayPass(reason: RefusalReason): boolean {
  return passing.has(reason)
}

const passing: ReadonlySet<RefusalReason> = new Set(['expired', 'suspended', 'inactive', 'unknown-license'])

function hasNoKeys(listing: ListingBefore): boolean {
  return listing.kind !== 'keys' || listing.keys.length === 0
}
