import type { LicensingSession } from '../licensing-session.ts'
import type { ProblemCause } from '../problem.ts'
import { isBeingFreed, type OrphanSearch } from '../record/outbox-entries.ts'
import type { LicensedReading } from '../record/reading.ts'
import { isSameId } from '../record/same-id.ts'
import { lacksLease, storedLease } from '../record/stored-lease.ts'
import type { KnownRelease } from '../record/vault.ts'
import type { KeyListing } from '../service/own-keys.ts'
import { refusalCode } from '../service/refusal.ts'
import { readKey } from '../service/validation.ts'
import { releaseQueuedKey } from './outbox.ts'

/** How an activation ended. A success may still come with a problem to show. */
export type ActivationOutcome =
  | { readonly ok: true; readonly cause: ProblemCause | null }
  | { readonly ok: false; readonly cause: ProblemCause }

/** This device's key of the license, by its own record; `null` when it has none or knows that it is gone. */
export function keyOnRecord(session: LicensingSession, licenseId: string): string | null {
  const { activation } = session.vault()
  if (activation === null || activation.verdict === 'revoked') return null
  return isSameId(activation.licenseId, licenseId) ? activation.keyId : null
}

/**
 * The activation on record, whatever license key it was made with: a service without a list may have replaced the license
 * key and kept the activation.
 */
export function anyKeyOnRecord(session: LicensingSession): string | null {
  return session.vault().activation?.keyId ?? null
}

/** What is queued for those of these keys that a DELETE on its way may take away at any time. */
export function leavingReleases(
  session: LicensingSession,
  licenseId: string,
  keyIds: readonly string[],
): readonly KnownRelease[] {
  const nowMs = session.time.nowMs()
  return session
    .vault()
    .outbox.filter((release): release is KnownRelease =>
      keyIds.some((keyId) => isBeingFreed(release, { licenseId, keyId }, nowMs)),
    )
}

/** Ids of the keys that are this device's: by their name, and by its record if it once went by another name. */
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
 * Frees keys that a DELETE on its way could take away at any time: what is adopted now would be lost then. By itself
 * Latchkey waits until nothing is on its way any more, and adopts what is left.
 *
 * @returns `null` when they are gone for certain.
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

/** What became of the keys that this device already has. */
export interface Adoption {
  /** `null` when none of them could be made the record, so that another one is to be asked for. */
  readonly outcome: ActivationOutcome | null
  /** Set where the service lists such a key and refuses to validate it. */
  readonly refusal: ProblemCause | null
}

/** Makes the first of these keys the record that the service validates. */
export async function adopt(
  session: LicensingSession,
  licenseId: string,
  keyIds: readonly string[],
  orphanSearch: OrphanSearch,
): Promise<Adoption> {
  let refusal: ProblemCause | null = null
  for (const [index, keyId] of keyIds.entries()) {
    const reading = await readKey(session, licenseId, keyId)
    if (reading.kind === 'licensed') {
      // A key that was refused may hold a seat all the same: a look at the list settles it.
      const look = orphanSearch ?? (refusal === null ? null : { lateUntilMs: null })
      const outcome = await keep(session, licenseId, keyId, reading, keyIds.slice(index + 1), look)
      return { outcome, refusal }
    }
    if (reading.kind === 'revoked' || reading.kind === 'unknown') continue
    // The key is there and nothing definite is known of it: asking for another seat would not change that.
    if (reading.isRefused !== true) return { outcome: failed(reading.cause), refusal }
    refusal ??= reading.cause
  }
  return { outcome: null, refusal }
}

/** So many seats of one license may wait to be freed before no further one is taken in the place of a refused key. */
const mostReplaced = 2
/** A key that was validated this lately is not replaced, whatever is said of it now. */
const unquestionedMs = 24 * 60 * 60 * 1000

/**
 * Whether a person who asks may get a new seat although the service lists a key of this device that it refuses to
 * validate. Services that go on listing deactivated keys need this; a proxy that refuses every validation must not take
 * seat after seat by it.
 */
export function mayReplace(session: LicensingSession, licenseId: string): boolean {
  const { activation, outbox } = session.vault()
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

/** Makes a key the record. */
export async function keep(
  session: LicensingSession,
  licenseId: string,
  keyId: string,
  reading: LicensedReading,
  duplicateKeyIds: readonly string[],
  orphanSearch: OrphanSearch,
): Promise<ActivationOutcome> {
  const { verdict, license, lease } = reading
  const { activation } = session.vault()
  const identity = await session.identity()
  // A key keeps the name it was given, whatever this device goes by since: leases are signed for that name.
  const fingerprint =
    activation !== null && isSameId(activation.keyId, keyId) ? activation.fingerprint : identity.fingerprint
  const nowMs = session.time.nowMs()
  const code = refusalCode(verdict)
  // A license that works is not given up for one that does not.
  const isOther =
    activation !== null && !isSameId(activation.licenseId, licenseId) && !isSameId(activation.keyId, keyId)
  if (code !== null && activation?.verdict === 'valid' && isOther) {
    const others: OrphanSearch = duplicateKeyIds.length > 0 ? { lateUntilMs: null } : null
    await session.record({
      type: 'activation-refused',
      unusedKeyId: keyId,
      orphanSearch: orphanSearch ?? others,
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
      verdict,
      decidedAtMs: nowMs,
      validAtMs: nowMs,
      license,
      lease: storedLease(lease, fingerprint),
    },
    duplicateKeyIds,
    orphanSearch,
  })
  // The seat is taken and stays on record: asking once more would only take another.
  if (lacksLease(reading, fingerprint, session.ports.leases)) return failed({ code: 'untrusted-answer' })
  return code === null ? { ok: true, cause: null } : failed({ code })
}

/** An activation that did not come to its end. */
export function failed(cause: ProblemCause): ActivationOutcome {
  return { ok: false, cause }
}
