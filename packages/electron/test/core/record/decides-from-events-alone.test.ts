import { CommerceError } from '@latchkey/commerce'
import { describe, expect, test } from 'vitest'
import type { Lease } from '../../../src/core/ports/lease-port.ts'
import { decide } from '../../../src/core/record/decide.ts'
import type { LicensingEvent } from '../../../src/core/record/licensing-event.ts'
import { longestDeliveryMs } from '../../../src/core/record/outbox-entries.ts'
import { isTrusted, withTrustedLease } from '../../../src/core/record/stored-lease.ts'
import {
  type ActivationRecord,
  emptyVault,
  isWorthKeeping,
  type Vault,
  type Verdict,
} from '../../../src/core/record/vault.ts'
import { composeKeyName, parseKeyName } from '../../../src/core/service/key-name.ts'
import { readFailure } from '../../../src/core/service/read-answer.ts'
import { type EntitlementRules, entitlementOf } from '../../../src/core/state/entitlement.ts'

const nowMs = 1_000_000_000
const license = {
  activationLimit: 3,
  activationUsage: 1,
  expiresAt: null,
  suspendedAt: null,
  status: 'ACTIVE',
}
const record: ActivationRecord = {
  licenseId: 'license-a',
  keyId: 'key-1',
  fingerprint: '0123456789abcdef',
  activatedAtMs: nowMs,
  verdict: 'valid',
  decidedAtMs: nowMs,
  validAtMs: nowMs,
  license,
}
const active: Vault = { ...emptyVault, activation: record }
const reading = { kind: 'licensed', verdict: 'valid', license } as const

describe('what happened to something that is not there changes nothing', () => {
  const events: readonly LicensingEvent[] = [
    { type: 'activation-not-sent', licenseId: 'license-a' },
    { type: 'activation-canceled', licenseId: 'license-b' },
    {
      type: 'activation-refused',
      licenseId: 'license-a',
      unusedKeyId: null,
      evidence: { isAnswered: true, list: { kind: 'unread' }, mustReadAgain: false },
    },
    { type: 'answered', keyId: 'key-1', reading },
    { type: 'deactivated' },
    { type: 'seat-freed', release: { licenseId: 'license-a', keyId: 'key-1' } },
    { type: 'list-refused', licenseId: 'license-a', isDenied: true },
    { type: 'found-on-another-device' },
    { type: 'time-stated', movedMs: 0 },
  ]
  test.each(events)('$type', (event) => {
    expect(decide(emptyVault, event, nowMs)).toEqual(emptyVault)
  })
})

describe('the record', () => {
  test('is untouched by an undecided answer', () => {
    const event: LicensingEvent = {
      type: 'answered',
      keyId: 'key-1',
      reading: { kind: 'undecided', cause: { code: 'offline' } },
    }
    expect(decide(active, event, nowMs + 5)).toEqual(active)
  })

  test('is untouched by an answer about another key', () => {
    const event: LicensingEvent = { type: 'answered', keyId: 'key-2', reading: { kind: 'revoked' } }
    expect(decide(active, event, nowMs)).toBe(active)
  })

  test('counts grace from the last valid answer, whatever definite answer came since', () => {
    const suspended: LicensingEvent = {
      type: 'answered',
      keyId: 'key-1',
      reading: { kind: 'licensed', verdict: 'suspended', license },
    }
    expect(decide(active, suspended, nowMs + 5).activation).toMatchObject({
      verdict: 'suspended',
      decidedAtMs: nowMs + 5,
      validAtMs: nowMs,
    })
  })

  test('is never changed in place', () => {
    const frozen: Vault = Object.freeze({ ...active, outbox: Object.freeze([]) })
    const events: readonly LicensingEvent[] = [
      { type: 'activation-requested', licenseId: 'license-b' },
      { type: 'answered', keyId: 'key-1', reading },
      { type: 'deactivated' },
      { type: 'trial-started' },
      { type: 'time-stated', movedMs: 0 },
    ]
    for (const event of events) expect(() => decide(frozen, event, nowMs)).not.toThrow()
  })

  test('a trial begins once', () => {
    const once = decide(emptyVault, { type: 'trial-started' }, nowMs)
    expect(decide(once, { type: 'trial-started' }, nowMs + 5)).toBe(once)
  })
})

