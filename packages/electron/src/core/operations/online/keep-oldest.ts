import type { LicenseKey } from '@latchkey/commerce'
import type { LicensingSession } from '../../licensing-session.ts'
import { type ProblemCause, unconfirmed } from '../../problem.ts'
import { mayStillFree } from '../../record/outbox-entries.ts'
import { isSameId } from '../../record/same-id.ts'
import type { ActivationRecord, PendingRelease } from '../../record/vault.ts'
import { listKeys } from '../../service/own-keys.ts'
import { askAbout, readKey } from '../../service/validation.ts'

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
export async function keepOldest(
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
