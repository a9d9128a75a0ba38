import type { LicenseKey } from '@latchkey/commerce'
import type { LicensingSession } from '../../licensing-session.ts'
import { listsActivations } from '../../ports/service-port.ts'
import { type ProblemCause, unconfirmed } from '../../problem.ts'
import { isQuiet, isWaitingForList } from '../../record/orphan-search.ts'
import { isSameRelease, mayStillFree } from '../../record/outbox-entries.ts'
import { isSameId } from '../../record/same-id.ts'
import type {
  ActivationRecord,
  KnownRelease,
  PendingRelease,
  UnknownRelease,
  Vault,
} from '../../record/vault.ts'
import { askService } from '../../service/ask-service.ts'
import { type KeyLook, listKeys, lookForKey, provesAbsence, showKey } from '../../service/own-keys.ts'
import type { Failure } from '../../service/read-answer.ts'
import type { RefusedFailure } from '../../service/read-service-failure.ts'
import { askAbout, readKey } from '../../service/validation.ts'

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

/** The result of freeing a seat. */
export interface ReleaseOutcome {
  /** `null` when the seat is free. */
  readonly cause: ProblemCause | null
  /** Whether this request freed it. A key that is proven to be gone already also counts as freed. */
  readonly isFreedNow: boolean
  /** Whether this request may still free the seat later, because its outcome is unknown. */
  readonly mayStillArrive: boolean
  /** The service has no list and says that it doesn't know this activation. */
  readonly isUnknown?: boolean
}

function isUnknown({ reason }: RefusedFailure): boolean {
  return reason === 'unknown-activation' || reason === 'unknown-license'
}

/** Frees one seat. */
export async function releaseKey(
  session: LicensingSession,
  licenseId: string,
  keyId: string,
): Promise<ReleaseOutcome> {
  const asked = await askService(session, async () => {
    const { fingerprint } = await session.identity()
    return session.ports.commerce.deactivate(licenseId, keyId, fingerprint)
  })
  if (asked.kind === 'answer') {
    const cause = await doubtOfSuccess(session, licenseId, keyId, true)
    return { cause, isFreedNow: true, mayStillArrive: true }
  }
  const { failure } = asked
  if (failure.kind === 'refused' && !listsActivations(session.ports.commerce)) {
    const { cause } = failure
    return { cause, isFreedNow: false, mayStillArrive: false, isUnknown: isUnknown(failure) }
  }
  if (failure.kind !== 'unreachable') {
    const cause = await doubtOfRefusal(session, licenseId, keyId, failure)
    return { cause, isFreedNow: false, mayStillArrive: false }
  }
  if (failure.oddSuccess === undefined) {
    const mayStillArrive = failure.hasNotActed !== true && isUnanswered(failure.cause)
    return { cause: failure.cause, isFreedNow: false, mayStillArrive }
  }
  const cause = await doubtOfSuccess(session, licenseId, keyId, false)
  return { cause, isFreedNow: true, mayStillArrive: true }
}

/** Whether a request may still take effect: we or a proxy stopped waiting. A refused connection delivers nothing. */
function isUnanswered({ code, httpStatus = 0 }: ProblemCause): boolean {
  return code === 'timeout' || httpStatus >= 500
}

/**
 * Verifies a success, because a proxy may answer "OK" to everything. The service refuses to show a key that is gone, so
 * a host that still shows it didn't process the request.
 *
 * Some services keep showing a key after they deactivated it. Then it can't be validated anymore, and together with the
 * documented answer that is enough.
 *
 * @param isDocumented whether the success has the documented form.
 * @returns `null` when the seat is free.
 */
async function doubtOfSuccess(
  session: LicensingSession,
  licenseId: string,
  keyId: string,
  isDocumented: boolean,
): Promise<ProblemCause | null> {
  const look = await showKey(session, licenseId, keyId)
  switch (look.kind) {
    case 'refused': {
      if (isDocumented || !look.isUnauthorized) return null
      // A proxy that asks for its password says nothing about the key. The list does, where it can be read.
      const { found } = await lookForKey(session, licenseId, keyId, look)
      return found === 'gone' || found === 'refused' ? null : unconfirmed
    }
    case 'shown': {
      const isDead = isDocumented && (await askAbout(session, licenseId, keyId)) === 'refused'
      return isDead ? null : unconfirmed
    }
    case 'unreachable':
      // With leases, an unsigned "not found" is too little to revoke a device, but enough to confirm a success.
      return look.cause.code === 'untrusted-answer' ? null : look.cause
  }
}