/** A stored text whose signature isn't trusted. */
const untrusted = { jws: 'signed', issuedAtMs: 0, expiresAtMs: 0 }

describe('a lease found on disk', () => {
  const kept = { jws: 'signed', issuedAtMs: nowMs + 1, expiresAtMs: nowMs + 5 }
  const license = { expiresAt: null, plan: 'Pro', features: ['export'] }
  const signed: Lease = {
    ...kept,
    fingerprint: record.fingerprint,
    isEntitled: true,
    hasEnded: false,
    license,
  }
  const found: Vault = {
    ...emptyVault,
    markMs: nowMs,
    activation: { ...record, lease: { ...kept, expiresAtMs: Infinity } },
  }

  test.each([
    ['says what the gateway signed, and nothing that was written beside it', signed, kept],
    ['that is the gateway’s signed no is none', { ...signed, isEntitled: false }, undefined],
    ['of another device is none', { ...signed, fingerprint: 'fedcba9876543210' }, undefined],
    ['whose signature does not hold is none, and only its text stays', null, untrusted],
  ])('%s', async (_what, verified, lease) => {
    const { activation, markMs } = await withTrustedLease(found, { verify: () => verified })
    const terms = lease === kept ? { plan: 'Pro', features: ['export'] } : { plan: null, features: [] }
    expect(activation).toEqual({ ...record, lease, license: { ...record.license, ...terms } })
    expect(markMs).toBe(lease === kept ? nowMs + 1 : nowMs)
    expect(isTrusted(activation?.lease)).toBe(lease === kept)
  })
})

test('a record states no answer later than itself where answers are signed', async () => {
  const activation = { ...record, validAtMs: nowMs + 9, decidedAtMs: nowMs + 9 }
  const found: Vault = { ...emptyVault, markMs: nowMs, activation }
  const vault = await withTrustedLease(found, { verify: () => null })
  expect(vault.activation).toMatchObject({ validAtMs: nowMs, decidedAtMs: nowMs })
})

test('an activation that may be another service’s keeps its grace, although its lease isn’t trusted', async () => {
  const lease = { jws: 'signed elsewhere', issuedAtMs: nowMs, expiresAtMs: nowMs + 5 }
  const activation = { ...record, isUnconfirmed: true, lease } as const
  const found: Vault = { ...emptyVault, markMs: nowMs, activation }
  const vault = await withTrustedLease(found, { verify: () => null })
  const rules: EntitlementRules = {
    graceMs: 10,
    renewalGraceMs: 0,
    recheckMs: 2,
    trialMs: 0,
    requiresLease: true,
  }
  expect(entitlementOf(vault, nowMs + 1, true, rules).status).toBe('grace')
})

