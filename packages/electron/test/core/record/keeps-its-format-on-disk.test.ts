import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import type { DeviceIdentity } from '../../../src/core/ports/device-port.ts'
import { openDocument, sealDocument } from '../../../src/core/record/sealed-document.ts'
import type { Vault } from '../../../src/core/record/vault.ts'
import { createSafeStorageSecrets } from '../../../src/main/adapters/safe-storage-secrets.ts'
import { createFakeSecrets } from '../../doubles/fake-secrets.ts'
import { createMemoryStore } from '../../doubles/memory-store.ts'
import { createTestDevice, dayMs } from '../fixture.ts'

const golden = (name: string): string => readFileSync(path.join(import.meta.dirname, 'golden', name), 'utf8')

// The real sealing, on a system without a keychain.
const secrets = createSafeStorageSecrets({ safeStorage: {}, platform: 'linux', appId: 'com.example.notes' })

const licenseId = '1f0a6c1e-5b7d-4c39-9e2f-0d7a3b5c9c1d'
const keyId = '7c2d9e40-1a3b-4f5c-8d6e-9f0a1b2c3d4e'
const device: DeviceIdentity = {
  fingerprint: '8c1f5f0a2b3d4e6f',
  label: 'Work laptop',
  source: 'machine-id',
  randomId: null,
}
const license = {
  activationLimit: 3,
  activationUsage: 2,
  expiresAt: '2027-11-01T00:00:00.000000Z',
  suspendedAt: null,
  status: 'ACTIVE',
}
const decidedAtMs = Date.parse('2026-11-01T09:15:30.250Z')

const pending = { licenseId: keyId, requestedAtMs: decidedAtMs, lateUntilMs: decidedAtMs + 1 }
const vault: Vault = {
  activation: {
    licenseId,
    keyId,
    fingerprint: device.fingerprint,
    activatedAtMs: Date.parse('2026-10-01T08:30:00.000Z'),
    verdict: 'valid',
    decidedAtMs,
    validAtMs: decidedAtMs,
    license,
  },
  pending,
  outbox: [
    { licenseId, keyId: licenseId },
    { licenseId, keyId: null, lateUntilMs: null },
    { licenseId: keyId, keyId: null, lateUntilMs: decidedAtMs },
  ],
  markMs: decidedAtMs,
  wallAheadMs: 250,
  wallMs: decidedAtMs + 250,
  trialStartedAtMs: decidedAtMs - 1000,
}
const { wallMs: _, ...vaultBeforeWall } = vault

const refusedList: Vault = {
  ...vault,
  pending: { ...pending, earlierUntilMs: decidedAtMs },
  outbox: [{ licenseId, keyId: null, lateUntilMs: null, refusedSinceMs: decidedAtMs }],
}