/** Checks the list after freeing a seat was refused; `null` if the seat is already free. */
async function doubtOfRefusal(
  session: LicensingSession,
  licenseId: string,
  keyId: string,
  failure: Exclude<Failure, { kind: 'unreachable' }>,
): Promise<ProblemCause | null> {
  const look = await lookForKey(session, licenseId, keyId)
  if (look.found === 'gone') return null
  if (look.found === 'unreachable') return look.cause
  const mayBeDead = look.found === 'there' && failure.kind !== 'refused' && failure.isFromService
  if (mayBeDead && (await isDeadBesideOthers(session, licenseId, keyId, look.otherKeyIds))) return null
  return failure.kind === 'unauthorized' ? failure.cause : { ...failure.cause, code: 'unconfirmed' }
}

/**
 * Whether the service refuses to validate a key that it lists but validates another one. Then it can tell the two
 * apart: it deactivated the first and still lists it. A proxy that lost its route refuses both.
 */
async function isDeadBesideOthers(
  session: LicensingSession,
  licenseId: string,
  keyId: string,
  otherKeyIds: readonly string[],
): Promise<boolean> {
  if ((await askAbout(session, licenseId, keyId)) !== 'refused') return false
  const { activation } = session.vault()
  // The key in use is known to be valid.
  const isInUse = (id: string): boolean => activation !== null && isSameId(activation.keyId, id)
  const asked = [...otherKeyIds].reverse().sort((one, other) => Number(isInUse(other)) - Number(isInUse(one)))
  for (const id of asked.slice(0, mostKeysAsked)) {
    if ((await askAbout(session, licenseId, id)) === 'accepted') return true
  }
  return false
}

const mostKeysAsked = 3

function isQueued({ outbox }: Vault, release: KnownRelease): boolean {
  return outbox.some((queued) => isSameRelease(queued, release))
}

/** Frees a seat of this device, and records the request for as long as it may still take effect. */
export async function releaseQueuedKey(
  session: LicensingSession,
  release: KnownRelease,
): Promise<ProblemCause | null> {
  await session.record({ type: 'release-sent', release })
  // Another process may have freed this seat meanwhile, or have taken it into use again.
  if (!isQueued(session.vault(), release)) return null
  const { cause, mayStillArrive, isUnknown } = await releaseKey(session, release.licenseId, release.keyId)
  if (isUnknown) {
    await session.record({ type: 'release-unknown', release })
    // The second such refusal, a day after the first, proves that the activation is gone.
    return isQueued(session.vault(), release) ? unconfirmed : null
  }
  if (cause === null) await session.record({ type: 'seat-freed', release })
  else await session.record({ type: mayStillArrive ? 'release-unanswered' : 'release-refused', release })
  return cause
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

/**
 * After the key in use was found to be gone: another user of this computer may have deactivated it and activated again.
 * The key that this device has now is taken into use, which takes no seat.
 */
export async function adoptReplacement(session: LicensingSession, gone: ActivationRecord): Promise<void> {
  const listing = await listKeys(session, gone.licenseId)
  if (listing.kind !== 'keys') return
  // This list may be older than the one that proved the key to be gone.
  const own = listing.own.filter(({ id }) => !isSameId(id, gone.keyId))
  const { activation } = session.vault()
  if (activation !== null && isSameId(activation.keyId, gone.keyId))
    await keepOldest(session, activation, own)
}

/**
 * Makes all processes of a device agree on its oldest key. Skips keys that are gone, that may still be freed, or that
 * the service refuses while it accepts the key in use.
 */
async function keepOldest(
  session: LicensingSession,
  { licenseId, keyId }: ActivationRecord,
  own: readonly LicenseKey[],
): Promise<ProblemCause | null> {
  const refusedKeyIds: string[] = []
  for (const [index, { id }] of own.entries()) {
    const seenAtMs = session.time.nowMs()
    const isLeaving = (release: PendingRelease): boolean =>
      mayStillFree(release, { licenseId, keyId: id }, seenAtMs)
    if (session.vault().outbox.some(isLeaving)) continue
    const reading = isSameId(id, keyId) ? null : await readKey(session, licenseId, id)
    if (reading !== null && 'cause' in reading) {
      const isDead = reading.isRefused === true && (await askAbout(session, licenseId, keyId)) === 'accepted'
      if (!isDead) return reading.cause
      refusedKeyIds.push(id)
      continue
    }
    if (reading?.kind === 'revoked') continue
    const duplicateKeyIds = [...refusedKeyIds, ...own.slice(index + 1).map((key) => key.id)]
    const seen = reading === null ? {} : { seenAtMs }
    await session.record({ type: 'kept-oldest', licenseId, keyId: id, ...seen, reading, duplicateKeyIds })
    return null
  }
  // The listed key is gone. The next search uses a new list.
  return unconfirmed
}