describe('an answer to an offline request found on disk', () => {
  const kept = { jws: 'signed', issuedAtMs: nowMs + 1, expiresAtMs: nowMs + 5, secret: 'secret' }
  const terms = { expiresAt: null, plan: 'Pro', features: ['export'] }
  const signed: Lease = {
    ...kept,
    fingerprint: record.fingerprint,
    isEntitled: true,
    hasEnded: false,
    license: terms,
  }
  const found: Vault = {
    ...emptyVault,
    markMs: nowMs,
    activation: { ...record, offline: { ...kept, expiresAtMs: Infinity } },
  }

  test.each([
    ['says what was signed, and nothing that was written beside it', signed, kept],
    ['of another device is none', { ...signed, fingerprint: 'fedcba9876543210' }, undefined],
    [
      'whose signature does not hold is none, and only its text stays',
      null,
      { ...untrusted, secret: kept.secret },
    ],
  ])('%s', async (_what, verified, offline) => {
    const { activation, markMs } = await withTrustedLease(found, {
      verify: () => signed,
      verifyOffline: () => verified,
    })
    const told = offline === kept ? { plan: 'Pro', features: ['export'] } : { plan: null, features: [] }
    expect(activation).toEqual({ ...record, offline, license: { ...record.license, ...told } })
    expect(markMs).toBe(offline === kept ? nowMs + 1 : nowMs)
  })

  test('counts beside a lease, and the later one of both tells what the license includes', async () => {
    const lease = { jws: 'lease', issuedAtMs: nowMs - 1, expiresAtMs: kept.expiresAtMs }
    const older: Lease = { ...signed, ...lease, license: { ...terms, plan: 'Basic' } }
    const both: Vault = { ...found, activation: { ...record, lease, offline: kept } }
    const { activation } = await withTrustedLease(both, { verify: () => older, verifyOffline: () => signed })
    expect(activation).toMatchObject({ lease, offline: kept, license: { plan: 'Pro' } })
  })
})

describe('a request that waits for its answer', () => {
  const asking = decide(
    active,
    { type: 'offline-requested', licenseId: 'license-a', nonce: 'nonce', secret: 'secret' },
    nowMs,
  )
  const activated = (own: Partial<ActivationRecord>) =>
    decide(
      asking,
      {
        type: 'activated',
        record: { ...record, ...own },
        duplicateKeyIds: [],
        evidence: { isAnswered: false, list: { kind: 'unread' }, mustReadAgain: false },
      },
      nowMs,
    )
  const offline = { jws: 'signed', issuedAtMs: nowMs, expiresAtMs: nowMs + 5, secret: 'secret' }

  test('is forgotten once it is answered, and stays open when the device is activated online', () => {
    expect(asking.offlineRequest).toEqual({
      licenseId: 'license-a',
      nonce: 'nonce',
      secret: 'secret',
      requestedAtMs: nowMs,
    })
    expect(activated({ offline }).offlineRequest).toBeUndefined()
    expect(activated({}).offlineRequest).toEqual(asking.offlineRequest)
  })

  test('is forgotten when the device signs out, so that a late answer does not activate it again', () => {
    expect(decide(asking, { type: 'deactivated' }, nowMs).offlineRequest).toBeUndefined()
    expect(decide(asking, { type: 'found-on-another-device' }, nowMs).offlineRequest).toBeUndefined()
  })

  test('keeps its place in time when the clock is corrected', () => {
    const earlier = decide(asking, { type: 'time-stated', movedMs: -1000 }, nowMs - 1000)
    expect(earlier.offlineRequest?.requestedAtMs).toBe(nowMs - 1000)
  })

  test('is worth a record', () => {
    expect(isWorthKeeping({ ...emptyVault, offlineRequest: asking.offlineRequest })).toBe(true)
  })

  test('an answer outlives an online activation of the same key, and no other', () => {
    const held = { ...active, activation: { ...record, offline } }
    const again = (keyId: string) =>
      decide(
        held,
        {
          type: 'activated',
          record: { ...record, keyId },
          duplicateKeyIds: [],
          evidence: { isAnswered: true, list: { kind: 'needless' }, mustReadAgain: false },
        },
        nowMs,
      ).activation?.offline
    expect([again(record.keyId), again('another-key')]).toEqual([offline, undefined])
  })
})

