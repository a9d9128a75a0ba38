import type { LicenseKey } from '@latchkey/commerce'
import type { LicensingSession } from '../licensing-session.ts'
import { listsActivations } from '../ports/service-port.ts'
import type { ProblemCause } from '../problem.ts'
import { isBeingFreed } from '../record/outbox-entries.ts'
import { isSameId } from '../record/same-id.ts'
import type { ActivationRecord, KnownRelease, PendingRelease, Vault } from '../record/vault.ts'
import { askService } from '../service/ask-service.ts'
import { type KeyLook, listKeys, lookForKey, provesAbsence, showKey } from '../service/own-keys.ts'
import type { Failure } from '../service/read-answer.ts'
import type { RefusedFailure } from '../service/read-service-failure.ts'
import { askAbout, readKey } from '../service/validation.ts'

/**
 * Sends what could not be sent before, each once. What fails stays for the next chance.
 *
 * @returns the cause of the last problem, `null` when there was none.
 */
export async function flushOutbox(session: LicensingSession): Promise<ProblemCause | null> {
  const tried = new Set<string>()
  let lastCause: ProblemCause | null = null
  // Keeping the oldest of several keys queues the others: they go in the same round.
  for (
    let next = nextRelease(session.vault(), tried);
    next !== null;
    next = nextRelease(session.vault(), tried)
  ) {
    tried.add(nameOf(next))
    const cause =
      next.keyId === null ? await releaseUnknownKeys(session, next) : await releaseQueuedKey(session, next)
    lastCause = cause ?? lastCause
  }
  return lastCause
}

function nextRelease({ outbox, pending }: Vault, tried: ReadonlySet<string>): PendingRelease | null {
  // A license that is about to be activated may yet use the key that waits to be freed.
  const isDue = (release: PendingRelease): boolean =>
    !tried.has(nameOf(release)) && (pending === null || !isSameId(release.licenseId, pending.licenseId))
  return outbox.find(isDue) ?? null
}

function nameOf({ licenseId, keyId }: PendingRelease): string {
  return `${licenseId} ${keyId ?? 'any'}`
}

