import type { LicensingSession } from '../../licensing-session.ts'
import { listsActivations } from '../../ports/service-port.ts'
import { type ProblemCause, unconfirmed } from '../../problem.ts'
import { isQuiet, isWaitingForList } from '../../record/orphan-search.ts'
import { isSameId } from '../../record/same-id.ts'
import type { PendingRelease, UnknownRelease, Vault } from '../../record/vault.ts'
import { type KeyLook, listKeys, lookForKey, provesAbsence } from '../../service/own-keys.ts'
import { keepOldest } from './keep-oldest.ts'
import { releaseQueuedKey } from './release-key.ts'

/**
 * Sends each queued request once. Those that fail stay queued for the next attempt.
 *
 * @returns the cause of the last problem; `null` if there was none.
 */
export async function flushOutbox(session: LicensingSession): Promise<ProblemCause | null> {
  const tried = new Set<string>()
  const hasList = listsActivations(session.ports.commerce)
  const next = (): PendingRelease | null => nextRelease(session.vault(), tried, hasList, session.time.nowMs())
  let lastCause: ProblemCause | null = null
  // Keeping the oldest of several keys queues the others, so send them in the same pass.
  for (let release = next(); release !== null; release = next()) {
    tried.add(nameOf(release))
    const cause =
      release.keyId === null
        ? await releaseUnknownKeys(session, release)
        : await releaseQueuedKey(session, release)
    // Nothing shows that there is another key, so an unfinished search isn't shown as a problem.
    if (cause !== null && !isQuiet(release)) lastCause = cause
  }
  return lastCause
}

/** @param hasList whether a pending activation may find a key of its license that is queued to be freed, and use it. */
function nextRelease(
  { outbox, pending }: Vault,
  tried: ReadonlySet<string>,
  hasList: boolean,
  nowMs: number,
): PendingRelease | null {
  const isDue = (release: PendingRelease): boolean => {
    const mayBeUsed = hasList && pending !== null && isSameId(release.licenseId, pending.licenseId)
    return !tried.has(nameOf(release)) && !isWaitingForList(release, nowMs) && !mayBeUsed
  }
  return outbox.find(isDue) ?? null
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

  const { own } = listing
  const { activation } = session.vault()
  const isOfLicense = activation !== null && isSameId(activation.licenseId, licenseId)
  const isListed = isOfLicense && listing.keys.some((key) => isSameId(key.id, activation.keyId))
  // If a key was thought to be gone but is listed again, the earlier list was outdated.
  const isInUse = isOfLicense && (activation.verdict !== 'revoked' || isListed)
  if (isInUse && !isListed) {
    // Another installation on this computer may have kept the oldest key and freed the one in use. Otherwise the list
    // comes from a cache that is older than the key.
    const isReplaced =
      own.length > 0 && (await lookForKey(session, licenseId, activation.keyId)).found === 'gone'
    if (!isReplaced) return unconfirmed
  }
  if (isInUse && own.length > 0) return keepOldest(session, activation, own)
  if (own.length === 0) {
    const cause = doubtOf(await provesAbsence(session, licenseId, listing))
    if (cause !== null) return cause
    await session.record({ type: 'seat-freed', release })
  } else {
    await session.record({ type: 'unused-keys-found', licenseId, keyIds: own.map(({ id }) => id) })
  }
  return null
}

/** Why a key may still exist; `null` if it is gone. */
function doubtOf(look: KeyLook): ProblemCause | null {
  if (look.found === 'gone') return null
  return 'cause' in look ? look.cause : unconfirmed
}
