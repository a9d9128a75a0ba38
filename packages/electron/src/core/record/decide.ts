import type { LicensingEvent } from './licensing-event.ts'
import {
  afterUnknownRelease,
  isOrphanSearch,
  isSameRelease,
  longestDeliveryMs,
  type OrphanSearch,
  orphanSearchOf,
  proofAfterMs,
  stillLate,
  withEntry,
  withOrphanSearch,
  withRelease,
} from './outbox-entries.ts'
import type { Reading } from './reading.ts'
import { restateTime } from './restate-time.ts'
import { isInDoubt } from './revocation.ts'
import { isSameId } from './same-id.ts'
import { storedLease } from './stored-lease.ts'
import type { ActivationRecord, PendingRelease, Vault } from './vault.ts'

/**
 * The state machine: returns what this device remembers after an event. Pure; `nowMs` is the high-water mark.
 *
 * It enforces two rules: an inconclusive answer changes nothing, and a seat that may be taken is never forgotten. It
 * stays in the record, in the pending activation, or in the outbox.
 */
export function decide(vault: Vault, event: LicensingEvent, nowMs: number): Vault {
  switch (event.type) {
    case 'activation-requested':
      // The user asked again and still wants it, regardless of how long it has been pending.
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
      let outbox: readonly PendingRelease[] = vault.outbox.filter(
        (queued) => !isOrphanSearch(queued, licenseId),
      )
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
      return restateTime(vault, event.movedMs, nowMs)
  }
}

/** A repeated activation inherits the search for a key that an earlier request may have left. */
function requested(vault: Vault, licenseId: string, nowMs: number): Vault {
  const lateUntilMs = orphanSearchOf(vault, licenseId)?.lateUntilMs ?? null
  // A search without a late request stays queued, because the activation may end without reading the list.
  const outbox =
    lateUntilMs === null ? vault.outbox : vault.outbox.filter((queued) => !isOrphanSearch(queued, licenseId))
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
  // The new record replaces queued releases of this key, and of unknown keys of this license.
  let outbox: readonly PendingRelease[] = vault.outbox.filter(
    (release) => !isOrphanSearch(release, licenseId) && !isSameRelease(release, record),
  )
  for (const duplicateId of duplicateKeyIds) {
    // Never free this device's own seat. The list may write its id in another case.
    if (!isSameId(duplicateId, keyId)) outbox = withRelease(outbox, { licenseId, keyId: duplicateId })
  }
  // The same activation under another license key is the seat in use.
  const isOtherSeat = previous !== null && !isSameId(previous.keyId, keyId)
  if (isOtherSeat && previous.verdict !== 'revoked') {
    outbox = withRelease(outbox, previous)
  }
  const pending =
    vault.pending !== null && isSameId(vault.pending.licenseId, licenseId) ? null : vault.pending
  // An outdated copy of the service's data may list the previous key a little later.
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
        // The key was renamed at the service. A lease signed for this device earlier stays valid until it ends.
        lease:
          storedLease(reading.lease, record.fingerprint) ??
          (reading.verdict === 'valid' ? record.lease : undefined),
      }
  }
}

/** The license facts after another of its devices was released, until the service states them again. */
function withOneFewer(record: ActivationRecord, licenseId: string): ActivationRecord {
  const { license } = record
  if (!isSameId(record.licenseId, licenseId) || license.activationUsage === null) return record
  return { ...record, license: { ...license, activationUsage: Math.max(0, license.activationUsage - 1) } }
}

/** Drops the pending activation, and queues any seat it may have taken to be freed. */
function abandonPending(vault: Vault): Vault {
  const { pending } = vault
  if (pending === null) return vault
  const orphanSearch = pending.lateUntilMs === null ? null : { lateUntilMs: pending.lateUntilMs }
  return { ...vault, pending: null, outbox: withOrphanSearch(vault.outbox, pending.licenseId, orphanSearch) }
}