/** How freeing a seat went. */
export interface ReleaseOutcome {
  /** `null` when the seat is free. */
  readonly cause: ProblemCause | null
  /** Whether this very request freed it; a key that is proven to be gone already counts as freed too. */
  readonly isFreedNow: boolean
  /** Whether this very request may still free the seat: nobody knows what became of it. */
  readonly mayStillArrive: boolean
  /** The service, which has no list, says that it doesn't know this activation. */
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

/** Whether somebody may still act on a request: its sender gave up, or a proxy did. A broken connection carries nothing. */
function isUnanswered({ code, httpStatus = 0 }: ProblemCause): boolean {
  return code === 'timeout' || httpStatus >= 500
}

/**
 * A box that says "OK" to everything frees no seat. The key that is gone is refused by the service when it is asked
 * for; whoever answers that question too has not understood the one before.
 *
 * Some services go on showing a key that they have deactivated. It can no longer be validated, and that is enough
 * beside the documented answer.
 *
 * @param isDocumented whether the success was worded as the interface says.
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
    case 'refused':
      return null
    case 'shown': {
      const isDead = isDocumented && (await askAbout(session, licenseId, keyId)) === 'refused'
      return isDead ? null : { code: 'unconfirmed' }
    }
    case 'unreachable':
      // With leases, a "not found" that nobody signed: too little to revoke a device, and enough beside a success.
      return look.cause.code === 'untrusted-answer' ? null : look.cause
  }
}

/** What the list says where freeing a seat was refused; `null` when it is free already. */
async function doubtOfRefusal(
  session: LicensingSession,
  licenseId: string,
  keyId: string,
  failure: Exclude<Failure, { kind: 'unreachable' }>,
): Promise<ProblemCause | null> {
  const look = await lookForKey(session, licenseId, keyId)
  switch (look.found) {
    case 'gone':
      return null
    case 'there':
      if (
        failure.kind !== 'refused' &&
        failure.isFromService &&
        (await isDeadBesideOthers(session, licenseId, keyId, look.otherKeyIds))
      )
        return null
      return failure.kind === 'unauthorized' ? failure.cause : { ...failure.cause, code: 'unconfirmed' }
    case 'unclear':
    case 'refused':
      return failure.kind === 'unauthorized' ? failure.cause : { ...failure.cause, code: 'unconfirmed' }
    case 'unreachable':
      return look.cause
  }
}

/**
 * Whether the service refuses to validate a key that it lists, and validates another one: it tells the two apart, so it
 * deactivated the one and goes on listing it. A proxy that lost its route refuses both.
 */
async function isDeadBesideOthers(
  session: LicensingSession,
  licenseId: string,
  keyId: string,
  otherKeyIds: readonly string[],
): Promise<boolean> {
  if ((await askAbout(session, licenseId, keyId)) !== 'refused') return false
  const { activation } = session.vault()
  // The key in use is the one that is known to be good.
  const isInUse = (id: string): boolean => activation !== null && isSameId(activation.keyId, id)
  const asked = [...otherKeyIds].reverse().sort((one, other) => Number(isInUse(other)) - Number(isInUse(one)))
  for (const id of asked.slice(0, mostKeysAsked)) {
    if ((await askAbout(session, licenseId, id)) === 'accepted') return true
  }
  return false
}

const mostKeysAsked = 3

type UnknownRelease = Extract<PendingRelease, { keyId: null }>

function isQueued({ outbox }: Vault, { licenseId, keyId }: KnownRelease): boolean {
  return outbox.some((queued) => queued.licenseId === licenseId && queued.keyId === keyId)
}

/** Frees a seat of this device, and writes down that the request is on its way as long as it may be. */
export async function releaseQueuedKey(
  session: LicensingSession,
  release: KnownRelease,
): Promise<ProblemCause | null> {
  await session.record({ type: 'release-sent', release })
  const { cause, mayStillArrive, isUnknown } = await releaseKey(session, release.licenseId, release.keyId)
  if (isUnknown) {
    await session.record({ type: 'release-unknown', release })
    // The second such refusal, a day after the first, proves that the activation is gone.
    return isQueued(session.vault(), release) ? { code: 'unconfirmed' } : null
  }
  if (cause === null) await session.record({ type: 'seat-freed', release })
  else await session.record({ type: mayStillArrive ? 'release-unanswered' : 'release-refused', release })
  return cause
}

/** An answer was lost once: whatever key of the license bears this device's name is found by listing. */
async function releaseUnknownKeys(
  session: LicensingSession,
  release: UnknownRelease,
): Promise<ProblemCause | null> {
  const { licenseId } = release
  const listing = await listKeys(session, licenseId)
  if (listing.kind === 'refused' && listing.isUnsupported === true) {
    // Nothing here can ever find it: the user frees it where the service shows the devices.
    await session.record({ type: 'seat-freed', release })
    return null
  }
  if (listing.kind !== 'keys') return listing.cause

  const { own } = listing
  const { activation } = session.vault()
  const isOfLicense = activation !== null && isSameId(activation.licenseId, licenseId)
  const isListed = isOfLicense && listing.keys.some((key) => isSameId(key.id, activation.keyId))
  // A key that was found to be gone and is listed again is not gone: the list was behind.
  const isInUse = isOfLicense && (activation.verdict !== 'revoked' || isListed)
  // A list that lacks the key in use may come out of a cache that is older than it.
  if (isInUse && !isListed) return { code: 'unconfirmed' }
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

/** Why a key may still be there; `null` when it is gone. */
function doubtOf(look: KeyLook): ProblemCause | null {
  if (look.found === 'gone') return null
  return 'cause' in look ? look.cause : { code: 'unconfirmed' }
}

/**
 * All processes of a device settle on its oldest key. One that is gone by now, or is being freed, is passed over, and so is
 * one that the service refuses while it accepts the key in use.
 */
async function keepOldest(
  session: LicensingSession,
  { licenseId, keyId }: ActivationRecord,
  own: readonly LicenseKey[],
): Promise<ProblemCause | null> {
  const refusedKeyIds: string[] = []
  for (const [index, { id }] of own.entries()) {
    const isLeaving = (release: PendingRelease): boolean =>
      isBeingFreed(release, { licenseId, keyId: id }, session.time.nowMs())
    if (session.vault().outbox.some(isLeaving)) continue
    const reading = isSameId(id, keyId) ? null : await readKey(session, licenseId, id)
    if (reading?.kind === 'unknown') return reading.cause
    if (reading?.kind === 'undecided') {
      const isDead = reading.isRefused === true && (await askAbout(session, licenseId, keyId)) === 'accepted'
      if (!isDead) return reading.cause
      refusedKeyIds.push(id)
      continue
    }
    if (reading?.kind === 'revoked') continue
    const duplicateKeyIds = [...refusedKeyIds, ...own.slice(index + 1).map((key) => key.id)]
    await session.record({ type: 'kept-oldest', keyId: id, reading, duplicateKeyIds })
    return null
  }
  // What was listed is gone: the next look finds what is there then.
  return { code: 'unconfirmed' }
}
