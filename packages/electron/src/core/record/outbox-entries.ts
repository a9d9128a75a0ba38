import { isStillLate } from './orphan-search.ts'
import { isSameId } from './same-id.ts'
import type { KnownRelease, PendingRelease, Vault } from './vault.ts'

/**
 * How far apart two "not known" refusals of a service without a list must be to prove that an activation is gone, in
 * milliseconds. Such services sometimes refuse a valid license for half an hour.
 */
export const proofAfterMs: number = 24 * 60 * 60 * 1000

/** How long a request may still take effect after we stopped waiting for it, in milliseconds. */
export const longestDeliveryMs: number = 10 * 60 * 1000

/** Returns the queue with a seat to free, once. An entry that is queued already stays as it is. */
export function withRelease(
  outbox: readonly PendingRelease[],
  { licenseId, keyId }: { readonly licenseId: string; readonly keyId: string },
): readonly PendingRelease[] {
  const release = { licenseId, keyId }
  return outbox.some((queued) => isSameRelease(queued, release)) ? outbox : [...outbox, release]
}

/** Returns the vault with this entry for its seat, if the seat is still queued. */
export function withEntry(vault: Vault, release: KnownRelease): Vault {
  const outbox = vault.outbox.map((queued) => (isSameRelease(queued, release) ? release : queued))
  return { ...vault, outbox }
}

/** The queue after the service didn't know an activation in it. The second time, a day later, proves it gone. */
export function afterUnknownRelease(
  outbox: readonly PendingRelease[],
  release: KnownRelease,
  nowMs: number,
): readonly PendingRelease[] {
  const { licenseId, keyId, unknownSinceMs = nowMs } = release
  return outbox.flatMap((queued) => {
    if (!isSameRelease(queued, release)) return [queued]
    return nowMs - unknownSinceMs < proofAfterMs ? [{ licenseId, keyId, unknownSinceMs }] : []
  })
}

/** Whether this entry records a DELETE that may still free the key. */
export function isBeingFreed(
  release: PendingRelease,
  key: { readonly licenseId: string; readonly keyId: string },
  nowMs: number,
): boolean {
  return isSameRelease(release, key) && isStillLate(release.lateUntilMs ?? null, nowMs)
}

/** A reference to a key of a license; a `keyId` of `null` means any key of it that belongs to this device. */
type KeyReference = Pick<PendingRelease, 'licenseId' | 'keyId'>

/** Whether two entries of the outbox are about the same key, or both search the same license for unknown ones. */
export function isSameRelease(one: KeyReference, other: KeyReference): boolean {
  if (!isSameId(one.licenseId, other.licenseId)) return false
  return one.keyId === null || other.keyId === null
    ? one.keyId === other.keyId
    : isSameId(one.keyId, other.keyId)
}
