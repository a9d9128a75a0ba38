import type { LicensingEvent } from './licensing-event.ts'
import {
  afterRefusedList,
  askedToday,
  pendingOf,
  searchAfterActivation,
  searchAfterList,
  searchOf,
  withoutSearch,
  withSearch,
} from './orphan-search.ts'
import {
  afterRefusedRelease,
  afterUnknownRelease,
  isLeaving,
  isSameRelease,
  longestDeliveryMs,
  proofAfterMs,
  withEntry,
  withFreed,
  withReleaseCode,
} from './outbox-entries.ts'
import { withProvenEnd } from './proven-end.ts'
import type { Reading } from './reading.ts'
import { restateTime } from './restate-time.ts'
import { isSameId } from './same-id.ts'
import { abandonPending, activated, signedOut, withoutPending, withReleases } from './seats/seat-changes.ts'
import { confirmed, isOfOtherService, leftWithOther } from './seats/service-of-record.ts'
import { storedLease } from './stored-lease.ts'
import { type ActivationRecord, type PendingActivation, toldTerms, type Vault } from './vault.ts'

/**
 * The state machine: returns what this device remembers after an event. Pure; `nowMs` is the high-water mark.
 *
 * It enforces two rules: an inconclusive answer changes nothing, and a seat that may be taken is never forgotten. It
 * stays in the record, in the pending activation, or in the outbox.
 */
export function decide(vault: Vault, event: LicensingEvent, nowMs: number): Vault {
  switch (event.type) {
    case 'activation-requested':
      return asked(vault, event.licenseId, nowMs)
    case 'offline-requested': {
      const { licenseId, nonce, secret } = event
      return { ...vault, offlineRequest: { licenseId, nonce, secret, requestedAtMs: nowMs } }
    }
    case 'activation-sent':
      return sent(vault, event.licenseId, event.seatsBefore, nowMs)
    case 'activation-unanswered':
      return unanswered(vault, event.licenseId, nowMs)
    case 'activation-not-sent':
      return notSent(vault, event.licenseId)
    case 'activation-canceled':
      // Another process may have asked for another license since.
      return pendingOf(vault, event.licenseId) === null ? vault : abandonPending(vault)
    case 'activation-refused': {
      const { licenseId, unusedKeyId, evidence } = event
      const search = askedToday(searchAfterActivation(vault, licenseId, evidence, nowMs), nowMs)
      const outbox = withReleases(vault, vault.outbox, licenseId, unusedKeyId === null ? [] : [unusedKeyId])
      return {
        ...vault,
        pending: withoutPending(vault, licenseId),
        outbox: withSearch(outbox, licenseId, search),
      }
    }
    case 'activated': {
      const { record, seenAtMs, duplicateKeyIds, evidence, code } = event
      if (isLeaving(vault, record, seenAtMs, nowMs)) {
        const again = searchOf(vault, record.licenseId) ?? { lateUntilMs: null }
        return { ...vault, outbox: withSearch(vault.outbox, record.licenseId, again) }
      }
      const search = searchAfterActivation(vault, record.licenseId, evidence, nowMs)
      const next = activated(vault, record, duplicateKeyIds, search, nowMs)
      return code === undefined ? next : withReleaseCode(next, code)
    }
    case 'answered':
      return vault.activation !== null && isSameId(vault.activation.keyId, event.keyId)
        ? { ...vault, activation: answered(vault.activation, event.reading, nowMs) }
        : vault
    case 'kept-oldest': {
      const { activation } = vault
      const { licenseId, keyId, fingerprint, seenAtMs, reading, duplicateKeyIds } = event
      if (activation === null || !isSameId(activation.licenseId, licenseId)) {
        // Another process signed out or activated another license meanwhile, so none of these keys is in use.
        const unused = withReleases(vault, vault.outbox, licenseId, [keyId, ...duplicateKeyIds])
        return { ...vault, outbox: unused }
      }
      // The next search shows what is left.
      if (isLeaving(vault, { licenseId, keyId }, seenAtMs, nowMs)) return vault
      const record =
        reading === null
          ? activation
          : answered(
              { ...activation, keyId, fingerprint, lease: undefined, offline: undefined },
              reading,
              nowMs,
            )
      const search = searchAfterList(vault, licenseId, nowMs)
      return activated(vault, record, duplicateKeyIds, search, nowMs)
    }
    case 'deactivated':
      return signedOut(vault, event, nowMs)
    case 'release-code-made':
      return withReleaseCode(vault, event.code)
    case 'device-released':
      return { ...vault, activation: vault.activation && withOneFewer(vault.activation, event.licenseId) }
    case 'seat-freed': {
      const { release } = event
      const outbox = vault.outbox.filter((queued) => !isSameRelease(queued, release))
      const search = searchAfterList(vault, release.licenseId, nowMs)
      const left = { ...vault, outbox: withSearch(outbox, release.licenseId, search) }
      return outbox.length < vault.outbox.length ? withFreed(left, release, nowMs) : left
    }
    case 'release-sent':
    case 'release-unanswered': {
      const lateUntilMs = nowMs + longestDeliveryMs
      return withEntry(vault, { ...event.release, lateUntilMs })
    }
    case 'release-refused':
      return withEntry(vault, afterRefusedRelease(event.release, nowMs))
    case 'unused-keys-found': {
      const { licenseId, keyIds } = event
      const search = searchAfterList(vault, licenseId, nowMs)
      const outbox = withReleases(vault, withoutSearch(vault.outbox, licenseId), licenseId, keyIds)
      return { ...vault, outbox: withSearch(outbox, licenseId, search) }
    }
    case 'list-refused':
      return { ...vault, outbox: afterRefusedList(vault.outbox, event.licenseId, event.isDenied, nowMs) }
    case 'release-unknown':
      return { ...vault, outbox: afterUnknownRelease(vault.outbox, event.release, event.reason, nowMs) }
    case 'found-on-another-device':
      return {
        ...vault,
        activation: null,
        pending: null,
        offlineRequest: undefined,
        outbox: [],
        freed: undefined,
        unopened: undefined,
      }
    case 'record-replaced':
      return vault.unopened?.document === event.document
        ? vault
        : { ...vault, unopened: { document: event.document, isSignedOut: false } }
    case 'record-opened':
      return vault.unopened?.document === event.document
        ? event.takenOver(vault, event.earlier, vault.unopened.isSignedOut, nowMs)
        : vault
    case 'trial-started':
      return vault.trialStartedAtMs === null ? { ...vault, trialStartedAtMs: nowMs } : vault
    case 'time-stated':
      return restateTime(vault, event.movedMs, nowMs)
  }
}

