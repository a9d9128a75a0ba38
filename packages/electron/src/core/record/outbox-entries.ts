import type { OfflineRelease } from '../ports/offline-port.ts'
import { isQuietSearch, isStillLate, longestUnknownMs } from './orphan-search.ts'
import type { UnknownReason } from './reading.ts'
import { isSameId } from './same-id.ts'
import type { KnownRelease, PendingRelease, Vault } from './vault.ts'

/**
 * How far apart two "not known" refusals of a service without a list must be to prove that an activation is gone, in
 * milliseconds. Such services sometimes refuse a valid license for half an hour.
 */
export const proofAfterMs: number = 24 * 60 * 60 * 1000

/** How long a request may still take effect after we stopped waiting for it, in milliseconds. */
export const longestDeliveryMs: number = 10 * 60 * 1000

/**
 * How far two processes may differ about the time, in milliseconds. Both go by the service's `Date`, which has whole
 * seconds and is as old as its answer was on its way.
 */
const dateImprecisionMs = 5000

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

/**
 * How long a seat stays queued while the service says that it doesn't know it, in milliseconds. The second time, a day
 * later, proves that the activation is gone. If the service doesn't know the license, its key may have been replaced: the
 * seat is found if the new license key is activated here. "Not found" without a documented reason, beside a refused list,
 * proves nothing: a proxy may refuse everything for months.
 */
const keptUnknownMs: Readonly<Record<UnknownReason | 'unlisted', number>> = {
  'unknown-activation': proofAfterMs,
  'unknown-license': longestUnknownMs,
  unlisted: Number.POSITIVE_INFINITY,
}

/** The queue after the service didn't know an activation in it. For another reason than before, the time starts anew. */
export function afterUnknownRelease(
  outbox: readonly PendingRelease[],
  release: KnownRelease,
  reason: UnknownReason | 'unlisted',
  nowMs: number,
): readonly PendingRelease[] {
  const { unknownSinceMs: sinceMs = nowMs, unknownReason = reason } = release
  const unknownSinceMs = unknownReason === reason ? sinceMs : nowMs
  return outbox.flatMap((queued) => {
    if (!isSameRelease(queued, release)) return [queued]
    // A refused request doesn't arrive later, so `lateUntilMs` only says when it was.
    const entry = { ...release, lateUntilMs: nowMs, unknownSinceMs, unknownReason: reason }
    return nowMs - unknownSinceMs < keptUnknownMs[reason] ? [entry] : []
  })
}

/** An entry after another refusal. If it is quiet, another one's turn comes next. */
export function afterRefusedRelease(release: KnownRelease, nowMs: number): KnownRelease {
  const { lateUntilMs = nowMs } = release
  // A request that was sent before this one may still arrive.
  return isQuiet(release, nowMs) ? { ...release, lateUntilMs: Math.max(lateUntilMs, nowMs) } : release
}

/**
 * Whether an entry of the outbox isn't shown, and asked about only once a day: a search that nothing but a refused list is
 * the reason for, or a seat that the service hasn't known for a day.
 */
export function isQuiet(release: PendingRelease, nowMs: number): boolean {
  if (release.keyId === null) return isQuietSearch(release)
  return release.unknownSinceMs !== undefined && nowMs - release.unknownSinceMs >= proofAfterMs
}

/** Whether this entry may still free the key at any time: by a DELETE that is on its way, or by its release code. */
export function mayStillFree(
  release: PendingRelease,
  key: { readonly licenseId: string; readonly keyId: string },
  nowMs: number,
): boolean {
  const isBeingFreed = isOfKey(release, key.keyId) && isStillLate(release.lateUntilMs ?? null, nowMs)
  return isBeingFreed || hasReleaseCode(release, key)
}

/**
 * Whether a process of this app is freeing this key, freed it after it was last seen, or created a release code for it.
 * Another process that doesn't wait for that one would take the key into use and lose it.
 *
 * @param seenAtMs when the answer that shows the key was requested, in milliseconds on the high-water mark; `undefined` if
 * none was.
 */
export function isLeaving(
  { outbox, freed = [] }: Vault,
  key: { readonly licenseId: string; readonly keyId: string },
  seenAtMs: number | undefined,
  nowMs: number,
): boolean {
  if (seenAtMs === undefined) return false
  return (
    outbox.some((release) => mayStillFree(release, key, nowMs)) ||
    freed.some((one) => isSameRelease(one, key) && one.atMs + dateImprecisionMs >= seenAtMs)
  )
}

/** Returns the vault with this key among those that were freed recently. */
export function withFreed(vault: Vault, { licenseId, keyId }: KeyReference, nowMs: number): Vault {
  if (keyId === null) return vault
  const recent = (vault.freed ?? []).filter(({ atMs }) => nowMs - atMs < longestDeliveryMs)
  return { ...vault, freed: [...recent, { licenseId, keyId, atMs: nowMs }] }
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

/** Whether an entry of the outbox frees this key. Its license key may be written in another way, or have been replaced. */
export function isOfKey(release: PendingRelease, keyId: string): release is KnownRelease {
  return release.keyId !== null && isSameId(release.keyId, keyId)
}

/** A seat to free that has a release code. */
export type ReleaseWithCode = KnownRelease & { readonly releaseLink: string }

/** A seat to free whose release code couldn't be made yet. */
export type ReleaseWithoutCode = KnownRelease & { readonly unmadeCode: OfflineRelease }

/** Returns the seats whose release code couldn't be made yet. */
export function releasesWithoutCode({ outbox }: Vault): readonly ReleaseWithoutCode[] {
  return outbox.filter(
    (release): release is ReleaseWithoutCode => 'unmadeCode' in release && release.unmadeCode !== undefined,
  )
}

function hasCode(release: PendingRelease): release is ReleaseWithCode {
  return 'releaseLink' in release && release.releaseLink !== undefined
}

/** Whether this entry has a release code for the key. Such a code would free the key while it is in use. */
export function hasReleaseCode(
  release: PendingRelease,
  key: { readonly licenseId: string; readonly keyId: string },
): boolean {
  return hasCode(release) && isSameRelease(release, key)
}

/** IDs of this license's keys whose release codes may still be used. */
export function keysWithReleaseCode({ outbox }: Vault, licenseId: string): readonly string[] {
  const queued = outbox.filter(hasCode).filter((release) => isSameId(release.licenseId, licenseId))
  return queued.map(({ keyId }) => keyId)
}

/**
 * Returns the seats that only a release code can free from here, the one that was queued last first. A license has at
 * most one: the page frees its earlier seats before it answers a later request. The license in use has none.
 */
export function releasesToShow({ activation, outbox }: Vault): readonly ReleaseWithCode[] {
  const latest = outbox.filter(hasCode).toReversed()
  return latest.filter(({ licenseId }, index) => {
    const isInUse = activation !== null && isSameId(activation.licenseId, licenseId)
    return !isInUse && latest.findIndex((release) => isSameId(release.licenseId, licenseId)) === index
  })
}

/** Returns the vault with this release code for its seat, or with what it is made of, if the seat is still queued. */
export function withReleaseCode(
  vault: Vault,
  { releaseLink, unmadeCode, ...release }: ReleaseWithCode | ReleaseWithoutCode,
): Vault {
  const outbox = vault.outbox.map((queued) =>
    queued.keyId !== null && isSameRelease(queued, release) ? { ...queued, releaseLink, unmadeCode } : queued,
  )
  return { ...vault, outbox }
}
