import { isSameId } from '@latchkey/commerce'
import type { Activation, Outcome } from '@latchkey/services'
import { causeOf, isRefused } from './answers.ts'
import type { ListReading, ReadList } from './plan.ts'
import type { ProblemCause } from './problem.ts'
import { proofAfterMs, type UnknownSince } from './record.ts'

/** How much older than another response a list may be, in milliseconds. An older one comes from a cache. */
const longestListAgeMs = 60_000

/** What shows whether an activation is gone. A refusal alone proves nothing, not even twice. */
export interface GoneEvidence {
  readonly activationId: string
  /** The host's answer to a question about this activation: it has to refuse it. */
  readonly asked: Outcome<unknown>
  /** The list of the license's activations. */
  readonly list: ListReading
  /** Whether this license's list was ever seen with an activation. */
  readonly wasListed: boolean
}

/** Whether an activation is gone, or why nobody knows. `own`: this device's others, oldest first. */
export type GoneReading =
  | { readonly kind: 'gone'; readonly own: readonly Activation[] }
  | { readonly kind: 'there' }
  /** `cause`: why it can't be known now; `null` if nothing but the refusal is known. */
  | { readonly kind: 'unclear'; readonly cause: ProblemCause | null }

/**
 * The one place that says when an activation is gone: the service lists the license's activations, the whole list lacks this
 * one, and the same host refuses it. A list that is much older than the refusal comes from a cache. An empty list counts
 * only if this license's list was ever seen with an activation, or if the refusal has a documented reason.
 */
export function readGone({ activationId, asked, list, wasListed }: GoneEvidence): GoneReading {
  if (asked.kind === 'answer') return { kind: 'there' }
  if (!isRefused(asked)) return { kind: 'unclear', cause: causeOf(asked) }
  if (list.kind !== 'read') {
    const isRefusedToo = list.kind === 'refused' && !list.isUnreadable
    return { kind: 'unclear', cause: isRefusedToo ? null : list.cause }
  }
  if (list.activations.some(({ id }) => isSameId(id, activationId))) return { kind: 'there' }
  const isDocumented = asked.kind === 'refusal'
  const isEmptyByChance = list.activations.length === 0 && !wasListed && !isDocumented
  if (!list.isWhole || isEmptyByChance || isOlder(list, asked.serverDateMs)) return unclear
  return { kind: 'gone', own: list.own }
}

const unclear: GoneReading = { kind: 'unclear', cause: null }

/** If only the list has a date, the refusal came from another host. */
function isOlder({ serverDateMs: listedAtMs }: ReadList, answeredAtMs: number | null): boolean {
  return listedAtMs !== null && (answeredAtMs === null || answeredAtMs - listedAtMs > longestListAgeMs)
}

/**
 * A service without a list proves that an activation is gone by the same documented refusal at two checks, at least a day
 * apart.
 *
 * @returns since when it says so, or `proven`.
 */
export function readUnknown(
  known: UnknownSince | null,
  reason: string,
  nowMs: number,
): UnknownSince | 'proven' {
  if (known === null || known.reason !== reason) return { reason, sinceMs: nowMs }
  return nowMs - known.sinceMs >= proofAfterMs ? 'proven' : known
}
