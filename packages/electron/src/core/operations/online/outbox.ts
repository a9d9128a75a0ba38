import type { LicensingSession } from '../../licensing-session.ts'
import { listsActivations } from '../../ports/service-port.ts'
import { type ProblemCause, unconfirmed } from '../../problem.ts'
import { isHeldBack, isSearchOf, isWaitingForList } from '../../record/orphan-search.ts'
import { isQuiet } from '../../record/outbox-entries.ts'
import { isSameId } from '../../record/same-id.ts'
import type { ActivationRecord, PendingRelease, UnknownRelease, Vault } from '../../record/vault.ts'
import {
  createdAtMs,
  type KeyListing,
  type KeyLook,
  listKeys,
  lookForKey,
  provesAbsence,
} from '../../service/own-keys.ts'
import { keepOldest } from './keep-oldest.ts'
import { releaseQueuedKey } from './release-key.ts'

/**
 * Sends each queued request once. Those that fail stay queued for the next attempt.
 *
 * @returns the cause of the last problem; `null` if there was none.
 */
export async function flushOutbox(session: LicensingSession): Promise<ProblemCause | null> {
  const tried = new Set<string>()
  const next = (): PendingRelease | null => nextRelease(session, tried)
  let lastCause: ProblemCause | null = null
  // Keeping the oldest of several keys queues the others, so send them in the same pass.
  for (let release = next(); release !== null; release = next()) {
    tried.add(nameOf(release))
    const cause =
      release.keyId === null
        ? await releaseUnknownKeys(session, release)
        : await releaseQueuedKey(session, release)
    // An unfinished search isn't shown as a problem, since nothing shows that there is another key.
    if (cause !== null && !isQuiet(release, session.time.nowMs())) lastCause = cause
  }
  return lastCause
}

function nextRelease(session: LicensingSession, tried: ReadonlySet<string>): PendingRelease | null {
  const { outbox, pending } = session.vault()
  // A pending activation may find a key of its license that is queued to be freed, and use it.
  const usedLicenseId = listsActivations(session.ports.commerce) ? pending?.licenseId : undefined
  const isDue = (release: PendingRelease): boolean => {
    const mayBeUsed = usedLicenseId !== undefined && isSameId(release.licenseId, usedLicenseId)
    const isWaiting = isWaitingForList(release, session.time.nowMs()) || isHeld(session, release)
    return !tried.has(nameOf(release)) && !isWaiting && !mayBeUsed
  }
  const isQuietKey = (release: PendingRelease): boolean =>
    release.keyId !== null && isQuiet(release, session.time.nowMs())
  const due = outbox.filter(isDue)
  const isAnyQuietTried = outbox.some((release) => tried.has(nameOf(release)) && isQuietKey(release))
  // Services allow few requests at once, and the license in use needs one. So a pass asks about one quiet key.
  const [quiet = null] = isAnyQuietTried
    ? []
    : due.filter(isQuietKey).sort((one, other) => lastRequestMs(one) - lastRequestMs(other))
  return due.find((release) => !isQuietKey(release)) ?? quiet
}

/** When the service was last asked about a quiet key. */
function lastRequestMs({ lateUntilMs }: PendingRelease): number {
  return lateUntilMs ?? 0
}

function isHeld(session: LicensingSession, release: PendingRelease): boolean {
  const { ports, time } = session
  return isHeldBack(session.vault(), release, ports.secrets.isAnswerAwaited?.() === true, time.nowMs())
}

/** Whether the search for unknown keys of this license waits for an earlier record to open. */
export function isSearchHeldBack(session: LicensingSession, licenseId: string): boolean {
  return session.vault().outbox.some((release) => isSearchOf(release, licenseId) && isHeld(session, release))
}

function nameOf({ licenseId, keyId }: PendingRelease): string {
  return `${licenseId} ${keyId ?? 'any'}`
}

/** After a lost answer, finds this device's keys of the license by listing, and frees those that aren't used. */
async function releaseUnknownKeys(
  session: LicensingSession,
  release: UnknownRelease,
): Promise<ProblemCause | null> {
  const { licenseId } = release
  const listing = await listKeys(session, licenseId)
  if (listing.kind === 'refused' && listing.isUnsupported === true) {
    // Latchkey can't find it without a list. The user can free it where the service shows the devices.
    await session.record({ type: 'seat-freed', release })
    return null
  }
  if (listing.kind === 'refused' && (listing.isFromService || listing.mayBeUnknown)) {
    await session.record({ type: 'list-refused', licenseId, isDenied: listing.cause.code === 'unauthorized' })
  }
  if (listing.kind !== 'keys') return listing.cause

  const used = activationOf(session.vault(), release, listing)
  const foundKeys = used === null ? keysSince(listing, release) : listing.own
  const ownKeyIds = foundKeys.map(({ id }) => id)
  const isListed = used !== null && isIn(listing, used.keyId)
  if (ownKeyIds.length === 0) {
    // The list may come from a cache that is older than the key in use.
    if (used !== null && used.verdict !== 'revoked' && !isListed) return unconfirmed
    const cause = doubtOf(await provesAbsence(session, licenseId, listing))
    if (cause !== null) return cause
    await session.record({ type: 'seat-freed', release })
    return null
  }
  if (used === null) {
    await session.record({ type: 'unused-keys-found', licenseId, keyIds: ownKeyIds })
    return null
  }
  // Another user of this computer may have kept the oldest key and freed the one in use, or have activated again.
  if (!isListed && (await lookForKey(session, licenseId, used.keyId)).found !== 'gone') return unconfirmed
  const kept = await keepOldest(session, used, ownKeyIds)
  if (kept.kind === 'unclear') return kept.cause
  // If every listed key is gone by now, the next search uses a new list.
  return kept.kind === 'none' ? unconfirmed : null
}

/** How long requests of one activation may have been sent, in milliseconds. An older key isn't the lost one. */
const longestAttemptsMs = 30 * 24 * 60 * 60 * 1000

/**
 * This device's keys that a lost request may have taken. One that is much older than the request belongs to another user
 * of this computer, or was here before.
 */
function keysSince(
  { own, serverDateMs }: KeyListing,
  { lateUntilMs, refusedSinceMs }: UnknownRelease,
): KeyListing['own'] {
  // A proxy may have refused a request that took a key, so the time of the refusal counts too.
  const requestedMs = lateUntilMs ?? refusedSinceMs
  // Without the service's time, the clock here may have been ahead, and then the lost key would seem old.
  if (requestedMs === undefined || serverDateMs === null) return own
  const sinceMs = requestedMs - longestAttemptsMs
  return own.filter((key) => (createdAtMs(key) ?? sinceMs) >= sinceMs)
}

/**
 * The activation that one of this license's keys may belong to; `null` if none of them is used. A key that a late
 * request took isn't used if the activation is gone, because a person moved the license to another device since.
 */
function activationOf(
  { activation }: Vault,
  { licenseId, lateUntilMs }: UnknownRelease,
  listing: KeyListing,
): ActivationRecord | null {
  if (activation === null || !isSameId(activation.licenseId, licenseId)) return null
  const isGone = activation.verdict === 'revoked' && !isIn(listing, activation.keyId)
  return isGone && lateUntilMs !== null ? null : activation
}

function isIn({ keys }: KeyListing, keyId: string): boolean {
  return keys.some(({ id }) => isSameId(id, keyId))
}

/** Why a key may still exist; `null` if it is gone. */
function doubtOf(look: KeyLook): ProblemCause | null {
  if (look.found === 'gone') return null
  return 'cause' in look ? look.cause : unconfirmed
}