describe('a seat that may be taken is never forgotten', () => {
  const sent: Vault = {
    ...active,
    pending: { licenseId: 'license-b', requestedAtMs: nowMs, lateUntilMs: nowMs + 5 },
  }
  const look = { licenseId: 'license-b', keyId: null, lateUntilMs: nowMs + 5 }
  const own = { licenseId: 'license-a', keyId: 'key-1' }

  test('by signing out', () => {
    expect(decide(sent, { type: 'deactivated' }, nowMs)).toMatchObject({
      activation: null,
      pending: null,
      outbox: [look, own],
    })
  })

  test('by canceling the activation, which leaves the license alone', () => {
    const canceled = decide(sent, { type: 'activation-canceled', licenseId: 'license-b' }, nowMs)
    expect(canceled).toEqual({ ...active, outbox: [look] })
  })

  test('by asking for another license', () => {
    const asked = decide(sent, { type: 'activation-requested', licenseId: 'license-c' }, nowMs)
    expect(asked).toMatchObject({ pending: { licenseId: 'license-c', lateUntilMs: null }, outbox: [look] })
  })

  test('by asking for the very license on record', () => {
    const again: Vault = { ...active, pending: { licenseId: 'license-a', requestedAtMs: 0, lateUntilMs: 7 } }
    expect(decide(again, { type: 'deactivated' }, nowMs).outbox).toEqual([
      { licenseId: 'license-a', keyId: null, lateUntilMs: 7 },
      own,
    ])
  })

  test('by signing out twice: it is queued once', () => {
    const out = decide(active, { type: 'deactivated' }, nowMs)
    expect(decide({ ...out, activation: record }, { type: 'deactivated' }, nowMs).outbox).toEqual([own])
  })

  test('by a look at the list while a request may still arrive', () => {
    const looking: Vault = { ...emptyVault, outbox: [look] }
    const freed = { type: 'seat-freed', release: look } as const
    expect(decide(looking, freed, nowMs).outbox).toEqual([look])
    expect(decide(looking, freed, nowMs + 5).outbox).toEqual([])
  })

  test('asking again for the license that is pending says that it is wanted still, and nothing else', () => {
    expect(decide(sent, { type: 'activation-requested', licenseId: 'license-b' }, nowMs + 9)).toEqual({
      ...sent,
      pending: { ...sent.pending, requestedAtMs: nowMs + 9 },
    })
  })
})

test('when the service names the time, nothing remembered lies ahead of it', () => {
  const ahead: Vault = {
    activation: record,
    pending: { licenseId: 'license-b', requestedAtMs: nowMs, lateUntilMs: nowMs + longestDeliveryMs },
    outbox: [
      { licenseId: 'license-a', keyId: 'key-2' },
      { licenseId: 'license-a', keyId: null, lateUntilMs: null },
      { licenseId: 'license-b', keyId: null, lateUntilMs: nowMs + longestDeliveryMs },
    ],
    markMs: nowMs,
    wallMs: 0,
    trialStartedAtMs: nowMs,
  }
  const statedMs = nowMs - 50
  const stated = decide(ahead, { type: 'time-stated', movedMs: -50 }, statedMs)
  expect(stated).toMatchObject({
    activation: { activatedAtMs: statedMs, decidedAtMs: statedMs, validAtMs: statedMs },
    pending: { requestedAtMs: statedMs, lateUntilMs: statedMs + longestDeliveryMs },
    trialStartedAtMs: statedMs,
  })
  expect(stated.outbox).toEqual([
    { licenseId: 'license-a', keyId: 'key-2' },
    { licenseId: 'license-a', keyId: null, lateUntilMs: null },
    { licenseId: 'license-b', keyId: null, lateUntilMs: statedMs + longestDeliveryMs },
  ])
  // After a small correction, a late request can still take as long, because no time has passed.
  const lateUntilMs = nowMs + 50 + longestDeliveryMs
  expect(decide(ahead, { type: 'time-stated', movedMs: 50 }, nowMs + 50)).toEqual({
    ...ahead,
    pending: { ...ahead.pending, lateUntilMs },
    outbox: [...ahead.outbox.slice(0, 2), { licenseId: 'license-b', keyId: null, lateUntilMs }],
  })
})

