import { isSameId } from './same-id.ts'
import type { KnownRelease, PendingRelease, Vault } from './vault.ts'

/**
 * Whether a key of this device nobody has seen may be on the license: then its keys are listed once more, and until
 * the named moment again.
 */
export type OrphanSearch = { readonly lateUntilMs: number | null } | null

/**
 * How far apart two refusals "not known" of a service without a list have to be, to prove that an activation is gone, in
 * milliseconds: such services deny a good license for half an hour at times.
 */
export const proofAfterMs: number = 24 * 60 * 60 * 1000

/** How long a request may be on its way after its sender gave up, in milliseconds. */
export const longestDeliveryMs: number = 10 * 60 * 1000

export function withRelease(
  outbox: readonly PendingRelease[],
  { licenseId, keyId }: { readonly licenseId: string; readonly keyId: string },
): readonly PendingRelease[] {
  const release = { licenseId, keyId }
  return outbox.some((queued) => isSameRelease(queued, release)) ? outbox : [...outbox, release]
}

/** The vault with this very entry for its seat, where there still is one. */
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

/** The queue after the service denied to know an activation in it, which is gone by the second time a day later. */
export function afterUnknownRelease(
  outbox: readonly PendingRelease[],
  release: PendingRelease,
  nowMs: number,
): readonly PendingRelease[] {
  return outbox.flatMap((queued) => {
    if (queued.keyId === null || !isSameRelease(queued, release)) return [queued]
    const { licenseId, keyId, unknownSinceMs = nowMs } = queued
    return nowMs - unknownSinceMs < proofAfterMs ? [{ licenseId, keyId, unknownSinceMs }] : []
  })
}

export function orphanSearchOf(vault: Vault, licenseId: string): OrphanSearch {
  for (const queued of vault.outbox) {
    if (queued.keyId === null && isSameId(queued.licenseId, licenseId)) return queued
  }
  return null
}

/** What is left to look for after a look at the list just now. */
export function stillLate(vault: Vault, licenseId: string, nowMs: number): OrphanSearch {
  const late = orphanSearchOf(vault, licenseId)
  return late !== null && isStillLate(late.lateUntilMs, nowMs) ? late : null
}

/** Whether a request of unknown outcome may still arrive. */
export function isStillLate(lateUntilMs: number | null, nowMs: number): boolean {
  return lateUntilMs !== null && nowMs < lateUntilMs
}

/** Whether this entry says that a DELETE which was sent for a key may still take it away. */
export function isBeingFreed(
  release: PendingRelease,
  key: { readonly licenseId: string; readonly keyId: string },
  nowMs: number,
): boolean {
  return isSameRelease(release, key) && isStillLate(release.lateUntilMs ?? null, nowMs)
}

/** Something that names a key of a license, or with `null` whatever key of it is this device's. */
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
