import type { Reading } from './read-answer.ts'
import type { ActivationRecord, PendingRelease, Vault } from './vault.ts'

/** Something that changes what this device remembers. */
export type LicensingEvent =
  | { readonly type: 'activation-requested'; readonly licenseId: string }
  | { readonly type: 'activation-sent' }
  | {
      readonly type: 'activation-refused'
      /** A key that was found or made on the way and is not going to be used. */
      readonly unusedKeyId: string | null
    }
  | {
      readonly type: 'activated'
      readonly record: ActivationRecord
      /** Other keys of this license that bear this device's fingerprint: their seats go back. */
      readonly duplicateKeyIds: readonly string[]
      /** Whether the keys could not be listed afterwards, so that a duplicate may still be out there. */
      readonly mayHaveDuplicates: boolean
    }
  | { readonly type: 'answered'; readonly keyId: string; readonly reading: Reading }
  | { readonly type: 'kept-oldest'; readonly keyId: string; readonly duplicateKeyIds: readonly string[] }
  | { readonly type: 'deactivated' }
  | { readonly type: 'seat-freed'; readonly release: PendingRelease }
  | { readonly type: 'found-on-another-device' }
  | { readonly type: 'trial-started' }

/**
 * The state machine: what this device remembers after an event. Pure; `nowMs` is the high-water mark.
 *
 * Two rules live here and nowhere else: an undecided answer changes nothing, and a seat that may be taken is
 * never forgotten: it is in the record, in the pending activation, or in the outbox.
 */
export function decide(vault: Vault, event: LicensingEvent, nowMs: number): Vault {
  switch (event.type) {
    case 'activation-requested': {
      const { licenseId } = event
      if (vault.pending?.licenseId === licenseId) return vault
      return {
        ...abandonPending(vault),
        pending: { licenseId, requestedAtMs: nowMs, isSent: false },
      }
    }
    case 'activation-sent':
      return vault.pending === null ? vault : { ...vault, pending: { ...vault.pending, isSent: true } }
    case 'activation-refused': {
      const { pending } = vault
      if (pending === null) return vault
      const unused = { licenseId: pending.licenseId, keyId: event.unusedKeyId }
      return {
        ...vault,
        pending: null,
        outbox: event.unusedKeyId === null ? vault.outbox : withRelease(vault.outbox, unused),
      }
    }
    case 'activated':
      return activated(vault, event.record, event.duplicateKeyIds, event.mayHaveDuplicates)
    case 'answered':
      return vault.activation?.keyId === event.keyId
        ? { ...vault, activation: answered(vault.activation, event.reading, nowMs) }
        : vault
    case 'kept-oldest': {
      const { activation } = vault
      if (activation === null) return vault
      return activated(vault, { ...activation, keyId: event.keyId }, event.duplicateKeyIds, false)
    }
    case 'deactivated': {
      const left = abandonPending(vault)
      return left.activation === null
        ? left
        : { ...left, activation: null, outbox: withRelease(left.outbox, left.activation) }
    }
    case 'seat-freed':
      return { ...vault, outbox: vault.outbox.filter((release) => !isSameRelease(release, event.release)) }
    case 'found-on-another-device':
      return { ...vault, activation: null, pending: null, outbox: [] }
    case 'trial-started':
      return vault.trialStartedAtMs === null ? { ...vault, trialStartedAtMs: nowMs } : vault
  }
}

function activated(
  vault: Vault,
  record: ActivationRecord,
  duplicateKeyIds: readonly string[],
  mayHaveDuplicates: boolean,
): Vault {
  const { licenseId, keyId } = record
  const previous = vault.activation
  // What was queued for this key, or for whatever key this license had here, is settled by the new record.
  let outbox: readonly PendingRelease[] = vault.outbox.filter(
    (release) => release.licenseId !== licenseId || (release.keyId !== null && release.keyId !== keyId),
  )
  for (const duplicateId of duplicateKeyIds) outbox = withRelease(outbox, { licenseId, keyId: duplicateId })
  if (previous !== null && previous.keyId !== keyId && previous.verdict !== 'revoked') {
    outbox = withRelease(outbox, previous)
  }
  if (mayHaveDuplicates) outbox = withRelease(outbox, { licenseId, keyId: null })
  const pending = vault.pending?.licenseId === licenseId ? null : vault.pending
  return { ...vault, activation: record, pending, outbox }
}

function answered(record: ActivationRecord, reading: Reading, nowMs: number): ActivationRecord {
  switch (reading.kind) {
    case 'undecided':
      return record
    case 'revoked':
      return { ...record, verdict: 'revoked', decidedAtMs: nowMs }
    case 'licensed':
      return {
        ...record,
        license: reading.license,
        verdict: reading.verdict,
        decidedAtMs: nowMs,
        validAtMs: reading.verdict === 'valid' ? nowMs : record.validAtMs,
      }
  }
}

/** Drops the pending activation; a seat it may have taken is queued to be freed. */
function abandonPending(vault: Vault): Vault {
  const { pending } = vault
  if (pending === null) return vault
  const isOrphan = pending.isSent && vault.activation?.licenseId !== pending.licenseId
  return {
    ...vault,
    pending: null,
    outbox: isOrphan
      ? withRelease(vault.outbox, { licenseId: pending.licenseId, keyId: null })
      : vault.outbox,
  }
}

function withRelease(outbox: readonly PendingRelease[], release: PendingRelease): readonly PendingRelease[] {
  const { licenseId, keyId } = release
  return outbox.some((queued) => isSameRelease(queued, release)) ? outbox : [...outbox, { licenseId, keyId }]
}

function isSameRelease(one: PendingRelease, other: PendingRelease): boolean {
  return one.licenseId === other.licenseId && one.keyId === other.keyId
}
