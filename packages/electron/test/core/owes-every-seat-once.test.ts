import { expect, test } from 'vitest'
import { decide } from '../../src/core/record/decide.ts'
import type { LicensingEvent, SeatEvidence } from '../../src/core/record/licensing-event.ts'
import {
  type ActivationRecord,
  emptyVault,
  type PendingActivation,
  type Vault,
} from '../../src/core/record/vault.ts'

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
/** The list was read, and nothing else can be there. */
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

test('a request that is sent may take a seat for ten minutes', () => {
  const sent = decide({ ...emptyVault, pending }, { type: 'activation-sent', licenseId: 'license-b' }, nowMs)
  expect(sent.pending).toEqual({ ...pending, lateUntilMs: nowMs + 600_000 })
})

test('a refusal without anything left behind leaves nothing to do', () => {
  const refused = {
    type: 'activation-refused',
    licenseId: 'license-b',
    unusedKeyId: null,
    evidence: wholeList,
  } as const
  expect(decide({ ...emptyVault, pending }, refused, nowMs)).toEqual(emptyVault)
})

test('an activation that was never sent has nothing to be looked for', () => {
  const vault: Vault = { ...emptyVault, pending }
  expect(decide(vault, { type: 'deactivated' }, nowMs)).toEqual(emptyVault)
  const asked = decide(vault, { type: 'activation-requested', licenseId: 'license-c' }, nowMs)
  expect(asked.outbox).toEqual([])
})

test('asking for a license anew keeps the seats of it that wait to be freed', () => {
  const vault: Vault = { ...emptyVault, outbox: [key('license-b', 'key-8'), look('license-b')] }
  const asked = decide(vault, { type: 'activation-requested', licenseId: 'license-b' }, nowMs)
  expect(asked).toMatchObject({ outbox: [key('license-b', 'key-8')], pending: { lateUntilMs: nowMs + 5 } })
})

test('an activation settles what was queued for its own key, and for no other', () => {
  const others = [key('license-a', 'key-9'), look('license-b')]
  const vault: Vault = { ...active, outbox: [key('license-a', 'key-1'), look('license-a', null), ...others] }
  expect(decide(vault, activated(), nowMs).outbox).toEqual(others)
})

test('a key that is gone is not freed once more when another takes its place', () => {
  const revoked: Vault = { ...active, activation: { ...record, verdict: 'revoked' } }
  expect(decide(revoked, activated({ keyId: 'key-2' }), nowMs).outbox).toEqual([])
  expect(decide(active, activated({ keyId: 'key-2' }), nowMs).outbox).toEqual([key('license-a', 'key-1')])
})

const keptOldest = {
  type: 'kept-oldest',
  licenseId: 'license-a',
  keyId: 'key-1',
  reading: null,
  duplicateKeyIds: ['key-3'],
} as const

test('settling on the oldest key of one license leaves another license alone, and frees what is unused', () => {
  const moved: Vault = { ...active, activation: { ...record, licenseId: 'license-b', keyId: 'key-9' } }
  const freed = [key('license-a', 'key-1'), key('license-a', 'key-3')]
  expect(decide(moved, keptOldest, nowMs)).toEqual({ ...moved, outbox: freed })
  const signedOut: Vault = { ...active, activation: null }
  expect(decide(signedOut, keptOldest, nowMs)).toEqual({ ...signedOut, outbox: freed })
})

test('settling on the oldest key does not end an activation of another license', () => {
  const vault: Vault = { ...active, pending, outbox: [look('license-a', null)] }
  const kept = { ...keptOldest, duplicateKeyIds: [] }
  expect(decide(vault, kept, nowMs)).toMatchObject({ pending, outbox: [] })
})

test('one license is looked at once, however often there was reason to', () => {
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

test('a look at one license is none at another', () => {
  const vault: Vault = { ...emptyVault, outbox: [look('license-a', null), look('license-b', null)] }
  const looked = { type: 'seat-freed', release: look('license-b', null) } as const
  expect(decide(vault, looked, nowMs).outbox).toEqual([look('license-a', null)])
})

test('a seat that is free changes nothing else that is owed', () => {
  const rest = [key('license-b', 'key-1'), key('license-a', 'key-2')]
  const vault: Vault = { ...emptyVault, outbox: [key('license-a', 'key-1'), ...rest] }
  const freed = { type: 'seat-freed', release: key('license-a', 'key-1') } as const
  expect(decide(vault, freed, nowMs).outbox).toEqual(rest)
})

test('a device never owes its own seat, in whatever case the list writes its id', () => {
  const uuid = '1f6d0a7e-4a3d-4e8b-9c55-9b2f7c1e2b34'
  const event: LicensingEvent = {
    type: 'activated',
    record: { ...record, keyId: uuid },
    duplicateKeyIds: [uuid.toUpperCase(), 'key-2'],
    evidence: wholeList,
  }
  expect(decide(emptyVault, event, nowMs).outbox).toEqual([key('license-a', 'key-2')])
  // Ids that are no UUIDs are compared exactly.
  const owed: Vault = { ...emptyVault, outbox: [key('license-a', 'KEY-1')] }
  const freed = { type: 'seat-freed', release: key('license-a', 'key-1') } as const
  expect(decide(owed, freed, nowMs).outbox).toEqual(owed.outbox)
})

test('releasing a device changes the number in use of its own license, where that is known', () => {
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

test('a sign-out on its way is waited for ten minutes, by the time that the service states', () => {
  const release = { licenseId: 'license-a', keyId: 'key-1' }
  const sent = decide({ ...emptyVault, outbox: [release] }, { type: 'release-sent', release }, nowMs)
  expect(sent.outbox).toEqual([{ ...release, lateUntilMs: nowMs + 600_000 }])
  const earlierMs = nowMs - 3_600_000
  const stated = decide(sent, { type: 'time-stated', movedMs: -3_600_000 }, earlierMs)
  expect(stated.outbox).toEqual([{ ...release, lateUntilMs: earlierMs + 600_000 }])
})

test('a sign-out that was settled in the meantime is not owed again by its own request', () => {
  const release = { licenseId: 'license-a', keyId: 'key-1' }
  expect(decide(emptyVault, { type: 'release-unanswered', release }, nowMs).outbox).toEqual([])
})

test('a revoked activation keeps the moment at which it was first missed, by the time that the service states', () => {
  const reading = { kind: 'revoked' } as const
  const revoked = decide(active, { type: 'answered', keyId: 'key-1', reading }, nowMs)
  const again = decide(revoked, { type: 'answered', keyId: 'key-1', reading }, nowMs + 5)
  expect(again.activation).toMatchObject({ revokedAtMs: nowMs, decidedAtMs: nowMs + 5 })
  const stated = decide(again, { type: 'time-stated', movedMs: -3_600_000 }, nowMs - 3_600_000)
  expect(stated.activation).toMatchObject({ revokedAtMs: nowMs - 3_600_000 })
})
