import type { ListEvidence, SeatEvidence } from './licensing-event.ts'
import { isSameId } from './same-id.ts'
import type { PendingActivation, PendingRelease, UnknownRelease, Vault } from './vault.ts'

/** How far apart two refused lists must be to count as lasting, in milliseconds. A broken proxy may refuse for hours. */
export const lastingAfterMs: number = 24 * 60 * 60 * 1000

/**
 * How long a list may be refused before the search ends if access isn't denied, in milliseconds. The license key may be
 * mistyped, or a proxy may have lost its route.
 */
export const longestUnknownMs: number = 30 * lastingAfterMs

/** A search for a key of this device that Latchkey doesn't know: the list of a license must be read once more. */
export type OrphanSearch = Omit<UnknownRelease, 'licenseId' | 'keyId'>

/** Whether an entry of the outbox is the search for unknown keys of this license. */
export function isSearchOf(release: PendingRelease, licenseId: string): release is UnknownRelease {
  return release.keyId === null && isSameId(release.licenseId, licenseId)
}

/** The queued search for unknown keys of a license; `null` if there is none. */
export function searchOf({ outbox }: Vault, licenseId: string): OrphanSearch | null {
  for (const queued of outbox) if (isSearchOf(queued, licenseId)) return queued
  return null
}

/** Whether an entry of the outbox is a search that nothing but a refused list is the reason for. */
export function isQuietSearch(
  release: PendingRelease,
): release is UnknownRelease & { readonly refusedSinceMs: number } {
  return release.keyId === null && release.refusedSinceMs !== undefined
}

/** Whether this is such a search, and its list was refused less than a day ago. */
export function isWaitingForList(release: PendingRelease, nowMs: number): boolean {
  if (!isQuietSearch(release)) return false
  const { askedAtMs } = release
  return askedAtMs !== undefined && nowMs - askedAtMs < lastingAfterMs
}

/** For how long a record that doesn't open holds back a search, in milliseconds. Its keychain may be gone for good. */
const longestUnopenedMs = 30 * 24 * 60 * 60 * 1000

/**
 * Whether a search must wait for an earlier record that may open later, because its key is one that the search would
 * find.
 *
 * @param isAnswerAwaited whether a keychain hasn't answered yet. Its user may open that record at any moment.
 */
export function isHeldBack(
  { activation, unopened }: Vault,
  release: PendingRelease,
  isAnswerAwaited: boolean,
  nowMs: number,
): boolean {
  if (release.keyId !== null || activation !== null || unopened?.isSignedOut !== false) return false
  const { lateUntilMs, refusedSinceMs } = release
  const beganAtMs = lateUntilMs ?? refusedSinceMs
  return isAnswerAwaited || beganAtMs === undefined || nowMs <= beganAtMs + longestUnopenedMs
}

/** The activation of a license that isn't finished; `null` if there is none. */
export function pendingOf({ pending }: Vault, licenseId: string): PendingActivation | null {
  return pending !== null && isSameId(pending.licenseId, licenseId) ? pending : null
}

/** Whether a request of unknown outcome may still take effect. */
export function isStillLate(lateUntilMs: number | null, nowMs: number): boolean {
  return lateUntilMs !== null && nowMs < lateUntilMs
}

/** What is left of a queued search after the list was read just now; `null` if nothing can appear anymore. */
export function searchAfterList(vault: Vault, licenseId: string, nowMs: number): OrphanSearch | null {
  const lateUntilMs = searchOf(vault, licenseId)?.lateUntilMs ?? null
  return isStillLate(lateUntilMs, nowMs) ? { lateUntilMs } : null
}

/** What to search for after an activation of this license ended; `null` if no unknown key can exist. */
export function searchAfterActivation(
  vault: Vault,
  licenseId: string,
  { isAnswered, list, mustReadAgain }: SeatEvidence,
  nowMs: number,
): OrphanSearch | null {
  const pending = pendingOf(vault, licenseId)
  // If another process dropped the pending activation, it queued a search instead.
  const sent = pending ?? searchOf(vault, licenseId)
  // An answered request doesn't arrive later, but one sent before it may.
  const openUntilMs = (isAnswered && pending !== null ? pending.earlierUntilMs : sent?.lateUntilMs) ?? null
  const again = mustReadAgain ? { lateUntilMs: null, ...refusedSince(list, nowMs) } : null
  switch (list.kind) {
    case 'needless':
      return null
    case 'read':
      return isStillLate(openUntilMs, Math.min(list.askedAtMs, nowMs)) ? { lateUntilMs: openUntilMs } : again
    case 'unread':
    case 'refused':
      return openUntilMs === null ? (searchOf(vault, licenseId) ?? again) : { lateUntilMs: openUntilMs }
  }
}

function refusedSince({ kind }: ListEvidence, nowMs: number): Pick<OrphanSearch, 'refusedSinceMs'> {
  return kind === 'refused' ? { refusedSinceMs: nowMs } : {}
}

/** Returns the queue with this search instead of an earlier one of the same license. `null` changes nothing. */
export function withSearch(
  outbox: readonly PendingRelease[],
  licenseId: string,
  search: OrphanSearch | null,
): readonly PendingRelease[] {
  if (search === null) return outbox
  const { lateUntilMs, refusedSinceMs, askedAtMs } = search
  const entry: UnknownRelease = {
    licenseId,
    keyId: null,
    lateUntilMs,
    ...(refusedSinceMs !== undefined && { refusedSinceMs }),
    ...(askedAtMs !== undefined && { askedAtMs }),
  }
  return [...withoutSearch(outbox, licenseId), entry]
}

/** Returns the queue without the search for unknown keys of this license. */
export function withoutSearch(
  outbox: readonly PendingRelease[],
  licenseId: string,
): readonly PendingRelease[] {
  return outbox.filter((queued) => !isSearchOf(queued, licenseId))
}

/** What is left to search for after an activation was refused. Probably nothing is there, so once a day is enough. */
export function askedToday(search: OrphanSearch | null, nowMs: number): OrphanSearch | null {
  return search?.refusedSinceMs === undefined ? search : { ...search, askedAtMs: nowMs }
}

/**
 * The queue after the list of keys was refused. If it was already refused when the search began and a day has passed,
 * this app may never list them, so the search ends. If access wasn't denied, it ends after 30 days. A request of unknown
 * outcome is searched for as long as it takes.
 */
export function afterRefusedList(
  outbox: readonly PendingRelease[],
  licenseId: string,
  isDenied: boolean,
  nowMs: number,
): readonly PendingRelease[] {
  const longestMs = isDenied ? lastingAfterMs : longestUnknownMs
  return outbox.flatMap((queued) => {
    if (!isSearchOf(queued, licenseId) || !isQuietSearch(queued)) return [queued]
    if (nowMs - queued.refusedSinceMs >= longestMs) return []
    return [queued.askedAtMs === undefined ? queued : { ...queued, askedAtMs: nowMs }]
  })
}
