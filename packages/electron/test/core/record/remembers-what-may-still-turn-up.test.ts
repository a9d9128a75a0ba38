import { describe, expect, test } from 'vitest'
import { decide } from '../../../src/core/record/decide.ts'
import type { LicensingEvent, ListEvidence, SeatEvidence } from '../../../src/core/record/licensing-event.ts'
import { longestDeliveryMs } from '../../../src/core/record/outbox-entries.ts'
import {
  type ActivationRecord,
  emptyVault,
  type PendingRelease,
  type Vault,
} from '../../../src/core/record/vault.ts'

const nowMs = 1_000_000_000
const licenseId = 'license-a'
const record: ActivationRecord = {
  licenseId,
  keyId: 'key-1',
  fingerprint: '0123456789abcdef',
  activatedAtMs: nowMs,
  verdict: 'valid',
  decidedAtMs: nowMs,
  validAtMs: nowMs,
  license: { activationLimit: 3, activationUsage: 1, expiresAt: null, suspendedAt: null, status: 'ACTIVE' },
}
const earlierUntilMs = nowMs + 3
const lateUntilMs = nowMs + 9
const search = (untilMs: number | null, refusedSinceMs?: number, askedAtMs?: number): PendingRelease => ({
  licenseId,
  keyId: null,
  lateUntilMs: untilMs,
  ...(refusedSinceMs !== undefined && { refusedSinceMs }),
  ...(askedAtMs !== undefined && { askedAtMs }),
})
const read: ListEvidence = { kind: 'read', askedAtMs: nowMs }

/** The search that follows an activation with this evidence. */
function left(evidence: Partial<SeatEvidence>, before: Partial<Vault> = {}): readonly PendingRelease[] {
  const pending = { licenseId, requestedAtMs: nowMs, lateUntilMs, earlierUntilMs }
  const known: SeatEvidence = { isAnswered: true, list: read, mustReadAgain: false, ...evidence }
  const vault: Vault = { ...emptyVault, pending, ...before }
  const activated: LicensingEvent = { type: 'activated', record, duplicateKeyIds: [], evidence: known }
  const refused: LicensingEvent = {
    type: 'activation-refused',
    licenseId,
    unusedKeyId: null,
    evidence: known,
  }
  const { outbox } = decide(vault, activated, nowMs)
  // After a refusal the search stays the same. A list that was refused too is requested a day later.
  const asked = evidence.list?.kind === 'refused' && evidence.mustReadAgain ? { askedAtMs: nowMs } : {}
  const left = outbox.map((release) => ({ ...release, ...asked }))
  if (vault.outbox.length === 0) expect(decide(vault, refused, nowMs).outbox).toEqual(left)
  return outbox
}

describe('after an activation', () => {
  test.each<readonly [string, Partial<SeatEvidence>, readonly PendingRelease[]]>([
    ['an earlier request may still arrive', {}, [search(earlierUntilMs)]],
    ['the request itself may too, if it was not answered', { isAnswered: false }, [search(lateUntilMs)]],
    [
      'a list that a wrong clock requested in the future was read now',
      { list: { kind: 'read', askedAtMs: lateUntilMs } },
      [search(earlierUntilMs)],
    ],
    ['what was not listed is searched for', { list: { kind: 'unread' } }, [search(earlierUntilMs)]],
    ['a refused list is read later', { list: { kind: 'refused' } }, [search(earlierUntilMs)]],
    ['nothing is searched for where nothing can be listed', { list: { kind: 'needless' } }, []],
  ])('%s', (_what, evidence, expected) => {
    expect(left(evidence)).toEqual(expected)
  })

  const alone = { pending: { licenseId, requestedAtMs: nowMs, lateUntilMs } }

  test.each<readonly [string, Partial<SeatEvidence>, readonly PendingRelease[]]>([
    ['a list that was read is enough', {}, []],
    ['a key that may hold a seat is looked for once more', { mustReadAgain: true }, [search(null)]],
    ['an unreadable list leaves nothing if nothing can be there', { list: { kind: 'unread' } }, []],
    [
      'an unreadable list is read once it can be, if a key may be there',
      { list: { kind: 'unread' }, mustReadAgain: true },
      [search(null)],
    ],
    [
      'a refused list too, and the moment of the refusal is kept',
      { list: { kind: 'refused' }, mustReadAgain: true },
      [search(null, nowMs)],
    ],
  ])('that was the only request, %s', (_what, evidence, expected) => {
    expect(left(evidence, alone)).toEqual(expected)
  })

  test('a list that was requested before a request could no longer arrive does not end the search', () => {
    const pending = { licenseId, requestedAtMs: 0, lateUntilMs: nowMs - 1 }
    const before = { pending }
    expect(left({ isAnswered: false, list: { kind: 'read', askedAtMs: nowMs - 2 } }, before)).toEqual([
      search(nowMs - 1),
    ])
    expect(left({ isAnswered: false }, before)).toEqual([])
  })

  test('a queued search stays where the list was not read', () => {
    const queued = search(null, nowMs - 5)
    const before = { ...alone, outbox: [queued] }
    expect(left({ list: { kind: 'refused' }, mustReadAgain: true }, before)).toEqual([queued])
    expect(left({}, before)).toEqual([])
  })

  test('only the requests of its own license count', () => {
    const pending = { licenseId: 'license-b', requestedAtMs: nowMs, lateUntilMs }
    expect(left({ isAnswered: false, list: { kind: 'unread' } }, { pending })).toEqual([])
  })
})

