import { isBeingFreed, type LookAgain } from './decide.ts'
import type { Desk } from './desk.ts'
import { releaseQueuedKey } from './outbox.ts'
import type { KeyListing } from './own-keys.ts'
import type { Trouble } from './problem.ts'
import type { LicensedReading } from './read-answer.ts'
import { refusalCode } from './refusal.ts'
import { isSameId } from './same-id.ts'
import { lacksLease, storedLease } from './stored-lease.ts'
import { readKey } from './validation.ts'
import type { KnownRelease } from './vault.ts'

/** How an activation ended. A success may still carry a trouble worth telling. */
export type ActivationOutcome =
  | { readonly ok: true; readonly trouble: Trouble | null }
  | { readonly ok: false; readonly trouble: Trouble }

/** This device's key of the license, by its own record; `null` when it has none or knows that it is gone. */
export function keyOnRecord(desk: Desk, licenseId: string): string | null {
  const { activation } = desk.vault()
  if (activation === null || activation.verdict === 'revoked') return null
  return isSameId(activation.licenseId, licenseId) ? activation.keyId : null
}

/**
 * The activation on record, whatever license key it was made with: a service without a list may have replaced the license
 * key and kept the activation.
 */
export function anyKeyOnRecord(desk: Desk): string | null {
  return desk.vault().activation?.keyId ?? null
}

/** What is queued for those of these keys that a DELETE on its way may take away at any time. */
export function leavingReleases(
  desk: Desk,
  licenseId: string,
  keyIds: readonly string[],
): readonly KnownRelease[] {
  const nowMs = desk.nowMs()
  return desk
    .vault()
    .outbox.filter((release): release is KnownRelease =>
      keyIds.some((keyId) => isBeingFreed(release, { licenseId, keyId }, nowMs)),
    )
}

/** Ids of the keys that are this device's: by their name, and by its record if it once went by another name. */
export function adoptable(desk: Desk, licenseId: string, { keys, own }: KeyListing): readonly string[] {
  const ids = own.map((key) => key.id)
  const known = keyOnRecord(desk, licenseId)
  if (known === null || ids.some((id) => isSameId(id, known))) return ids
  return keys.some((key) => isSameId(key.id, known)) ? [...ids, known] : ids
}

/**
 * Frees keys that a DELETE on its way could take away at any time: what is adopted now would be lost then. By itself
 * Latchkey waits until nothing is on its way any more, and adopts what is left.
 *
 * @returns `null` when they are gone for certain.
 */
export async function freeForCertain(desk: Desk, releases: readonly KnownRelease[]): Promise<Trouble | null> {
  for (const release of releases) {
    const trouble = await releaseQueuedKey(desk, release)
    if (trouble !== null) return { ...trouble, code: 'activation-unconfirmed' }
  }
  return null
}

/** What became of the keys that this device already has. */
export interface Adoption {
  /** `null` when none of them could be made the record, so that another one is to be asked for. */
  readonly outcome: ActivationOutcome | null
  /** Set where the service lists such a key and refuses to validate it. */
  readonly refusal: Trouble | null
}

/** Makes the first of these keys the record that the service validates. */
export async function adopt(
  desk: Desk,
  licenseId: string,
  keyIds: readonly string[],
  lookAgain: LookAgain,
): Promise<Adoption> {
  let refusal: Trouble | null = null
  for (const [index, keyId] of keyIds.entries()) {
    const reading = await readKey(desk, licenseId, keyId)
    if (reading.kind === 'licensed') {
      // A key that was refused may hold a seat all the same: a look at the list settles it.
      const look = lookAgain ?? (refusal === null ? null : { lateUntilMs: null })
      const outcome = await keep(desk, licenseId, keyId, reading, keyIds.slice(index + 1), look)
      return { outcome, refusal }
    }
    if (reading.kind === 'revoked' || reading.kind === 'unknown') continue
    // The key is there and nothing definite is known of it: asking for another seat would not change that.
    if (reading.isRefused !== true) return { outcome: failed(reading.trouble), refusal }
    refusal ??= reading.trouble
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
export function mayReplace(desk: Desk, licenseId: string): boolean {
  const { activation, outbox } = desk.vault()
  const waiting = outbox.filter(
    ({ keyId, ...queued }) => keyId !== null && isSameId(queued.licenseId, licenseId),
  )
  if (waiting.length >= mostReplaced) return false
  return (
    activation === null ||
    keyOnRecord(desk, licenseId) === null ||
    desk.nowMs() - activation.activatedAtMs > unquestionedMs
  )
}

/** Makes a key the record. */
export async function keep(
  desk: Desk,
  licenseId: string,
  keyId: string,
  reading: LicensedReading,
  duplicateKeyIds: readonly string[],
  lookAgain: LookAgain,
): Promise<ActivationOutcome> {
  const { verdict, license, lease } = reading
  const { activation } = desk.vault()
  const identity = await desk.identity()
  // A key keeps the name it was given, whatever this device goes by since: leases are signed for that name.
  const fingerprint =
    activation !== null && isSameId(activation.keyId, keyId) ? activation.fingerprint : identity.fingerprint
  const nowMs = desk.nowMs()
  const code = refusalCode(verdict)
  // A license that works is not given up for one that does not.
  const isOther =
    activation !== null && !isSameId(activation.licenseId, licenseId) && !isSameId(activation.keyId, keyId)
  if (code !== null && activation?.verdict === 'valid' && isOther) {
    const others: LookAgain = duplicateKeyIds.length > 0 ? { lateUntilMs: null } : null
    await desk.record({ type: 'activation-refused', unusedKeyId: keyId, lookAgain: lookAgain ?? others })
    return failed({ code })
  }
  await desk.record({
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
    lookAgain,
  })
  // The seat is taken and stays on record: asking once more would only take another.
  if (lacksLease(reading, fingerprint, desk.ports.leases)) return failed({ code: 'untrusted-answer' })
  return code === null ? { ok: true, trouble: null } : failed({ code })
}

/** An activation that did not come to its end. */
export function failed(trouble: Trouble): ActivationOutcome {
  return { ok: false, trouble }
}
