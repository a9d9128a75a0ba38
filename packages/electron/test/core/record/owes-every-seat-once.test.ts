import { expect, test } from 'vitest'
import { decide } from '../../../src/core/record/decide.ts'
import type { LicensingEvent, SeatEvidence } from '../../../src/core/record/licensing-event.ts'
import {
  type ActivationRecord,
  emptyVault,
  type PendingActivation,
  type Vault,
} from '../../../src/core/record/vault.ts'

const nowMs = 1_000_000_000
const record: ActivationRecord = {
  licenseId: 'license-a',
  keyId: 'key-1',
  fingerprint: '0123456789abcdef',
  activatedAtMs: nowMs,
  verdict: 'valid',
  decidedAtMs: nowMs,
  validAtMs: nowMs,
  license: { activationLimit: 3, activationUsage: 1, expiresAt: null, suspendedAt: null, status: 'ACTIVE' },
}
const active: Vault = { ...emptyVault, activation: record }
const pending: PendingActivation = { licenseId: 'license-b', requestedAtMs: nowMs, lateUntilMs: null }

const key = (licenseId: string, keyId: string) => ({ licenseId, keyId })
const look = (licenseId: string, lateUntilMs: number | null = nowMs + 5) => ({
  licenseId,
  keyId: null,
  lateUntilMs,
})
/** The list was read and has nothing else. */
const wholeList: SeatEvidence = {
  isAnswered: true,
  list: { kind: 'read', askedAtMs: nowMs },
  mustReadAgain: false,
}
const activated = (over: Partial<ActivationRecord> = {}): LicensingEvent => ({
  type: 'activated',
  record: { ...record, ...over },
  duplicateKeyIds: [],
  evidence: wholeList,
})

test('a sent request may use a seat for ten minutes', () => {
  const sent = decide({ ...emptyVault, pending }, { type: 'activation-sent', licenseId: 'license-b' }, nowMs)
  expect(sent.pending).toEqual({ ...pending, lateUntilMs: nowMs + 600_000 })
})

test('a refusal without a leftover activation queues nothing', () => {
  const refused = {
    type: 'activation-refused',
    licenseId: 'license-b',
    unusedKeyId: null,
    evidence: wholeList,
  } as const
  expect(decide({ ...emptyVault, pending }, refused, nowMs)).toEqual(emptyVault)
})

test('an activation that was never sent needs no search', () => {
  const vault: Vault = { ...emptyVault, pending }
  expect(decide(vault, { type: 'deactivated' }, nowMs)).toEqual(emptyVault)
  const asked = decide(vault, { type: 'activation-requested', licenseId: 'license-c' }, nowMs)
  expect(asked.outbox).toEqual([])
})

test('activating a license again keeps its queued releases', () => {
  const vault: Vault = { ...emptyVault, outbox: [key('license-b', 'key-8'), look('license-b')] }
  const asked = decide(vault, { type: 'activation-requested', licenseId: 'license-b' }, nowMs)
  expect(asked).toMatchObject({ outbox: [key('license-b', 'key-8')], pending: { lateUntilMs: nowMs + 5 } })
})

test('an activation removes queued entries of its own key only', () => {
  const others = [key('license-a', 'key-9'), look('license-b')]
  const vault: Vault = { ...active, outbox: [key('license-a', 'key-1'), look('license-a', null), ...others] }
  expect(decide(vault, activated(), nowMs).outbox).toEqual(others)
})

test('a key that is gone is not released again when it is replaced', () => {
  const revoked: Vault = { ...active, activation: { ...record, verdict: 'revoked' } }
  expect(decide(revoked, activated({ keyId: 'key-2' }), nowMs).outbox).toEqual([])
  expect(decide(active, activated({ keyId: 'key-2' }), nowMs).outbox).toEqual([key('license-a', 'key-1')])
})

const keptOldest = {
  type: 'kept-oldest',
  licenseId: 'license-a',
  keyId: 'key-1',
  fingerprint: record.fingerprint,
  reading: null,
  duplicateKeyIds: ['key-3'],
} as const

test('choosing the oldest key of a license releases its unused keys and leaves another license alone', () => {
  const moved: Vault = { ...active, activation: { ...record, licenseId: 'license-b', keyId: 'key-9' } }
  const freed = [key('license-a', 'key-1'), key('license-a', 'key-3')]
  expect(decide(moved, keptOldest, nowMs)).toEqual({ ...moved, outbox: freed })
  const signedOut: Vault = { ...active, activation: null }
  expect(decide(signedOut, keptOldest, nowMs)).toEqual({ ...signedOut, outbox: freed })
})

test('choosing the oldest key does not end an activation of another license', () => {
  const vault: Vault = { ...active, pending, outbox: [look('license-a', null)] }
  const kept = { ...keptOldest, duplicateKeyIds: [] }
  expect(decide(vault, kept, nowMs)).toMatchObject({ pending, outbox: [] })
})

test('an activation of this device keeps the name that it was found by', () => {
  const lease = {
    jws: 'signed',
    fingerprint: 'fedcba9876543210',
    isEntitled: true,
    hasEnded: false,
    issuedAtMs: nowMs,
    expiresAtMs: nowMs + 1,
    license: { expiresAt: null, plan: null, features: [] },
  }
  const reading = { kind: 'licensed', verdict: 'valid', license: record.license, lease } as const
  const replaced = { ...keptOldest, keyId: 'key-0', fingerprint: lease.fingerprint, seenAtMs: nowMs, reading }
  expect(decide(active, replaced, nowMs).activation).toMatchObject({
    fingerprint: lease.fingerprint,
    lease: { jws: 'signed' },
  })
})

