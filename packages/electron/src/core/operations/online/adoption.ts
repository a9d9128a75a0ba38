import type { LicensingSession } from '../../licensing-session.ts'
import { listsActivations } from '../../ports/service-port.ts'
import type { ProblemCause } from '../../problem.ts'
import type { SeatEvidence } from '../../record/licensing-event.ts'
import { isStillLate } from '../../record/orphan-search.ts'
import { isOfKey, longestDeliveryMs, mayStillFree } from '../../record/outbox-entries.ts'
import { withProvenEnd } from '../../record/proven-end.ts'
import type { LicensedReading } from '../../record/reading.ts'
import { isSameId } from '../../record/same-id.ts'
import { mayBeOurs } from '../../record/seats/service-of-record.ts'
import { lacksLease, storedLease } from '../../record/stored-lease.ts'
import type { ActivationRecord, KnownRelease, PendingActivation, PendingRelease } from '../../record/vault.ts'
import { createdAtMs, type KeyListing } from '../../service/own-keys.ts'
import { refusalCode } from '../../service/refusal.ts'
import { readKey } from '../../service/validation.ts'
import { releaseQueuedKey } from './release-key.ts'

/** How an activation ended. Even a success may have a problem to show. */
export type ActivationOutcome =
  | { readonly ok: true; readonly cause: ProblemCause | null }
  | { readonly ok: false; readonly cause: ProblemCause }

/** This device's key of the license according to its record; `null` if it has none or the key is known to be gone. */
export function keyOnRecord(session: LicensingSession, licenseId: string): string | null {
  const { activation } = session.vault()
  if (activation === null || activation.verdict === 'revoked' || !mayBeOurs(activation)) return null
  return isSameId(activation.licenseId, licenseId) ? activation.keyId : null
}

/**
 * This device's keys of a license according to its record, if the service has no list: the one in use, and those that are
 * queued to be freed. If there are none, the service may have replaced another license's key and kept its activation.
 * Only the likeliest of those is returned, because services allow few requests at once. A seat of this license that an
 * earlier DELETE may still free is freed first, because adopting it could lose it again.
 */
export async function unlistedKeys(session: LicensingSession, licenseId: string): Promise<readonly string[]> {
  const isOwn = (key: { readonly licenseId: string }): boolean => isSameId(key.licenseId, licenseId)
  const isLeaving = (release: KnownRelease): boolean => mayStillFree(release, release, session.time.nowMs())
  for (const release of session.vault().outbox.filter(isKnown).filter(isOwn).filter(isLeaving)) {
    // If it can't be freed, a new seat may still be available.
    await releaseQueuedKey(session, release)
  }
  const { activation, outbox } = session.vault()
  const queued = outbox.filter(isKnown).filter((release) => !isLeaving(release))
  const inUse = activation !== null && mayBeOurs(activation) ? [activation] : []
  const own = [...inUse, ...queued].filter(isOwn)
  if (own.length > 0) return own.map(({ keyId }) => keyId)
  const [current] = inUse
  const doubtful = queued.findLast(
    ({ unknownSinceMs, unknownReason }) =>
      unknownSinceMs !== undefined && unknownReason !== 'unknown-activation',
  )
  const isOther = current === undefined || (doubtful !== undefined && (await isKeyKnown(session, current)))
  const likeliest = isOther ? (doubtful ?? queued.at(-1)) : current
  return likeliest === undefined ? [] : [likeliest.keyId]
}

/** The service isn't asked again about a license that it gave a definite answer about within this time, in milliseconds. */
const justDecidedMs = 2 * 60 * 1000

/** Whether the service still knows the license key in use, so that the customer hasn't replaced it. */
async function isKeyKnown(session: LicensingSession, activation: ActivationRecord): Promise<boolean> {
  const { licenseId, keyId, verdict, unknown, decidedAtMs } = activation
  if (verdict === 'revoked' || unknown !== undefined) return false
  if (session.time.nowMs() - decidedAtMs < justDecidedMs) return true
  const reading = await readKey(session, licenseId, keyId)
  if (reading.kind !== 'licensed') return false
  // Polar may block the activation, which is the fourth request within a second. The next attempt sends only three.
  await session.recordAnswer({ type: 'answered', keyId, reading })
  return true
}

function isKnown(release: PendingRelease): release is KnownRelease {
  return release.keyId !== null
}

