import { describe, expect, test } from 'vitest'
import type { DeviceIdentity, DeviceIdSource } from '../../../src/core/ports/device-port.ts'
import { isFromAnotherDevice, settleIdentity } from '../../../src/core/record/device-identity.ts'
import type { ActivationRecord } from '../../../src/core/record/vault.ts'

const one = '1111111111111111'
const other = '2222222222222222'

function identity(source: DeviceIdSource, fingerprint: string, label = 'then'): DeviceIdentity {
  return { source, fingerprint, label, randomId: source === 'random' ? `random ${fingerprint}` : null }
}

function activatedBy(fingerprint: string): ActivationRecord {
  return {
    licenseId: '9b2f7c1e-4a3d-4e8b-9c55-1f6d0a7e2b34',
    keyId: '1f6d0a7e-4a3d-4e8b-9c55-9b2f7c1e2b34',
    fingerprint,
    activatedAtMs: 0,
    verdict: 'valid',
    decidedAtMs: 0,
    validAtMs: 0,
    license: { activationLimit: 3, activationUsage: 1, expiresAt: null, suspendedAt: null, status: 'ACTIVE' },
  }
}

describe('the device’s name and fingerprint', () => {
  test('are the ones found if there is no record', () => {
    const found = identity('machine-id', one)
    expect(settleIdentity(null, found)).toBe(found)
  })

  test.each<[string, DeviceIdentity, DeviceIdentity]>([
    ['the machine ID cannot be read today', identity('machine-id', one), identity('random', other, 'now')],
    ['what the developer named cannot be had', identity('override', one), identity('random', other, 'now')],
    [
      'the machine ID can be read today for once',
      identity('random', one),
      identity('machine-id', other, 'now'),
    ],
    ['another random ID was made', identity('random', one), identity('random', other, 'now')],
  ])('keep the recorded fingerprint with the current label if %s', (_what, known, found) => {
    expect(settleIdentity(known, found)).toEqual({ ...known, label: 'now' })
  })

  test.each<[string, DeviceIdentity, DeviceIdentity]>([
    ['this is another machine', identity('machine-id', one), identity('machine-id', other)],
    ['the developer names devices now', identity('machine-id', one), identity('override', other)],
    ['the developer names it, which had a random ID', identity('random', one), identity('override', other)],
    ['the developer names devices no more', identity('override', one), identity('machine-id', other)],
  ])('are the ones found if %s', (_what, known, found) => {
    expect(settleIdentity(known, found)).toBe(found)
  })
})

describe('a record from another machine', () => {
  test.each<[string, boolean, DeviceIdentity | null, ActivationRecord | null, DeviceIdentity]>([
    ['another machine ID', true, identity('machine-id', one), null, identity('machine-id', other)],
    ['the same machine ID', false, identity('machine-id', one), null, identity('machine-id', one)],
    ['another name by the developer', true, identity('override', one), null, identity('override', other)],
    [
      'named by the developer for the first time',
      false,
      identity('machine-id', one),
      null,
      identity('override', other),
    ],
    ['a machine ID that cannot be read', false, identity('machine-id', one), null, identity('random', other)],
    ['random IDs, which name no machine', false, identity('random', one), null, identity('random', other)],
    [
      'no name on record, and a key of another machine',
      true,
      null,
      activatedBy(one),
      identity('machine-id', other),
    ],
    ['no name on record, and a key of this one', false, null, activatedBy(one), identity('machine-id', one)],
    [
      'no name on record, and a name by the developer',
      false,
      null,
      activatedBy(one),
      identity('override', other),
    ],
    ['nothing on record', false, null, null, identity('machine-id', other)],
  ])('%s: %s', (_what, expected, known, activation, found) => {
    expect(isFromAnotherDevice(known, activation, found)).toBe(expected)
  })
})
