import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import type { DeviceIdentity, JsonObject, SecretsPort } from '../../../src/core/ports.ts'
import { emptyRecord } from '../../../src/core/record.ts'
import { createRecordFile } from '../../../src/core/record-file.ts'
import { createSafeStorageSecrets } from '../../../src/main/adapters/safe-storage-secrets.ts'
import { createFakeClock } from '../../doubles/fake-clock.ts'
import { createMemoryStore } from '../../doubles/memory-store.ts'
import { createRecordingLogger } from '../../doubles/recording-logger.ts'

const logger = createRecordingLogger()

// The real sealing, on a system without a keychain.
const secrets = createSafeStorageSecrets({
  safeStorage: () => ({}),
  platform: 'linux',
  appId: 'com.example.notes',
  electronVersion: '45.4.1',
})

/** A record's file in memory, with that text in it. */
function fileWith(newest: string | null, sealing: Partial<SecretsPort> = {}) {
  const store = createMemoryStore({ newest })
  const ports = { store, secrets: { ...secrets, ...sealing }, clock: createFakeClock(), logger }
  return { store, file: createRecordFile(ports) }
}

const opened = (document: unknown) => fileWith(JSON.stringify(document)).file.load()

const golden: JsonObject = JSON.parse(
  readFileSync(path.join(import.meta.dirname, 'golden', 'version-1.json'), 'utf8'),
)
/** Everything that a device can remember. */
const { record, device } = await opened(golden)
if (device === null) throw new Error('The golden file doesn’t open')

/** The document that is written for this device, or for another one. */
async function written(of: DeviceIdentity | null = device, sealed?: string): Promise<JsonObject> {
  const sealing = sealed === undefined ? {} : { seal: async () => ({ tier: 'plain' as const, sealed }) }
  const { store, file } = fileWith(null, sealing)
  expect(await file.write({ record, device: of })).toBe('written')
  return JSON.parse(store.texts.newest ?? '')
}

test('a record is read from the golden file whole, and written as in it', async () => {
  expect(await opened(golden)).toMatchObject({ tier: 'plain', problem: null })
  expect(record).toEqual(JSON.parse(String(golden['sealed'])))
  expect(await written()).toEqual(golden)
})

test('a record with unknown fields opens and keeps the known ones', async () => {
  const document = await written(device, JSON.stringify({ ...record, later: 1 }))
  expect(await opened({ ...document, later: 3 })).toMatchObject({ record, problem: null })
})

test('a record of a device without a machine ID keeps its random ID', async () => {
  const unnamed: DeviceIdentity = { ...device, source: 'random', randomId: 'b7e1-random' }
  expect(await opened(await written(unnamed))).toMatchObject({ device: unnamed, problem: null })
})

test('a record from before the device was identified can be read', async () => {
  expect(await opened(await written(null))).toMatchObject({ record, device: null, problem: null })
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
])('a document with %s is not opened', async (_what, changed, problem) => {
  expect(await opened({ ...golden, ...changed })).toMatchObject({
    record: emptyRecord,
    problem,
    device: null,
  })
})

test.each([
  ['no JSON', 'not json'],
  ['another shape', '{"activation":7}'],
  ['a time without end', JSON.stringify(record).replace(/"markMs":\d+/u, '"markMs":1e999')],
])('a record that contains %s is not trusted, but its device is still known', async (_what, sealed) => {
  const problem = 'store-unreadable'
  expect(await opened(await written(device, sealed))).toMatchObject({ record: emptyRecord, problem, device })
})
