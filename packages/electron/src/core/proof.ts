import { isSameId } from '@latchkey/commerce'
import type { Failure } from './answers.ts'
import type { ReadList } from './plan.ts'
import { proofAfterMs, type UnknownSince } from './record.ts'

/** How much older than another response a list may be, in milliseconds. An older one comes from a cache. */
const longestListAgeMs = 60_000

/**
 * The one place that says when an activation is gone: the service lists the license's activations, the whole list lacks this
 * one, and the same host refuses it. A refusal alone proves nothing, not even twice. A list that is much older than the
 * refusal comes from a cache. An empty list counts only if this license's list was ever seen with an activation, or if the
 * refusal has a documented reason.
 *
 * @param refused the host's answer to a question about this activation.
 * @param wasListed whether this license's list was ever seen with an activation.
 */
export function provesGone(
  activationId: string,
  refused: Failure,
  list: ReadList,
  wasListed: boolean,
): boolean {
  if (!list.isWhole || list.activations.some(({ id }) => isSameId(id, activationId))) return false
  const isEmptyByChance = list.activations.length === 0 && !wasListed && refused.kind !== 'refusal'
  return !isEmptyByChance && !isOlder(list, refused.serverDateMs)
}

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
