import { isSameId } from './same-id.ts'
import type { KnownRelease, PendingRelease, Vault } from './vault.ts'

/**
 * Set if the license may have an unknown key of this device. Its keys are then listed once more, and again until
 * `lateUntilMs`, in milliseconds on the high-water mark.
 */
export type OrphanSearch = { readonly lateUntilMs: number | null } | null

/**
 * How far apart two "not known" refusals of a service without a list must be to prove that an activation is gone, in
 * milliseconds. Such services sometimes refuse a valid license for half an hour.
 */
export const proofAfterMs: number = 24 * 60 * 60 * 1000

/** How long a request may still take effect after we stopped waiting for it, in milliseconds. */
export const longestDeliveryMs: number = 10 * 60 * 1000

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

export function withOrphanSearch(
  outbox: readonly PendingRelease[],
  licenseId: string,
  orphanSearch: OrphanSearch,
): readonly PendingRelease[] {
  if (orphanSearch === null) return outbox
  return [
    ...outbox.filter((queued) => !isOrphanSearch(queued, licenseId)),
    { licenseId, keyId: null, lateUntilMs: orphanSearch.lateUntilMs },
  ]
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

export function orphanSearchOf(vault: Vault, licenseId: string): OrphanSearch {
  for (const queued of vault.outbox) {
    if (queued.keyId === null && isSameId(queued.licenseId, licenseId)) return queued
  }
  return null
}

/** What is left to search for after reading the list just now. */
export function stillLate(vault: Vault, licenseId: string, nowMs: number): OrphanSearch {
  const late = orphanSearchOf(vault, licenseId)
  return late !== null && isStillLate(late.lateUntilMs, nowMs) ? late : null
}

/** Whether a request of unknown outcome may still take effect. */
export function isStillLate(lateUntilMs: number | null, nowMs: number): boolean {
  return lateUntilMs !== null && nowMs < lateUntilMs
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

export function isOrphanSearch({ licenseId, keyId }: KeyReference, lookedAtId: string): boolean {
  return keyId === null && isSameId(licenseId, lookedAtId)
}

export function isSameRelease(one: KeyReference, other: KeyReference): boolean {
  if (!isSameId(one.licenseId, other.licenseId)) return false
  return one.keyId === null || other.keyId === null
    ? one.keyId === other.keyId
    : isSameId(one.keyId, other.keyId)
}
