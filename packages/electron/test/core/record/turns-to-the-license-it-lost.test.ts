import { expect, test } from 'vitest'
import { licenseInstead } from '../../../src/core/record/seats/revocation.ts'
import { type ActivationRecord, emptyVault, type Vault } from '../../../src/core/record/vault.ts'
import type { ProblemCode } from '../../../src/shared/problem.ts'

const nowMs = 1_000_000_000
const lost: ActivationRecord = {
  licenseId: 'license-a',
  keyId: 'key-1',
  fingerprint: '0123456789abcdef',
  activatedAtMs: nowMs,
  verdict: 'revoked',
  decidedAtMs: nowMs,
  validAtMs: nowMs,
  license: { activationLimit: 3, activationUsage: 1, expiresAt: null, suspendedAt: null, status: 'ACTIVE' },
}
const pendingOf = (licenseId: string) => ({ licenseId, requestedAtMs: nowMs, lateUntilMs: nowMs })
const resultOf = (code?: ProblemCode) =>
  code === undefined ? { ok: true } : { ok: false, problem: { code } }
const both: Vault = { ...emptyVault, activation: lost, pending: pendingOf('license-b') }

test.each(['license-not-found', 'license-expired', 'license-suspended', 'license-inactive'] as const)(
  'after %s, the license that this device lost is next',
  (code) => {
    expect(licenseInstead(both, resultOf(code), nowMs)).toBe('license-a')
  },
)

test.each(['seat-may-be-taken', 'offline', 'no-seat-left', undefined] as const)(
  'after %s, the pending license stays the one to activate',
  (code) => {
    expect(licenseInstead(both, resultOf(code), nowMs)).toBeNull()
  },
)

test.each<[string, Vault]>([
  ['nothing is pending', { ...both, pending: null }],
  ['this device has no license', { ...both, activation: null }],
  ['its license is not lost', { ...both, activation: { ...lost, verdict: 'valid' } }],
  ['its license is another service’s', { ...both, activation: { ...lost, service: 'polar' } }],
  ['the refused one is the same', { ...both, pending: pendingOf('license-a') }],
])('if %s, there is no other license', (_what, vault) => {
  expect(licenseInstead(vault, resultOf('license-suspended'), nowMs)).toBeNull()
})

test('one without a free seat gives way if it was requested before the loss', () => {
  expect(licenseInstead(both, resultOf('no-seat-left'), nowMs - 1)).toBe('license-a')
  expect(licenseInstead(both, resultOf('no-seat-left'), undefined)).toBe('license-a')
})
