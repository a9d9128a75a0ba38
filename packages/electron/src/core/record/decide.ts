import { clockToleranceMs } from '../time/high-water-mark.ts'
import type { LicensedReading, Reading } from '../service/read-answer.ts'
import { isInDoubt } from './revocation.ts'
import { isSameId } from './same-id.ts'
import { storedLease } from './stored-lease.ts'
import type { ActivationRecord, KnownRelease, PendingRelease, Vault } from './vault.ts'

/** Something that changes what this device remembers. */
export type LicensingEvent =
  | { readonly type: 'activation-requested'; readonly licenseId: string }
  /** A request that may take a seat is sent now, or its sender gave up waiting for the answer. */
  | { readonly type: 'activation-sent' | 'activation-unanswered' }
  /** It is proven that the request took no seat; `lateUntilMs` as it was before it was sent. */
  | { readonly type: 'activation-not-sent'; readonly lateUntilMs: number | null }
  | {
      readonly type: 'activation-refused'
      /** A key that was found or made on the way and is not going to be used. */
      readonly unusedKeyId: string | null
      readonly orphanSearch: OrphanSearch
    }
  | {
      readonly type: 'activated'
      readonly record: ActivationRecord
      /** Other keys of this license that bear this device's fingerprint: their seats go back. */
      readonly duplicateKeyIds: readonly string[]
      readonly orphanSearch: OrphanSearch
    }
  | { readonly type: 'answered'; readonly keyId: string; readonly reading: Reading }
  | {
      readonly type: 'kept-oldest'
      readonly keyId: string
      /** What the service says of that key, where it is not the one on record. */
      readonly reading: LicensedReading | null
      readonly duplicateKeyIds: readonly string[]
    }
  | { readonly type: 'deactivated' }
  /** Another device's seat of this license was freed from here. */
  | { readonly type: 'device-released'; readonly licenseId: string }
  | { readonly type: 'seat-freed'; readonly release: PendingRelease }
  /** A DELETE is sent now, or its sender gave up waiting for the answer. */
  | { readonly type: 'release-sent' | 'release-unanswered'; readonly release: KnownRelease }
  /** A DELETE was answered and freed nothing; `release` is the entry from before it was sent. */
  | { readonly type: 'release-refused'; readonly release: KnownRelease }
  /** Keys of this device that nobody uses were found in the list: their seats go back. */
  | { readonly type: 'unused-keys-found'; readonly licenseId: string; readonly keyIds: readonly string[] }
  /** The service, which has no list, doesn't know the activation that is to be freed. */
  | { readonly type: 'release-unknown'; readonly release: PendingRelease }
  | { readonly type: 'found-on-another-device' }
  | { readonly type: 'trial-started' }
  /** The service named the time; `movedMs` is how far that moved the high-water mark, in milliseconds. */
  | { readonly type: 'time-stated'; readonly movedMs: number }

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

/**
 * The state machine: what this device remembers after an event. Pure; `nowMs` is the high-water mark.
 *
 * Two rules live here and nowhere else: an undecided answer changes nothing, and a seat that may be taken is
 * never forgotten: it is in the record, in the pending activation, or in the outbox.
 */