test('when the service names a time far ahead, nothing remembered gets older by it', () => {
  const movedMs = 400 * 24 * 60 * 60 * 1000
  const before: Vault = {
    ...active,
    pending: { licenseId: 'license-b', requestedAtMs: nowMs, lateUntilMs: nowMs + 7 },
    trialStartedAtMs: nowMs - 5,
  }
  const stated = decide(before, { type: 'time-stated', movedMs }, nowMs + movedMs)
  expect(stated).toMatchObject({
    activation: { activatedAtMs: nowMs + movedMs, validAtMs: nowMs + movedMs },
    pending: { requestedAtMs: nowMs + movedMs, lateUntilMs: nowMs + movedMs + 7 },
    trialStartedAtMs: nowMs + movedMs - 5,
  })
  // A smaller correction of the clock counts as time.
  const hourMs = 60 * 60 * 1000
  expect(decide(before, { type: 'time-stated', movedMs: hourMs }, nowMs + hourMs)).toEqual({
    ...before,
    pending: { ...before.pending, lateUntilMs: nowMs + hourMs + 7 },
  })
  const more = decide(before, { type: 'time-stated', movedMs: hourMs + 1 }, nowMs + hourMs + 1)
  expect(more.activation?.validAtMs).toBe(nowMs + hourMs + 1)
})

describe('who is entitled', () => {
  const rules: EntitlementRules = { graceMs: 100, renewalGraceMs: 20, recheckMs: 10, trialMs: 0 }
  const withVerdict = (verdict: Verdict): Vault => ({ ...emptyVault, activation: { ...record, verdict } })

  test.each(['expired', 'suspended', 'inactive', 'revoked'] as const)(
    '%s is that, reachable or not, in grace or not',
    (verdict) => {
      for (const isUnreachable of [true, false]) {
        for (const ms of [nowMs, nowMs + 99, nowMs + 101]) {
          expect(entitlementOf(withVerdict(verdict), ms, isUnreachable, rules).status).toBe(verdict)
        }
      }
    },
  )

  test('valid is active or grace until grace ends, and unverified from that very moment', () => {
    const valid = withVerdict('valid')
    expect(entitlementOf(valid, nowMs + 99, false, rules).status).toBe('active')
    expect(entitlementOf(valid, nowMs + 99, true, rules).status).toBe('grace')
    expect(entitlementOf(valid, nowMs + 100, true, rules).status).toBe('unverified')
  })

  test('with grace shorter than the pause between checks, an answer holds while nobody found the service gone', () => {
    const valid = withVerdict('valid')
    const hasty: EntitlementRules = { graceMs: 0, renewalGraceMs: 20, recheckMs: 100, trialMs: 0 }
    expect(entitlementOf(valid, nowMs, false, hasty).status).toBe('active')
    expect(entitlementOf(valid, nowMs + 149, false, hasty).status).toBe('active')
    expect(entitlementOf(valid, nowMs + 150, false, hasty).status).toBe('unverified')
    expect(entitlementOf(valid, nowMs, true, hasty).status).toBe('unverified')
  })

  const endsAtMs = nowMs + 50
  const expiresAt = new Date(endsAtMs).toISOString()
  const ending = { ...emptyVault, activation: { ...record, license: { ...license, expiresAt } } }

  test('from the very moment a license ends a renewal may be unheard of, and then it is over', () => {
    for (const isUnreachable of [true, false]) {
      expect(entitlementOf(ending, endsAtMs - 1, isUnreachable, rules)).toMatchObject({
        status: isUnreachable ? 'grace' : 'active',
        graceEndsAtMs: endsAtMs + 20,
        changesAtMs: endsAtMs,
      })
      for (const ms of [endsAtMs, endsAtMs + 19]) {
        expect(entitlementOf(ending, ms, isUnreachable, rules)).toMatchObject({
          status: 'grace',
          graceEndsAtMs: endsAtMs + 20,
          changesAtMs: endsAtMs + 20,
        })
      }
      expect(entitlementOf(ending, endsAtMs + 20, isUnreachable, rules).status).toBe('expired')
    }
  })

  test('what ends first is looked at first', () => {
    expect(entitlementOf(withVerdict('valid'), nowMs, true, rules)).toMatchObject({
      changesAtMs: nowMs + 100,
    })
  })

  test.each([
    ['grace', { graceMs: 60, recheckMs: 1 }, 60],
    ['a lease', { requiresLease: true }, 55],
  ])('%s bounds the time for a renewal', (_what, bound, lastsMs) => {
    const lease = { jws: 'signed', issuedAtMs: nowMs, expiresAtMs: nowMs + 55 }
    const leased = { ...ending, activation: { ...ending.activation, lease } }
    const bounded = { ...rules, ...bound }
    expect(entitlementOf(leased, endsAtMs, true, bounded)).toMatchObject({ graceEndsAtMs: nowMs + lastsMs })
    expect(entitlementOf(leased, nowMs + lastsMs, true, bounded).status).toBe('expired')
  })

  test('without grace, or without days for it, a license ends at the very moment it names', () => {
    for (const none of [{ graceMs: 0 }, { renewalGraceMs: 0 }]) {
      expect(entitlementOf(ending, endsAtMs - 1, false, { ...rules, recheckMs: 100, ...none }).status).toBe(
        'active',
      )
      expect(entitlementOf(ending, endsAtMs, false, { ...rules, recheckMs: 100, ...none }).status).toBe(
        'expired',
      )
    }
  })

  test('a license the service called valid after its end is good until grace ends', () => {
    const later = { ...ending, activation: { ...ending.activation, validAtMs: endsAtMs } }
    expect(entitlementOf(later, endsAtMs, false, rules)).toEqual({
      status: 'active',
      graceEndsAtMs: endsAtMs + 100,
      isEndInDoubt: true,
      endsSoon: false,
      changesAtMs: endsAtMs + 100,
    })
    expect(entitlementOf(later, endsAtMs + 99, true, rules)).toMatchObject({ status: 'grace' })
    expect(entitlementOf(later, endsAtMs + 100, true, rules).status).toBe('unverified')
  })

  test('a trial ends at the very moment it said', () => {
    const trial = { ...emptyVault, trialStartedAtMs: nowMs }
    const offered = { ...rules, trialMs: 100 }
    const over = { status: 'unlicensed', trialEndedAtMs: nowMs + 100, changesAtMs: null }
    expect(entitlementOf(trial, nowMs + 99, false, offered).status).toBe('trial')
    expect(entitlementOf(trial, nowMs + 100, false, offered)).toEqual(over)
  })

  test('nothing is said of a trial that is not offered any more, or never began', () => {
    const nothing = { status: 'unlicensed', trialEndedAtMs: null, changesAtMs: null }
    expect(entitlementOf({ ...emptyVault, trialStartedAtMs: nowMs }, nowMs, false, rules)).toEqual(nothing)
    expect(entitlementOf(emptyVault, nowMs, false, { ...rules, trialMs: 100 })).toEqual(nothing)
  })

  test('an end nobody can read is no end', () => {
    const odd = { ...record, license: { ...license, expiresAt: '2026-02-30T00:00:00.000000Z' } }
    expect(entitlementOf({ ...emptyVault, activation: odd }, nowMs, false, rules).status).toBe('active')
  })
})

