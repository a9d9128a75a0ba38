import type { LicensingSession } from '../../licensing-session.ts'
import { listsActivations } from '../../ports/service-port.ts'
import { type ProblemCause, unconfirmed } from '../../problem.ts'
import { isSameRelease } from '../../record/outbox-entries.ts'
import type { UnknownReason } from '../../record/reading.ts'
import { isSameId } from '../../record/same-id.ts'
import type { KnownRelease, Vault } from '../../record/vault.ts'
import { askService } from '../../service/ask-service.ts'
import { lookForKey, showKey } from '../../service/own-keys.ts'
import type { Failure } from '../../service/read-answer.ts'
import type { RefusedFailure } from '../../service/read-service-failure.ts'
import { askAbout } from '../../service/validation.ts'

/** The result of freeing a seat. */
export interface ReleaseOutcome {
  /** `null` when the seat is free. */
  readonly cause: ProblemCause | null
  /** Whether this request freed it. A key that is proven to be gone already also counts as freed. */
  readonly isFreedNow: boolean
  /** Whether this request may still free the seat later, because its outcome is unknown. */
  readonly mayStillArrive: boolean
  /**
   * What the service says that it doesn't know. A service without a list: this activation, or not even the license. One
   * that refuses to list the keys: the license, or `unlisted` if it says only "not found".
   */
  readonly unknown?: UnknownReason | 'unlisted' | null
}

function unknownIn({ reason }: RefusedFailure): UnknownReason | null {
  return reason === 'unknown-activation' || reason === 'unknown-license' ? reason : null
}

/** What the service doesn't know if it refuses to list the keys, perhaps for a reason that has nothing to do with it. */
function unknownBesideRefusedList(failure: Failure): 'unknown-license' | 'unlisted' | null {
  if (failure.kind === 'not-found') return 'unlisted'
  return failure.kind === 'refused' && failure.reason === 'unknown-license' ? failure.reason : null
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
    return { cause, isFreedNow: false, mayStillArrive: false, unknown: unknownIn(failure) }
  }
  if (failure.kind !== 'unreachable') {
    const { cause, isUnlisted } = await doubtOfRefusal(session, licenseId, keyId, failure)
    const unknown = isUnlisted ? unknownBesideRefusedList(failure) : null
    return { cause, isFreedNow: false, mayStillArrive: false, unknown }
  }
  if (failure.oddSuccess === undefined) {
    // Without a list, it would take a day to prove that the seat was freed while it was in use again.
    const isUnderWay = isUnanswered(failure.cause) || !listsActivations(session.ports.commerce)
    const mayStillArrive = failure.hasNotActed !== true && isUnderWay
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

/** Why a seat may still be taken after freeing it was refused; a `cause` of `null` if it is free. */
async function doubtOfRefusal(
  session: LicensingSession,
  licenseId: string,
  keyId: string,
  failure: Exclude<Failure, { kind: 'unreachable' }>,
): Promise<{ readonly cause: ProblemCause | null; readonly isUnlisted: boolean }> {
  const look = await lookForKey(session, licenseId, keyId)
  const isUnlisted = look.found === 'refused'
  if (look.found === 'gone') return { cause: null, isUnlisted }
  if (look.found === 'unreachable') return { cause: look.cause, isUnlisted }
  const mayBeDead = look.found === 'there' && failure.kind !== 'refused' && failure.isFromService
  const isDead = mayBeDead && (await isDeadBesideOthers(session, licenseId, keyId, look.otherKeyIds))
  if (isDead) return { cause: null, isUnlisted }
  const { cause } = failure
  return { cause: failure.kind === 'unauthorized' ? cause : { ...cause, code: 'unconfirmed' }, isUnlisted }
}

/**
 * Whether the service refuses to validate a key that it lists but validates another one, twice in reverse order. Then it
 * can tell the two apart: it deactivated the first and still lists it. A proxy that lost its route refuses both.
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
    if ((await askAbout(session, licenseId, id)) !== 'accepted') continue
    // Two hosts that answer in turn could refuse any key and then accept another one, so both are asked about again.
    const isAccepted = (await askAbout(session, licenseId, id)) === 'accepted'
    return isAccepted && (await askAbout(session, licenseId, keyId)) === 'refused'
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
  const {
    cause,
    mayStillArrive,
    unknown = null,
  } = await releaseKey(session, release.licenseId, release.keyId)
  if (unknown !== null) {
    await session.record({ type: 'release-unknown', release, reason: unknown })
    // The second such refusal of the activation, a day after the first, proves that it is gone.
    return isQueued(session.vault(), release) ? unconfirmed : null
  }
  // Another key of this computer isn't freed with it: another user may have it in use.
  if (cause === null) await session.record({ type: 'seat-freed', release })
  else await session.record({ type: mayStillArrive ? 'release-unanswered' : 'release-refused', release })
  return cause
}