export function decide(vault: Vault, event: LicensingEvent, nowMs: number): Vault {
  switch (event.type) {
    case 'activation-requested':
      // Asked for again, it is wanted still, however long it has been pending.
      return vault.pending !== null && isSameId(vault.pending.licenseId, event.licenseId)
        ? { ...vault, pending: { ...vault.pending, requestedAtMs: nowMs } }
        : requested(abandonPending(vault), event.licenseId, nowMs)
    case 'activation-sent':
    case 'activation-unanswered':
      return vault.pending === null
        ? vault
        : { ...vault, pending: { ...vault.pending, lateUntilMs: nowMs + longestDeliveryMs } }
    case 'activation-not-sent':
      return vault.pending === null
        ? vault
        : { ...vault, pending: { ...vault.pending, lateUntilMs: event.lateUntilMs } }
    case 'activation-refused': {
      const { pending } = vault
      if (pending === null) return vault
      const { licenseId } = pending
      const { unusedKeyId } = event
      const outbox =
        unusedKeyId === null ? vault.outbox : withRelease(vault.outbox, { licenseId, keyId: unusedKeyId })
      return { ...vault, pending: null, outbox: withOrphanSearch(outbox, licenseId, event.orphanSearch) }
    }
    case 'activated':
      return activated(vault, event.record, event.duplicateKeyIds, event.orphanSearch, nowMs)
    case 'answered':
      return vault.activation !== null && isSameId(vault.activation.keyId, event.keyId)
        ? { ...vault, activation: answered(vault.activation, event.reading, nowMs) }
        : vault
    case 'kept-oldest': {
      const { activation } = vault
      if (activation === null) return vault
      const { keyId, reading, duplicateKeyIds } = event
      const record =
        reading === null ? activation : answered({ ...activation, keyId, lease: undefined }, reading, nowMs)
      const late = stillLate(vault, activation.licenseId, nowMs)
      return activated(vault, record, duplicateKeyIds, late, nowMs)
    }
    case 'deactivated': {
      const left = abandonPending(vault)
      return left.activation === null
        ? left
        : { ...left, activation: null, outbox: withRelease(left.outbox, left.activation) }
    }
    case 'device-released':
      return { ...vault, activation: vault.activation && withOneFewer(vault.activation, event.licenseId) }
    case 'seat-freed': {
      const { release } = event
      const outbox = vault.outbox.filter((queued) => !isSameRelease(queued, release))
      const late = stillLate(vault, release.licenseId, nowMs)
      return { ...vault, outbox: withOrphanSearch(outbox, release.licenseId, late) }
    }
    case 'release-sent':
    case 'release-unanswered': {
      const lateUntilMs = nowMs + longestDeliveryMs
      return withEntry(vault, { ...event.release, lateUntilMs })
    }
    case 'release-refused':
      return withEntry(vault, event.release)
    case 'unused-keys-found': {
      const { licenseId, keyIds } = event
      const late = stillLate(vault, licenseId, nowMs)
      let outbox: readonly PendingRelease[] = vault.outbox.filter((queued) => !isOrphanSearch(queued, licenseId))
      for (const keyId of keyIds) outbox = withRelease(outbox, { licenseId, keyId })
      return { ...vault, outbox: withOrphanSearch(outbox, licenseId, late) }
    }
    case 'release-unknown':
      return { ...vault, outbox: afterUnknownRelease(vault.outbox, event.release, nowMs) }
    case 'found-on-another-device':
      return { ...vault, activation: null, pending: null, outbox: [] }
    case 'trial-started':
      return vault.trialStartedAtMs === null ? { ...vault, trialStartedAtMs: nowMs } : vault
    case 'time-stated':
      return byStatedTime(vault, event.movedMs, nowMs)
  }
}

/** An activation asked for again takes over the search for what an earlier one may have left. */
function requested(vault: Vault, licenseId: string, nowMs: number): Vault {
  const lateUntilMs = orphanSearchOf(vault, licenseId)?.lateUntilMs ?? null
  const outbox = vault.outbox.filter((queued) => !isOrphanSearch(queued, licenseId))
  return { ...vault, outbox, pending: { licenseId, requestedAtMs: nowMs, lateUntilMs } }
}

function activated(
  vault: Vault,
  record: ActivationRecord,
  duplicateKeyIds: readonly string[],
  orphanSearch: OrphanSearch,
  nowMs: number,
): Vault {
  const { licenseId, keyId } = record
  const previous = vault.activation
  // What was queued for this key, or for whatever key this license had here, is settled by the new record.
  let outbox: readonly PendingRelease[] = vault.outbox.filter(
    (release) => !isOrphanSearch(release, licenseId) && !isSameRelease(release, record),
  )
  for (const duplicateId of duplicateKeyIds) {
    // Never its own seat, in whatever case the list writes the id.
    if (!isSameId(duplicateId, keyId)) outbox = withRelease(outbox, { licenseId, keyId: duplicateId })
  }
  // The same activation under another license key is the seat in use.
  const isOtherSeat = previous !== null && !isSameId(previous.keyId, keyId)
  if (isOtherSeat && previous.verdict !== 'revoked') {
    outbox = withRelease(outbox, previous)
  }
  const pending =
    vault.pending !== null && isSameId(vault.pending.licenseId, licenseId) ? null : vault.pending
  // A copy of the service that lagged behind may list the previous key a little later.
  const mayTurnUp = previous !== null && isInDoubt(previous, nowMs) && isSameId(previous.licenseId, licenseId)
  const look = mayTurnUp ? { lateUntilMs: nowMs + longestDeliveryMs } : orphanSearch
  return { ...vault, activation: record, pending, outbox: withOrphanSearch(outbox, licenseId, look) }
}

function answered(record: ActivationRecord, reading: Reading, nowMs: number): ActivationRecord {
  switch (reading.kind) {
    case 'undecided':
      return record
    case 'unknown': {
      const { unknown } = record
      if (unknown === undefined || unknown.reason !== reading.reason) {
        return { ...record, unknown: { reason: reading.reason, sinceMs: nowMs } }
      }
      return nowMs - unknown.sinceMs < proofAfterMs
        ? record
        : { ...record, verdict: 'revoked', decidedAtMs: nowMs, revokedAtMs: undefined, unknown: undefined }
    }
    case 'revoked':
      return {
        ...record,
        verdict: 'revoked',
        decidedAtMs: nowMs,
        revokedAtMs: record.verdict === 'revoked' ? record.revokedAtMs : nowMs,
        unknown: undefined,
      }
    case 'licensed':
      return {
        ...record,
        license: reading.license,
        verdict: reading.verdict,
        decidedAtMs: nowMs,
        revokedAtMs: undefined,
        validAtMs: reading.verdict === 'valid' ? nowMs : record.validAtMs,
        unknown: undefined,
        // The key was renamed at the service: what was signed for this device before holds to its end.
        lease:
          storedLease(reading.lease, record.fingerprint) ??
          (reading.verdict === 'valid' ? record.lease : undefined),
      }
  }
}