/** The queued releases that may still free the seat of one of these keys. */
export function leavingReleases(
  session: LicensingSession,
  licenseId: string,
  keyIds: readonly string[],
): readonly KnownRelease[] {
  const nowMs = session.time.nowMs()
  return session
    .vault()
    .outbox.filter((release): release is KnownRelease =>
      keyIds.some((keyId) => mayStillFree(release, { licenseId, keyId }, nowMs)),
    )
}

/** Whether a DELETE is on its way for one of these. A release code alone frees nothing until somebody uses it. */
export function isAnyLate(session: LicensingSession, releases: readonly KnownRelease[]): boolean {
  return releases.some(({ lateUntilMs = null }) => isStillLate(lateUntilMs, session.time.nowMs()))
}

/** The ids of this device's keys: by name, and by the record in case the name has changed. */
export function adoptable(
  session: LicensingSession,
  licenseId: string,
  { keys, own }: KeyListing,
): readonly string[] {
  const ids = own.map((key) => key.id)
  const known = keyOnRecord(session, licenseId)
  if (known === null || ids.some((id) => isSameId(id, known))) return ids
  return keys.some((key) => isSameId(key.id, known)) ? [...ids, known] : ids
}

/**
 * Frees keys that an earlier DELETE may still free at any time, since adopting such a key could lose it again. Without
 * a user request, Latchkey waits until no request can arrive anymore and adopts what is left.
 *
 * @returns `null` when the keys are proven to be gone.
 */
export async function freeForCertain(
  session: LicensingSession,
  releases: readonly KnownRelease[],
): Promise<ProblemCause | null> {
  for (const release of releases) {
    const cause = await releaseQueuedKey(session, release)
    if (cause !== null) return { ...cause, code: 'activation-unconfirmed' }
  }
  return null
}

/** The result of trying to adopt this device's existing keys. */
export interface Adoption {
  /** `null` if no key could be adopted, so a new one must be requested. */
  readonly outcome: ActivationOutcome | null
  /** Set when the service lists such a key but refuses to validate it. */
  readonly refusal: ProblemCause | null
}

/** Saves the first of these keys that the service validates as the record. */
export async function adopt(
  session: LicensingSession,
  licenseId: string,
  keyIds: readonly string[],
  evidence: SeatEvidence,
): Promise<Adoption> {
  let refusal: ProblemCause | null = null
  for (const [index, keyId] of keyIds.entries()) {
    const seenAtMs = session.time.nowMs()
    const reading = await readKey(session, licenseId, keyId)
    if (reading.kind === 'licensed') {
      // The refusal is about the license. It doesn't prove that this key exists and belongs to it.
      if (reading.verdict !== 'valid' && isUnproven(session, licenseId, keyId)) continue
      // A refused key may still hold a seat, so the list must be read again.
      const known = refusal === null ? evidence : { ...evidence, mustReadAgain: true }
      const key = { licenseId, keyId, seenAtMs }
      // Without a list, the others are queued already.
      const others = listsActivations(session.ports.commerce) ? keyIds.slice(index + 1) : []
      const outcome = await keep(session, key, reading, others, known)
      return { outcome, refusal }
    }
    if (reading.kind === 'revoked' || reading.kind === 'unknown') continue
    // The activation of this license states the reason, and then nothing is pending anymore.
    if (reading.isDocumented === true && isUnproven(session, licenseId, keyId)) continue
    // The key exists and nothing definite is known about it. Taking another seat would not change that.
    if (reading.isRefused !== true) return { outcome: failed(reading.cause), refusal }
    refusal ??= reading.cause
  }
  return { outcome: null, refusal }
}

/** Whether a key is on record for another license, or is queued to be freed and no list shows whether it still exists. */
function isUnproven({ ports, vault }: LicensingSession, licenseId: string, keyId: string): boolean {
  const { activation, outbox } = vault()
  const isOnRecord = activation !== null && isSameId(activation.keyId, keyId)
  if (isOnRecord) return !isSameId(activation.licenseId, licenseId)
  return !listsActivations(ports.commerce) && outbox.some((release) => isOfKey(release, keyId))
}

/** How many seats of one license may wait to be freed before refused keys are no longer replaced. */
const mostReplaced = 2
/** A key validated within this time is not replaced, even if the service now refuses it, in milliseconds. */
const unquestionedMs = 24 * 60 * 60 * 1000