test('a deactivation ends no license that another process activated since', () => {
  expect(decide(active, { type: 'deactivated', endedLicenseId: 'license-b' }, nowMs)).toBe(active)
  // Only an unfinished activation was to be ended.
  expect(decide(active, { type: 'deactivated', endedLicenseId: null }, nowMs)).toBe(active)
  const ended = decide(active, { type: 'deactivated', endedLicenseId: 'license-a' }, nowMs)
  expect(ended).toMatchObject({ activation: null, outbox: [key('license-a', 'key-1')] })
})

test('a license is searched once, even for several reasons', () => {
  const vault: Vault = {
    ...emptyVault,
    pending: { ...pending, lateUntilMs: nowMs + 9 },
    outbox: [look('license-a'), look('license-b')],
  }
  expect(decide(vault, { type: 'deactivated' }, nowMs).outbox).toEqual([
    look('license-a'),
    look('license-b', nowMs + 9),
  ])
})

test('a search for one license does not count for another', () => {
  const vault: Vault = { ...emptyVault, outbox: [look('license-a', null), look('license-b', null)] }
  const looked = { type: 'seat-freed', release: look('license-b', null) } as const
  expect(decide(vault, looked, nowMs).outbox).toEqual([look('license-a', null)])
})

test('a released seat changes no other queued release', () => {
  const rest = [key('license-b', 'key-1'), key('license-a', 'key-2')]
  const vault: Vault = { ...emptyVault, outbox: [key('license-a', 'key-1'), ...rest] }
  const freed = { type: 'seat-freed', release: key('license-a', 'key-1') } as const
  expect(decide(vault, freed, nowMs).outbox).toEqual(rest)
})

test('a device never queues its own seat, in any letter case of its id', () => {
  const uuid = '1f6d0a7e-4a3d-4e8b-9c55-9b2f7c1e2b34'
  const event: LicensingEvent = {
    type: 'activated',
    record: { ...record, keyId: uuid },
    duplicateKeyIds: [uuid.toUpperCase(), 'key-2'],
    evidence: wholeList,
  }
  expect(decide(emptyVault, event, nowMs).outbox).toEqual([key('license-a', 'key-2')])
  // Ids that aren't UUIDs are compared exactly.
  const owed: Vault = { ...emptyVault, outbox: [key('license-a', 'KEY-1')] }
  const freed = { type: 'seat-freed', release: key('license-a', 'key-1') } as const
  expect(decide(owed, freed, nowMs).outbox).toEqual(owed.outbox)
})

test('releasing a device changes the seats in use of its license, if they are known', () => {
  const release = (vault: Vault, licenseId = 'license-a') =>
    decide(vault, { type: 'device-released', licenseId }, nowMs).activation?.license.activationUsage
  const using = (activationUsage: number | null): Vault => ({
    ...emptyVault,
    activation: { ...record, license: { ...record.license, activationUsage } },
  })
  expect(release(using(2))).toBe(1)
  expect(release(using(0))).toBe(0)
  expect(release(using(null))).toBeNull()
  expect(release(using(2), 'license-b')).toBe(2)
  expect(release(emptyVault)).toBeUndefined()
})

test('a pending deactivation is awaited for ten minutes of the service’s time', () => {
  const release = { licenseId: 'license-a', keyId: 'key-1' }
  const sent = decide({ ...emptyVault, outbox: [release] }, { type: 'release-sent', release }, nowMs)
  expect(sent.outbox).toEqual([{ ...release, lateUntilMs: nowMs + 600_000 }])
  const earlierMs = nowMs - 3_600_000
  const stated = decide(sent, { type: 'time-stated', movedMs: -3_600_000 }, earlierMs)
  expect(stated.outbox).toEqual([{ ...release, lateUntilMs: earlierMs + 600_000 }])
})

test('a deactivation that was completed in the meantime is not queued again', () => {
  const release = { licenseId: 'license-a', keyId: 'key-1' }
  expect(decide(emptyVault, { type: 'release-unanswered', release }, nowMs).outbox).toEqual([])
})

test('a revoked activation keeps the time when it was first missing, by the service’s clock', () => {
  const reading = { kind: 'revoked' } as const
  const revoked = decide(active, { type: 'answered', keyId: 'key-1', reading }, nowMs)
  const again = decide(revoked, { type: 'answered', keyId: 'key-1', reading }, nowMs + 5)
  expect(again.activation).toMatchObject({ revokedAtMs: nowMs, decidedAtMs: nowMs + 5 })
  const stated = decide(again, { type: 'time-stated', movedMs: -3_600_000 }, nowMs - 3_600_000)
  expect(stated.activation).toMatchObject({ revokedAtMs: nowMs - 3_600_000 })
})

test.each([
  ['that was never asked about', undefined, nowMs],
  ['that was asked about before', nowMs - 1, nowMs],
  ['that an earlier request may still free', nowMs + 1, nowMs + 1],
])(
  'a refused seat %s waits for its next turn if the service hasn’t known it for a day',
  (_, before, after) => {
    const dayMs = 24 * 60 * 60 * 1000
    const release = { ...key('license-b', 'key-2'), unknownSinceMs: nowMs - dayMs, lateUntilMs: before }
    const vault: Vault = { ...emptyVault, outbox: [release] }
    const { outbox } = decide(vault, { type: 'release-refused', release }, nowMs)
    expect(outbox).toEqual([{ ...release, lateUntilMs: after }])
  },
)
