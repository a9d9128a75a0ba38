import type { LicensingEvent } from '../licensing-event.ts'
import { type OrphanSearch, pendingOf, withoutSearch, withSearch } from '../orphan-search.ts'
import { isOfKey, longestDeliveryMs, withRelease, withReleaseCode } from '../outbox-entries.ts'
import { isSameId } from '../same-id.ts'
import type { ActivationRecord, PendingActivation, PendingRelease, Vault } from '../vault.ts'
import { isInDoubt } from './revocation.ts'
import { isOfOtherService } from './service-of-record.ts'

/** Queues unused keys to be freed, but never the one in use: another process may have adopted it meanwhile. */
export function withReleases(
  { activation }: Vault,
  outbox: readonly PendingRelease[],
  licenseId: string,
  keyIds: readonly string[],
): readonly PendingRelease[] {
  return keyIds
    .filter((keyId) => activation === null || !isSameId(activation.keyId, keyId))
    .reduce((queue, keyId) => withRelease(queue, { licenseId, keyId }), outbox)
}

/** Returns the pending activation, unless it is of this license. */
export function withoutPending(vault: Vault, licenseId: string): PendingActivation | null {
  return pendingOf(vault, licenseId) === null ? vault.pending : null
}

/** This activation is in use from now on. The seats of others are queued to be freed. */
export function activated(
  vault: Vault,
  record: ActivationRecord,
  duplicateKeyIds: readonly string[],
  search: OrphanSearch | null,
  nowMs: number,
): Vault {
  const { licenseId, keyId } = record
  const previous = vault.activation
  // The new record replaces queued releases of this key, and of unknown keys of this license.
  let outbox: Vault['outbox'] = withoutSearch(vault.outbox, licenseId).filter(
    (release) => !isOfKey(release, keyId),
  )
  for (const duplicateId of duplicateKeyIds) {
    // Never free this device's own seat. The list may write its id in another case.
    if (!isSameId(duplicateId, keyId)) outbox = withRelease(outbox, { licenseId, keyId: duplicateId })
  }
  // The same activation under another license key is the seat in use.
  const isOtherSeat = previous !== null && !isSameId(previous.keyId, keyId)
  // The service in use knows nothing of another one's seats.
  if (isOtherSeat && previous.verdict !== 'revoked' && !isOfOtherService(previous)) {
    outbox = withRelease(outbox, previous)
  }
  const pending = withoutPending(vault, licenseId)
  // An outdated copy of the service's data may list the previous key a little later.
  const mayTurnUp = previous !== null && isInDoubt(previous, nowMs) && isSameId(previous.licenseId, licenseId)
  const left = mayTurnUp ? { lateUntilMs: nowMs + longestDeliveryMs } : search
  // An answer works once. Activating the same key online as well doesn't end what it grants.
  const { offlineRequest } = vault
  const offline = record.offline ?? (isOtherSeat ? undefined : previous?.offline)
  return {
    ...vault,
    activation: { ...record, offline },
    pending,
    offlineRequest: record.offline === undefined ? offlineRequest : undefined,
    outbox: withSearch(outbox, licenseId, left),
  }
}

/** Drops the pending activation, and queues any seat it may have taken to be freed. */
export function abandonPending(vault: Vault): Vault {
  const { pending } = vault
  if (pending === null) return vault
  const { licenseId, lateUntilMs } = pending
  const search = lateUntilMs === null ? null : { lateUntilMs }
  return { ...vault, pending: null, outbox: withSearch(vault.outbox, licenseId, search) }
}

/** What is known about a deactivation. */
type SignOut = Omit<Extract<LicensingEvent, { type: 'deactivated' }>, 'type'>

/**
 * Ends the activation, and queues its seat to be freed. An earlier record that opens later ends with it, but not with an
 * activation that was only pending.
 *
 * @param event about what was on record then. A license that another process has activated or requested since stays.
 * @param askedAtMs when the user asked for it. A newer activation of the same license stays, too.
 */
export function signedOut(
  vault: Vault,
  { endedLicenseId, pendingLicenseId, code }: SignOut = {},
  askedAtMs: number = Number.POSITIVE_INFINITY,
): Vault {
  const { unopened, activation: present } = vault
  const isOther = endedLicenseId !== undefined && !isSameId(endedLicenseId ?? '', present?.licenseId ?? '')
  const isNewer = present !== null && present.activatedAtMs > askedAtMs
  if (present !== null && (isOther || isNewer)) return vault
  const ended: Vault = {
    ...vault,
    // An answer that is still on its way must not activate this device again.
    offlineRequest: undefined,
    ...(unopened !== undefined && present !== null && { unopened: { ...unopened, isSignedOut: true } }),
  }
  const isOtherPending = pendingLicenseId !== undefined && pendingOf(vault, pendingLicenseId ?? '') === null
  const left = isOtherPending ? ended : abandonPending(ended)
  const { activation, outbox } = left
  const isOwed = activation !== null && !isOfOtherService(activation)
  const queued = isOwed ? withRelease(outbox, activation) : outbox
  const signedOut: Vault = { ...left, activation: null, outbox: queued }
  return code === undefined ? signedOut : withReleaseCode(signedOut, code)
}