type WithPending = Vault & { readonly pending: PendingActivation }

/** A repeated activation inherits the search for a key that an earlier request may have left. */
function requested(vault: Vault, licenseId: string, nowMs: number): WithPending {
  const lateUntilMs = searchOf(vault, licenseId)?.lateUntilMs ?? null
  // A search without a late request stays queued, because the activation may end without reading the list.
  const outbox = lateUntilMs === null ? vault.outbox : withoutSearch(vault.outbox, licenseId)
  return { ...vault, outbox, pending: { licenseId, requestedAtMs: nowMs, lateUntilMs } }
}

/** If the user asks again, they still want it, regardless of how long it has been pending. */
function asked(vault: Vault, licenseId: string, nowMs: number): Vault {
  const pending = pendingOf(vault, licenseId)
  return pending === null
    ? requested(abandonPending(vault), licenseId, nowMs)
    : { ...vault, pending: { ...pending, requestedAtMs: nowMs } }
}

/** Another process may have dropped the pending activation. It must be on record before a seat can be taken. */
function sent(vault: Vault, licenseId: string, seatsBefore: number | null | undefined, nowMs: number): Vault {
  const known = pendingOf(vault, licenseId)
  const base: WithPending =
    known === null ? requested(abandonPending(vault), licenseId, nowMs) : { ...vault, pending: known }
  const { earlierUntilMs: _, seatsBefore: __, ...pending } = base.pending
  const earlier = pending.lateUntilMs === null ? {} : { earlierUntilMs: pending.lateUntilMs }
  const seats = typeof seatsBefore === 'number' ? { seatsBefore } : {}
  return { ...base, pending: { ...pending, lateUntilMs: nowMs + longestDeliveryMs, ...earlier, ...seats } }
}

function unanswered(vault: Vault, licenseId: string, nowMs: number): Vault {
  const pending = pendingOf(vault, licenseId)
  const lateUntilMs = nowMs + longestDeliveryMs
  return pending === null
    ? { ...vault, outbox: withSearch(vault.outbox, licenseId, { lateUntilMs }) }
    : { ...vault, pending: { ...pending, lateUntilMs } }
}

function notSent(vault: Vault, licenseId: string): Vault {
  const pending = pendingOf(vault, licenseId)
  if (pending === null) return vault
  const { earlierUntilMs = null, ...kept } = pending
  return { ...vault, pending: { ...kept, lateUntilMs: earlierUntilMs } }
}

function answered(record: ActivationRecord, reading: Reading, nowMs: number): ActivationRecord {
  // It is proven already that the service in use doesn't know the activation.
  if (isOfOtherService(record) && reading.kind !== 'licensed') return record
  switch (reading.kind) {
    case 'undecided':
      return record
    case 'unknown': {
      const { unknown } = record
      const { reason, verdict = 'revoked' } = reading
      if (unknown === undefined || unknown.reason !== reason) {
        return { ...record, unknown: { reason, sinceMs: nowMs } }
      }
      if (nowMs - unknown.sinceMs < proofAfterMs) return record
      if (record.isUnconfirmed) return leftWithOther(record)
      const license = verdict === 'revoked' ? record.license : { ...record.license, status: verdict }
      return { ...record, license, verdict, decidedAtMs: nowMs, revokedAtMs: undefined, unknown: undefined }
    }
    case 'revoked':
      if (record.isUnconfirmed) return leftWithOther(record)
      return {
        ...record,
        verdict: 'revoked',
        decidedAtMs: nowMs,
        revokedAtMs: record.verdict === 'revoked' ? record.revokedAtMs : nowMs,
        unknown: undefined,
      }
    case 'licensed': {
      // Plan and features stay until another answer reports them.
      const license = { ...toldTerms(record.license), ...reading.license }
      return {
        ...confirmed(record),
        license: reading.verdict === 'expired' ? withProvenEnd(license, record, nowMs) : license,
        verdict: reading.verdict,
        decidedAtMs: nowMs,
        revokedAtMs: undefined,
        validAtMs: reading.verdict === 'valid' ? nowMs : record.validAtMs,
        unknown: undefined,
        // The key was renamed at the service. A lease signed for this device earlier stays valid until it ends.
        lease:
          storedLease(reading.lease, record.fingerprint, reading.verdict) ??
          (reading.verdict === 'valid' ? record.lease : undefined),
      }
    }
  }
}

/** The license facts after another of its devices was released, until the service states them again. */
function withOneFewer(record: ActivationRecord, licenseId: string): ActivationRecord {
  const { license } = record
  if (!isSameId(record.licenseId, licenseId) || license.activationUsage === null) return record
  return { ...record, license: { ...license, activationUsage: Math.max(0, license.activationUsage - 1) } }
}