describe('version 2', () => {
  test('matches the golden file when it is written', async () => {
    const { document } = await sealDocument(vault, device, secrets)
    expect(document).toEqual(JSON.parse(golden('version-2-wall.json')))
  })

  test.each([
    ['version-2-wall.json', vault],
    ['version-2-plain.json', vaultBeforeWall],
    ['version-2-refused-list.json', refusedList],
  ])('is read from the golden file %s', async (name, found) => {
    const opened = await openDocument(JSON.parse(golden(name)), secrets)
    expect(opened).toEqual({ ok: true, vault: found, device, tier: 'plain' })
  })

  test('with a refused list matches the golden file when it is written', async () => {
    const { document } = await sealDocument(refusedList, device, secrets)
    expect(document).toEqual(JSON.parse(golden('version-2-refused-list.json')))
  })

  test('with fields of a later release opens and keeps the known fields', async () => {
    const later = JSON.stringify({ ...vault, later: 1, pending: { ...pending, later: [2] } })
    const { document } = await sealDocument(vault, device, {
      ...secrets,
      seal: async () => ({ tier: 'plain', sealed: later }),
    })
    expect(await openDocument({ ...document, later: 3 }, secrets)).toMatchObject({ ok: true, vault })
  })

  test('contains all fields that the first release reads, with the same version', async () => {
    const { document } = await sealDocument(vault, device, secrets)
    const before = JSON.parse(golden('version-2-plain.json'))
    expect(document).toMatchObject({ version: before.version, device: before.device, tier: before.tier })
    expect(JSON.parse(String(document['sealed']))).toMatchObject(JSON.parse(before.sealed))
  })

  test.each([
    ['limit', { activationLimit: null }],
    ['usage', { activationUsage: null }],
    ['limit and usage', { activationLimit: null, activationUsage: null }],
  ])('of a license without a %s opens in the first release after a downgrade', async (_what, unstated) => {
    const facts = { ...license, ...unstated }
    const activation = vault.activation && { ...vault.activation, license: facts }
    const { document } = await sealDocument({ ...vault, activation }, device, secrets)
    const { activation: written } = JSON.parse(String(document['sealed']))
    expect(typeof written.license.activationLimit).toBe('number')
    expect(typeof written.license.activationUsage).toBe('number')
    expect(await openDocument(document, secrets)).toMatchObject({ vault: { activation } })
  })

  test('with numbers that an earlier release wrote as null can be read', async () => {
    const sealed = golden('version-2-plain.json').replace('Limit\\":3', 'Limit\\":null')
    const { sealed: text } = JSON.parse(sealed)
    const { document } = await sealDocument(vault, device, {
      ...secrets,
      seal: async () => ({ tier: 'plain', sealed: text }),
    })
    const found = { activation: { license: { ...license, activationLimit: null } } }
    expect(await openDocument(document, secrets)).toMatchObject({ ok: true, vault: found })
  })

  test('written by a release without clock readings keeps its license, seat and time', async () => {
    const sealedThen = async (behindMs: number) => {
      const secrets = createFakeSecrets()
      const { document } = await sealDocument(vaultBeforeWall, device, secrets)
      const store = createMemoryStore({ newest: JSON.stringify(document) })
      const launched = createTestDevice(null, { store, secrets, device: { machineId: null } })
      launched.clock.jump(decidedAtMs + 250 - behindMs - launched.clock.now())
      return launched
    }
    for (const behindMs of [0, 3650 * dayMs]) {
      const launched = await sealedThen(behindMs)
      expect(await launched.decide()).toMatchObject({ entitled: true, license: { activationLimit: 3 } })
      await launched.settled()
      const { markMs, wallMs, activation } = await launched.vaultOnDisk()
      expect(activation).toEqual(vault.activation)
      expect([markMs, wallMs]).toEqual([decidedAtMs, decidedAtMs + 250 - behindMs])
      launched.sleep(13 * dayMs)
      expect(await launched.decide()).toMatchObject({ entitled: true })
      launched.sleep(2 * dayMs)
      expect(await launched.decide()).toMatchObject({ status: 'unverified', entitled: false })
    }
  })

  test('of a device without a machine ID matches the golden file', async () => {
    const unnamed: DeviceIdentity = { ...device, source: 'random', randomId: 'b7e1-random' }
    const empty = { ...vaultBeforeWall, activation: null, pending: null, outbox: [], trialStartedAtMs: null }
    const { document } = await sealDocument(empty, unnamed, secrets)
    expect(document).toEqual(JSON.parse(golden('version-2-random-device.json')))
    expect(await openDocument(document, secrets)).toEqual({
      ok: true,
      vault: empty,
      device: unnamed,
      tier: 'plain',
    })
  })

  test('written before the device had a name can be read', async () => {
    const { document } = await sealDocument(vault, null, secrets)
    expect(await openDocument(document, secrets)).toMatchObject({ ok: true, device: null })
  })

  test.each([
    ['no JSON', 'not json'],
    ['another shape', '{"activation":7}'],
    ['a time without end', JSON.stringify(vault).replace(/"markMs":\d+/u, '"markMs":1e999')],
  ])('that contains %s is not trusted, but its device is still known', async (_what, sealed) => {
    const { document } = await sealDocument(vault, device, {
      ...secrets,
      seal: async () => ({ tier: 'plain', sealed }),
    })
    expect(await openDocument(document, secrets)).toEqual({ ok: false, code: 'store-unreadable', device })
  })
})