describe('a key’s name', () => {
  test.each([
    ['Laptop [0123456789abcdef]', 'Laptop', '0123456789abcdef'],
    ['[0123456789abcdef]', '', '0123456789abcdef'],
    ['a [b] [0123456789abcdef] ', 'a [b]', '0123456789abcdef'],
    ['two\nlines [0123456789abcdef]', 'two\nlines', '0123456789abcdef'],
    [' Printer ', 'Printer', null],
    ['LAPTOP [0123456789ABCDEF]', 'LAPTOP', '0123456789abcdef'],
    ['[0123456789abcdef] Laptop', 'Laptop', '0123456789abcdef'],
    ['Laptop [0123456789abcdef] (2)', 'Laptop (2)', '0123456789abcdef'],
    ['[fedcba9876543210] [0123456789abcdef]', '[fedcba9876543210]', '0123456789abcdef'],
    ['Laptop [0123456789abcde]', 'Laptop [0123456789abcde]', null],
    ['Laptop 0123456789abcdef', 'Laptop 0123456789abcdef', null],
    ['', '', null],
  ])('%j', (name, label, fingerprint) => {
    expect(parseKeyName(name)).toEqual({ label, fingerprint })
  })

  const fingerprint = '0123456789abcdef'

  test.each([
    ['Work laptop', 'Work laptop [0123456789abcdef]'],
    ['  Ada’s  Mac ', 'Ada’s  Mac [0123456789abcdef]'],
    ['', '[0123456789abcdef]'],
    ['thirteen chrs', 'thirteen chrs [0123456789abcdef]'],
    ['fourteen chars', 'fourteen…hars [0123456789abcdef]'],
    ['CORP-BERLIN-WS-0042', 'CORP-BER…0042 [0123456789abcdef]'],
    ['a'.repeat(58), 'aaaaaaaa…aaaa [0123456789abcdef]'],
    // No half of a surrogate pair remains.
    ['😀😀😀😀😀😀😀😀', '😀😀😀😀…😀😀 [0123456789abcdef]'],
    ['x😀😀😀😀😀😀😀', 'x😀😀😀…😀😀 [0123456789abcdef]'],
  ])('of the device %j is %j', (label, name) => {
    expect(composeKeyName(label, fingerprint)).toBe(name)
  })

  test.each([64, 50, 32])('keeps its fingerprint in a service that cuts names to %d characters', (length) => {
    const names = ['a'.repeat(58), '花子のコンピュータ '.repeat(9), '👩‍💻'.repeat(20), 'short']
    for (const name of names) {
      const kept = composeKeyName(name, fingerprint).slice(0, length).toUpperCase().trim()
      expect(parseKeyName(kept).fingerprint).toBe(fingerprint)
    }
  })

  test('comes apart as it was put together', () => {
    expect(parseKeyName(composeKeyName('x [y]', 'f'.repeat(16)))).toEqual({
      label: 'x [y]',
      fingerprint: 'f'.repeat(16),
    })
  })
})

