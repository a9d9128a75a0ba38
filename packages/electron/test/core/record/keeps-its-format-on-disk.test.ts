import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import type { DeviceIdentity } from '../../../src/core/ports/device-port.ts'
import type { JsonObject } from '../../../src/core/ports/store-port.ts'
import { openDocument, sealDocument } from '../../../src/core/record/sealed-document.ts'
import type { Vault } from '../../../src/core/record/vault.ts'
import { createSafeStorageSecrets } from '../../../src/main/adapters/safe-storage-secrets.ts'

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
const decidedAtMs = Date.parse('2026-11-01T09:15:30.250Z')

/** A record with everything that a device can remember. */
const vault: Vault = {
  activation: {
    licenseId,
    keyId,
    fingerprint: device.fingerprint,
    activatedAtMs: Date.parse('2026-10-01T08:30:00.000Z'),
    verdict: 'valid',
    decidedAtMs,
    validAtMs: decidedAtMs,
    license: {
      activationLimit: 3,
      activationUsage: null,
      expiresAt: '2027-11-01T00:00:00.000000Z',
      suspendedAt: null,
      status: 'ACTIVE',
      plan: 'Team',
      features: ['export'],
    },
    unknown: { reason: 'unknown-activation', sinceMs: decidedAtMs },
    lease: { jws: 'lease', issuedAtMs: decidedAtMs, expiresAtMs: decidedAtMs + 1 },
    offline: { jws: 'answer', issuedAtMs: decidedAtMs, expiresAtMs: decidedAtMs + 1, secret: 'secret' },
  },
  pending: {
    licenseId: 'C1B6DE-39A6E3-V3',
    requestedAtMs: decidedAtMs,
    lateUntilMs: decidedAtMs + 1,
    earlierUntilMs: decidedAtMs,
    seatsBefore: 1,
  },
  offlineRequest: { licenseId, nonce: 'nonce', requestedAtMs: decidedAtMs, secret: 'secret' },
  outbox: [
    { licenseId, keyId: licenseId },
    { licenseId: 'C1B6DE-39A6E3-V3', keyId: 'lki_1', unknownSinceMs: decidedAtMs },
    { licenseId, keyId: null, lateUntilMs: null, refusedSinceMs: decidedAtMs },
    { licenseId: keyId, keyId: null, lateUntilMs: decidedAtMs },
  ],
  freed: [{ licenseId, keyId: licenseId, atMs: decidedAtMs }],
  markMs: decidedAtMs,
  wallMs: decidedAtMs + 250,
  trialStartedAtMs: decidedAtMs - 1000,
  service: 'polar',
}

const golden: JsonObject = JSON.parse(
  readFileSync(path.join(import.meta.dirname, 'golden', 'version-1.json'), 'utf8'),
)

const sealedAs = async (sealed: string): Promise<JsonObject> => {
  const { document } = await sealDocument(vault, device, {
    ...secrets,
    seal: async () => ({ tier: 'plain', sealed }),
  })
  return document
}

test('a record is written as in the golden file, and read from it', async () => {
  expect((await sealDocument(vault, device, secrets)).document).toEqual(golden)
  expect(await openDocument(golden, secrets)).toEqual({ ok: true, vault, device, tier: 'plain' })
})

test('a record with unknown fields opens and keeps the known ones', async () => {
  const document = await sealedAs(JSON.stringify({ ...vault, later: 1 }))
  expect(await openDocument({ ...document, later: 3 }, secrets)).toMatchObject({ ok: true, vault })
})

test('a record of a device without a machine ID keeps its random ID', async () => {
  const unnamed: DeviceIdentity = { ...device, source: 'random', randomId: 'b7e1-random' }
  const { document } = await sealDocument(vault, unnamed, secrets)
  expect(await openDocument(document, secrets)).toMatchObject({ ok: true, device: unnamed })
})

test('a record from before the device was identified can be read', async () => {
  const { document } = await sealDocument(vault, null, secrets)
  expect(await openDocument(document, secrets)).toMatchObject({ ok: true, device: null })
})

test.each([
  ['a higher version', { version: 2 }, 'store-newer-version'],
  ['a higher version and another shape', { version: 7, sealed: null, mac: 1 }, 'store-newer-version'],
  ['a lower version', { version: 0 }, 'store-unreadable'],
  ['no version', { version: null }, 'store-unreadable'],
  [
    'a fingerprint that is too long',
    { device: { ...device, fingerprint: '0123456789abcdef0' } },
    'store-unreadable',
  ],
  [
    'a fingerprint in upper case',
    { device: { ...device, fingerprint: '0123456789ABCDEF' } },
    'store-unreadable',
  ],
])('a document with %s is not opened', async (_what, changed, code) => {
  expect(await openDocument({ ...golden, ...changed }, secrets)).toEqual({ ok: false, code, device: null })
})

test.each([
  ['no JSON', 'not json'],
  ['another shape', '{"activation":7}'],
  ['a time without end', JSON.stringify(vault).replace(/"markMs":\d+/u, '"markMs":1e999')],
])('a record that contains %s is not trusted, but its device is still known', async (_what, sealed) => {
  const document = await sealedAs(sealed)
  expect(await openDocument(document, secrets)).toEqual({ ok: false, code: 'store-unreadable', device })
})