/**
 * Whether a user may get a new seat although the service lists a key of this device and refuses to validate it.
 * Services that keep listing deactivated keys need this. The limits keep a proxy that refuses every validation from
 * using up all seats.
 */
export function mayReplace(session: LicensingSession, licenseId: string, listing: KeyListing): boolean {
  const { activation, outbox, pending } = session.vault()
  if (pending !== null && mayHaveMade(pending, listing, session.time.nowMs())) return false
  const waiting = outbox.filter(
    ({ keyId, ...queued }) => keyId !== null && isSameId(queued.licenseId, licenseId),
  )
  if (waiting.length >= mostReplaced) return false
  return (
    activation === null ||
    keyOnRecord(session, licenseId) === null ||
    session.time.nowMs() - activation.activatedAtMs > unquestionedMs
  )
}

/**
 * Whether a request of unknown outcome may still take a seat, or one of this device's listed keys may come from it. A
 * key without a date may.
 */
function mayHaveMade({ lateUntilMs }: PendingActivation, { own }: KeyListing, nowMs: number): boolean {
  if (lateUntilMs === null) return false
  // The request may have been sent a while before the answer was given up, and the service's clock may differ.
  const sinceMs = lateUntilMs - 2 * longestDeliveryMs
  return isStillLate(lateUntilMs, nowMs) || own.some((key) => (createdAtMs(key) ?? sinceMs) >= sinceMs)
}

/** A key that the service showed; `seenAtMs`: when that was requested, in milliseconds on the high-water mark. */
interface SeenKey {
  readonly licenseId: string
  readonly keyId: string
  readonly seenAtMs: number
}

/** Saves a key as the record. */
export async function keep(
  session: LicensingSession,
  { licenseId, keyId, seenAtMs }: SeenKey,
  reading: LicensedReading,
  duplicateKeyIds: readonly string[],
  evidence: SeatEvidence,
): Promise<ActivationOutcome> {
  const { verdict, lease } = reading
  const { activation } = session.vault()
  const identity = await session.identity()
  // A key keeps its original name even if this device's identity changes, because leases are signed for that name.
  const fingerprint =
    activation !== null && isSameId(activation.keyId, keyId) ? activation.fingerprint : identity.fingerprint
  const nowMs = session.time.nowMs()
  // Activating the license on record again moves neither its end nor the last answer that found it valid.
  const known = activation !== null && isSameId(activation.licenseId, licenseId) ? activation : null
  const license =
    verdict === 'expired' && known !== null ? withProvenEnd(reading.license, known, nowMs) : reading.license
  const validAtMs = verdict === 'valid' || known === null ? nowMs : known.validAtMs
  const facts = { license, verdict, validAtMs, decidedAtMs: nowMs }
  const works = verdict === 'expired' && session.isCovered(facts)
  const code = works ? null : refusalCode(verdict)
  // Don't replace a working license with one that doesn't work.
  const isOther =
    activation !== null && !isSameId(activation.licenseId, licenseId) && !isSameId(activation.keyId, keyId)
  const isWorking = activation?.verdict === 'valid' || session.published.current.entitled
  if (code !== null && isWorking && isOther) {
    const mustReadAgain = evidence.mustReadAgain || duplicateKeyIds.length > 0
    await session.record({
      type: 'activation-refused',
      licenseId,
      unusedKeyId: keyId,
      evidence: { ...evidence, mustReadAgain },
    })
    return failed({ code })
  }
  await session.record({
    type: 'activated',
    record: {
      licenseId,
      keyId,
      fingerprint,
      activatedAtMs: nowMs,
      ...facts,
      lease: storedLease(lease, fingerprint, verdict),
    },
    seenAtMs,
    duplicateKeyIds,
    evidence,
  })
  const kept = session.vault().activation
  if (kept === null || !isSameId(kept.keyId, keyId)) {
    // Another process of this app is freeing this key. If it keeps another one of this license, that one counts.
    const isServed = kept?.verdict === 'valid' && isSameId(kept.licenseId, licenseId)
    return isServed ? { ok: true, cause: null } : failed({ code: 'activation-unconfirmed' })
  }
  // The seat is taken and stays on record. Another attempt would only take a second seat.
  if (lacksLease(reading, fingerprint, session.ports.leases)) return failed({ code: 'untrusted-answer' })
  return code === null ? { ok: true, cause: null } : failed({ code })
}

/** The outcome of an activation that failed. */
export function failed(cause: ProblemCause): ActivationOutcome {
  return { ok: false, cause }
}