test.each([
  ['cancelled', 'timeout'],
  ['untrusted-link', 'unexpected-answer'],
  ['invalid-argument', 'unexpected'],
] as const)('an error of the client itself (%s) is never the service’s word', (code, told) => {
  expect(readFailure(new CommerceError(code))).toMatchObject({ kind: 'unreachable', cause: { code: told } })
  expect(readFailure('no error at all')).toEqual({ kind: 'unreachable', cause: { code: 'unexpected' } })
})

test('a release code stays with its seat while requests fail to free it', () => {
  const releaseLink = 'https://licensing.example.com/v1/offline#latchkey-release-1'
  const { licenseId, keyId } = record
  const left = decide(active, { type: 'deactivated', code: { licenseId, keyId, releaseLink } }, nowMs)
  const [release] = left.outbox
  if (release === undefined || release.keyId === null) throw new Error('No seat is queued')
  for (const type of ['release-sent', 'release-unanswered'] as const) {
    expect(decide(left, { type, release }, nowMs).outbox).toMatchObject([{ releaseLink }])
  }
  const unknown = { type: 'release-unknown', release, reason: 'unknown-activation' } as const
  expect(decide(left, unknown, nowMs).outbox).toMatchObject([{ releaseLink }])
  expect(decide(left, { type: 'seat-freed', release }, nowMs).outbox).toEqual([])
})

test('a release code is for its own seat, even if another process has activated another key since', () => {
  const code = {
    licenseId: record.licenseId,
    keyId: record.keyId,
    releaseLink: 'https://example.com/offline#code',
  }
  const other = { ...record, keyId: 'key-of-another-process' }
  const replaced = {
    ...active,
    activation: other,
    outbox: [{ licenseId: record.licenseId, keyId: record.keyId }],
  }
  expect(decide(replaced, { type: 'deactivated', code }, nowMs).outbox).toEqual([
    code,
    { licenseId: record.licenseId, keyId: other.keyId },
  ])
})