describe('version 3', () => {
  const activation: Vault['activation'] = vault.activation && {
    ...vault.activation,
    licenseId: 'INKWELL-1C285B2D-6CE6-4BC7-B8BE-ADB6A7E304DA',
    keyId: 'lki_7c2d9e40',
    unknown: { reason: 'unknown-activation', sinceMs: decidedAtMs },
  }
  const opaque: Vault = {
    ...vault,
    activation,
    pending: { licenseId: 'C1B6DE-39A6E3-V3', requestedAtMs: decidedAtMs, lateUntilMs: null },
    outbox: [{ licenseId: 'C1B6DE-39A6E3-V3', keyId: 'lki_1', unknownSinceMs: decidedAtMs }],
  }

  test('is only used for a license key that is not a UUID', async () => {
    const { document } = await sealDocument(opaque, device, secrets)
    expect(document).toEqual(JSON.parse(golden('version-3-any-key.json')))
    expect((await sealDocument(vault, device, secrets)).document).toMatchObject({ version: 2 })
  })

  test('is read from its golden file with every license key unchanged', async () => {
    const opened = await openDocument(JSON.parse(golden('version-3-any-key.json')), secrets)
    expect(opened).toEqual({ ok: true, vault: opaque, device, tier: 'plain' })
  })

  test('is not trusted if its version was changed', async () => {
    const document = { ...JSON.parse(golden('version-3-any-key.json')), version: 2 }
    expect(await openDocument(document, secrets)).toMatchObject({ ok: false, code: 'store-edited' })
  })
})

test.each(['0123456789abcdef0', 'x0123456789abcdef', '0123456789ABCDEF'])(
  'a document of a device called %s is not a record',
  async (fingerprint) => {
    const { document } = await sealDocument(vault, { ...device, fingerprint }, secrets)
    expect(await openDocument(document, secrets)).toEqual({
      ok: false,
      code: 'store-unreadable',
      device: null,
    })
  },
)

describe('version 1', () => {
  test('is migrated', async () => {
    const opened = await openDocument(JSON.parse(golden('version-1.json')), secrets)
    expect(opened).toEqual({
      ok: true,
      tier: 'plain',
      device: null,
      vault: {
        activation: vault.activation,
        pending: null,
        outbox: [],
        markMs: decidedAtMs,
        wallAheadMs: 0,
        trialStartedAtMs: null,
      },
    })
  })

  test('of an app that was never activated stays not activated', async () => {
    expect(await openDocument({ version: 1, record: null }, secrets)).toMatchObject({
      ok: true,
      vault: { activation: null },
    })
  })

  test('with an unreadable date is not trusted', async () => {
    const document = JSON.parse(golden('version-1.json').replace('2026-11-01T09:15:30.250Z', 'yesterday'))
    expect(await openDocument(document, secrets)).toMatchObject({ ok: false, code: 'store-unreadable' })
  })

  test('with a limit without end is not trusted', async () => {
    const written = golden('version-1.json').replace('"activationLimit": 3', '"activationLimit": 1e999')
    expect(await openDocument(JSON.parse(written), secrets)).toMatchObject({
      ok: false,
      code: 'store-unreadable',
    })
  })

  test.each(['a', 'xyz-', '\n'])('with an extra %j in the fingerprint is not trusted', async (extra) => {
    const document = JSON.parse(golden('version-1.json'))
    const { fingerprint } = document.record
    for (const wrong of [`${extra}${fingerprint}`, `${fingerprint}${extra}`]) {
      const record = { ...document.record, fingerprint: wrong }
      expect(await openDocument({ ...document, record }, secrets)).toMatchObject({ ok: false })
    }
  })

  test('keeps the app entitled, and is rewritten as version 2', async () => {
    const store = createMemoryStore({ newest: golden('version-1.json') })
    const launched = createTestDevice(null, { store, device: { machineId: null }, rules: { graceMs: 1e15 } })
    expect(await launched.decide()).toMatchObject({ entitled: true, license: { activationLimit: 3 } })
    await launched.settled()
    expect(JSON.parse(store.texts.newest ?? '')).toMatchObject({ version: 2 })
  })

  test('does not entitle another machine', async () => {
    const store = createMemoryStore({ newest: golden('version-1.json') })
    const launched = createTestDevice(null, { store, rules: { graceMs: 1e15 } })
    expect(await launched.launch()).toMatchObject({
      status: 'unlicensed',
      problem: { code: 'record-of-another-device' },
    })
  })
})