describe('when another process has dropped the activation meanwhile', () => {
  test('it is on record again before a request can take a seat', () => {
    const sent = decide(emptyVault, { type: 'activation-sent', licenseId }, nowMs)
    expect(sent.pending).toEqual({ licenseId, requestedAtMs: nowMs, lateUntilMs: nowMs + longestDeliveryMs })
    const other: Vault = {
      ...emptyVault,
      pending: { licenseId: 'license-b', requestedAtMs: nowMs, lateUntilMs },
    }
    expect(decide(other, { type: 'activation-sent', licenseId }, nowMs)).toMatchObject({
      pending: { licenseId },
      outbox: [{ licenseId: 'license-b', keyId: null, lateUntilMs }],
    })
  })

  test('what its request may have taken is searched for', () => {
    const unanswered = decide(emptyVault, { type: 'activation-unanswered', licenseId }, nowMs)
    expect(unanswered.outbox).toEqual([search(nowMs + longestDeliveryMs)])
  })

  test('what it queued to be searched for stays, although this activation succeeded', () => {
    const before = { pending: null, outbox: [search(lateUntilMs)] }
    expect(left({}, before)).toEqual([search(lateUntilMs)])
  })

  test('a key that the other process uses by now is not freed', () => {
    const active: Vault = { ...emptyVault, activation: record }
    const refused: LicensingEvent = {
      type: 'activation-refused',
      licenseId,
      unusedKeyId: 'key-1',
      evidence: { isAnswered: true, list: read, mustReadAgain: false },
    }
    expect(decide(active, refused, nowMs)).toEqual(active)
    const found: LicensingEvent = { type: 'unused-keys-found', licenseId, keyIds: ['key-1', 'key-2'] }
    expect(decide(active, found, nowMs).outbox).toEqual([{ licenseId, keyId: 'key-2' }])
  })

  test('a key that is not used after all is freed, and the activation of another license stays', () => {
    const pending = { licenseId: 'license-b', requestedAtMs: nowMs, lateUntilMs: null }
    const refused: LicensingEvent = {
      type: 'activation-refused',
      licenseId,
      unusedKeyId: 'key-9',
      evidence: { isAnswered: true, list: read, mustReadAgain: false },
    }
    expect(decide({ ...emptyVault, pending }, refused, nowMs)).toEqual({
      ...emptyVault,
      pending,
      outbox: [{ licenseId, keyId: 'key-9' }],
    })
  })
})

test('a request that is proven not to have been sent leaves what earlier ones may do', () => {
  const pending = { licenseId, requestedAtMs: nowMs, lateUntilMs: nowMs + 1 }
  const vault: Vault = { ...emptyVault, pending }
  const sent = decide(vault, { type: 'activation-sent', licenseId }, nowMs)
  expect(sent.pending).toMatchObject({ earlierUntilMs: nowMs + 1 })
  expect(decide(sent, { type: 'activation-not-sent', licenseId }, nowMs)).toEqual(vault)
})

describe('a list that the service refuses', () => {
  const dayMs = 24 * 60 * 60 * 1000
  const refused: LicensingEvent = { type: 'list-refused', licenseId, isDenied: true }
  const searching: Vault = { ...emptyVault, outbox: [search(null, nowMs)] }

  test('is asked for again until it was refused twice, a day apart', () => {
    expect(decide(searching, refused, nowMs + dayMs - 1)).toEqual(searching)
    expect(decide(searching, refused, nowMs + dayMs).outbox).toEqual([])
    // Once a day, where the activation was refused too.
    const daily: Vault = { ...emptyVault, outbox: [search(null, nowMs, nowMs)] }
    const askedAtMs = nowMs + dayMs - 1
    expect(decide(daily, refused, askedAtMs).outbox).toEqual([search(null, nowMs, askedAtMs)])
  })

  test('as if the license did not exist is asked for again for 30 days', () => {
    const unknown: LicensingEvent = { ...refused, isDenied: false }
    expect(decide(searching, unknown, nowMs + 30 * dayMs - 1)).toEqual(searching)
    expect(decide(searching, unknown, nowMs + 30 * dayMs).outbox).toEqual([])
  })

  test.each([search(null), search(nowMs)])(
    'and was read before is asked for as long as it takes: %j',
    (queued) => {
      const vault: Vault = { ...emptyVault, outbox: [queued] }
      expect(decide(vault, refused, nowMs + 100 * dayMs)).toEqual(vault)
    },
  )

  test('costs no other entry of the queue', () => {
    const other = { licenseId: 'license-b', keyId: null, lateUntilMs: null, refusedSinceMs: 1 } as const
    const vault: Vault = { ...emptyVault, outbox: [other, { licenseId, keyId: 'key-1' }] }
    expect(decide(vault, refused, nowMs)).toEqual(vault)
  })

  test('has a moment that moves with the clock', () => {
    const vault: Vault = {
      ...emptyVault,
      pending: { licenseId, requestedAtMs: nowMs, lateUntilMs, earlierUntilMs },
      outbox: [search(null, nowMs, nowMs)],
    }
    const moved = decide(vault, { type: 'time-stated', movedMs: 400 * dayMs }, nowMs + 400 * dayMs)
    expect(moved).toMatchObject({
      pending: { earlierUntilMs: earlierUntilMs + 400 * dayMs },
      outbox: [{ refusedSinceMs: nowMs + 400 * dayMs, askedAtMs: nowMs + 400 * dayMs }],
    })
  })
})
