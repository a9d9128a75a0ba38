import type { LicensingSession } from '../../licensing-session.ts'
import type { ProblemCause } from '../../problem.ts'
import { mayStillFree } from '../../record/outbox-entries.ts'
import type { LicensedReading, Reading } from '../../record/reading.ts'
import { isSameId } from '../../record/same-id.ts'
import type { ActivationRecord } from '../../record/vault.ts'
import { type Listing, listKeys } from '../../service/own-keys.ts'
import { askAbout, readKey } from '../../service/validation.ts'

/** Which of several keys of this device it keeps. */
export type KeptKey =
  /** The one on record, or `none`: every key is gone or may still be freed. */
  | { readonly kind: 'kept' | 'none' }
  /** An older one replaces it. `reading` is the answer about that key. */
  | { readonly kind: 'replaced'; readonly keyId: string; readonly reading: LicensedReading }
  | { readonly kind: 'unclear'; readonly cause: ProblemCause }

/**
 * Makes all processes of a device agree on its oldest key. Skips keys that are gone, that may still be freed, or that
 * the service refuses while it accepts the key in use.
 *
 * @param ownKeyIds this device's keys, oldest first.
 */
export async function keepOldest(
  session: LicensingSession,
  { licenseId, keyId }: ActivationRecord,
  ownKeyIds: readonly string[],
): Promise<KeptKey> {
  const { fingerprint } = await session.identity()
  const refusedKeyIds: string[] = []
  for (const [index, id] of ownKeyIds.entries()) {
    const key = { licenseId, keyId: id }
    const seenAtMs = session.time.nowMs()
    if (session.vault().outbox.some((release) => mayStillFree(release, key, seenAtMs))) continue
    const reading = isSameId(id, keyId) ? null : await readKey(session, licenseId, id)
    if (reading !== null && 'cause' in reading) {
      const isDead = reading.isRefused === true && (await askAbout(session, licenseId, keyId)) === 'accepted'
      if (!isDead) return { kind: 'unclear', cause: reading.cause }
      refusedKeyIds.push(id)
      continue
    }
    if (reading?.kind === 'revoked') continue
    const duplicateKeyIds = [...refusedKeyIds, ...ownKeyIds.slice(index + 1)]
    const seen = reading === null ? {} : { seenAtMs }
    const kept = { licenseId, keyId: id, fingerprint, ...seen, reading, duplicateKeyIds }
    await session.record({ type: 'kept-oldest', ...kept })
    return reading === null ? { kind: 'kept' } : { kind: 'replaced', keyId: id, reading }
  }
  return { kind: 'none' }
}

/** The answer about the key on record, or about the one that replaced it. */
export interface KeyReading {
  readonly keyId: string
  readonly reading: Reading
}

/**
 * After the key on record was found to be gone: another user of this computer may have deactivated it and activated
 * again. The key that this device has now is taken into use, which takes no seat. While there may be one that can't be
 * read now, nothing is proven.
 */
export async function readReplacement(
  session: LicensingSession,
  gone: ActivationRecord,
  reading: Extract<Reading, { kind: 'revoked' }>,
): Promise<KeyReading> {
  const { licenseId, keyId } = gone
  const { activation } = session.vault()
  if (activation === null || !isSameId(activation.keyId, keyId)) return { keyId, reading }
  const listing = reading.ownKeyIds === undefined ? await listKeys(session, licenseId) : null
  if (listing !== null && mayBeListedLater(listing)) {
    // If the list stays unreadable for a day, the signed answer alone counts.
    return { keyId, reading: { kind: 'unknown', reason: 'unknown-activation', cause: listing.cause } }
  }
  const listed = listing?.kind === 'keys' ? listing.own.map(({ id }) => id) : []
  const ownKeyIds = (reading.ownKeyIds ?? listed).filter((id) => !isSameId(id, keyId))
  const kept = await keepOldest(session, activation, ownKeyIds)
  if (kept.kind === 'replaced') return kept
  return { keyId, reading: kept.kind === 'unclear' ? { kind: 'undecided', cause: kept.cause } : reading }
}

function mayBeListedLater(listing: Listing): listing is Exclude<Listing, { kind: 'keys' }> {
  return listing.kind === 'undecided' || (listing.kind === 'refused' && listing.isUnreadable)
}