/** The license's facts after one of its other devices was released, until the service states them again. */
function withOneFewer(record: ActivationRecord, licenseId: string): ActivationRecord {
  const { license } = record
  if (!isSameId(record.licenseId, licenseId) || license.activationUsage === null) return record
  return { ...record, license: { ...license, activationUsage: Math.max(0, license.activationUsage - 1) } }
}

/** Drops the pending activation; a seat it may have taken is queued to be freed. */
function abandonPending(vault: Vault): Vault {
  const { pending } = vault
  if (pending === null) return vault
  const orphanSearch = pending.lateUntilMs === null ? null : { lateUntilMs: pending.lateUntilMs }
  return { ...vault, pending: null, outbox: withOrphanSearch(vault.outbox, pending.licenseId, orphanSearch) }
}

function withRelease(
  outbox: readonly PendingRelease[],
  { licenseId, keyId }: { readonly licenseId: string; readonly keyId: string },
): readonly PendingRelease[] {
  const release = { licenseId, keyId }
  return outbox.some((queued) => isSameRelease(queued, release)) ? outbox : [...outbox, release]
}

/** The vault with this very entry for its seat, where there still is one. */
function withEntry(vault: Vault, release: KnownRelease): Vault {
  const outbox = vault.outbox.map((queued) => (isSameRelease(queued, release) ? release : queued))
  return { ...vault, outbox }
}

function withOrphanSearch(
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
function afterUnknownRelease(
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

function orphanSearchOf(vault: Vault, licenseId: string): OrphanSearch {
  for (const queued of vault.outbox) {
    if (queued.keyId === null && isSameId(queued.licenseId, licenseId)) return queued
  }
  return null
}

/** What is left to look for after a look at the list just now. */
function stillLate(vault: Vault, licenseId: string, nowMs: number): OrphanSearch {
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

function isOrphanSearch({ licenseId, keyId }: KeyReference, lookedAtId: string): boolean {
  return keyId === null && isSameId(licenseId, lookedAtId)
}

function isSameRelease(one: KeyReference, other: KeyReference): boolean {
  if (!isSameId(one.licenseId, other.licenseId)) return false
  return one.keyId === null || other.keyId === null
    ? one.keyId === other.keyId
    : isSameId(one.keyId, other.keyId)
}

/**
 * What is remembered, by the time the service stated. Back in time: nothing can have happened after that moment.
 * Forward: nothing gets older by it, so that one wrong `Date` uses up nobody's grace.
 */
function byStatedTime(vault: Vault, movedMs: number, nowMs: number): Vault {
  const { activation, pending, trialStartedAtMs } = vault
  const forwardMs = movedMs > clockToleranceMs ? movedMs : 0
  const past = (ms: number): number => Math.min(ms + forwardMs, nowMs)
  const soon = (ms: number): number => past(ms - longestDeliveryMs) + longestDeliveryMs
  return {
    ...vault,
    activation: activation && {
      ...activation,
      activatedAtMs: past(activation.activatedAtMs),
      decidedAtMs: past(activation.decidedAtMs),
      ...(activation.revokedAtMs === undefined ? {} : { revokedAtMs: past(activation.revokedAtMs) }),
      validAtMs: past(activation.validAtMs),
      ...(activation.unknown !== undefined && {
        unknown: { ...activation.unknown, sinceMs: past(activation.unknown.sinceMs) },
      }),
    },
    pending: pending && {
      ...pending,
      requestedAtMs: past(pending.requestedAtMs),
      lateUntilMs: pending.lateUntilMs === null ? null : soon(pending.lateUntilMs),
    },
    outbox: vault.outbox.map((release) => {
      if (release.keyId === null) {
        return { ...release, lateUntilMs: release.lateUntilMs === null ? null : soon(release.lateUntilMs) }
      }
      const { lateUntilMs, unknownSinceMs } = release
      return {
        ...release,
        ...(lateUntilMs !== undefined && { lateUntilMs: soon(lateUntilMs) }),
        ...(unknownSinceMs !== undefined && { unknownSinceMs: past(unknownSinceMs) }),
      }
    }),
    trialStartedAtMs: trialStartedAtMs === null ? null : past(trialStartedAtMs),
  }
}
