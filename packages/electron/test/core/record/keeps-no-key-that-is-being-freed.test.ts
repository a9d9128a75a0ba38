import { expect, test } from 'vitest'
import { decide } from '../../../src/core/record/decide.ts'
import type { LicensingEvent } from '../../../src/core/record/licensing-event.ts'
import { type ActivationRecord, emptyVault, type Vault } from '../../../src/core/record/vault.ts'
import { createTestDevice, dayMs, minuteMs, type TestDevice } from '../fixture.ts'
import { createServiceModel } from '../service-model.ts'

const nowMs = 1_000_000_000
const seat = { licenseId: 'license-a', keyId: 'key-1' }
const search = { licenseId: 'license-a', keyId: null, lateUntilMs: null }
const record: ActivationRecord = {
  ...seat,
  fingerprint: '0123456789abcdef',
  activatedAtMs: nowMs,
  verdict: 'valid',
  decidedAtMs: nowMs,
  validAtMs: nowMs,
  license: { activationLimit: 3, activationUsage: 1, expiresAt: null, suspendedAt: null, status: 'ACTIVE' },
}
const activated = (seenAtMs: number): LicensingEvent => ({
  type: 'activated',
  record,
  seenAtMs,
  duplicateKeyIds: [],
  evidence: { isAnswered: true, list: { kind: 'needless' }, mustReadAgain: false },
})
const keptOldest = (seenAtMs: number): LicensingEvent => ({
  type: 'kept-oldest',
  ...seat,
  fingerprint: record.fingerprint,
  seenAtMs,
  reading: { kind: 'licensed', verdict: 'valid', license: record.license },
  duplicateKeyIds: ['key-2'],
})
const freedAt = (ms: number): Vault =>
  decide({ ...emptyVault, outbox: [seat] }, { type: 'seat-freed', release: seat }, ms)

test('a key that was freed after it was seen isn’t used, and the license is searched again', () => {
  const freed = freedAt(nowMs)
  expect(decide(freed, activated(nowMs - 1), nowMs)).toEqual({ ...freed, outbox: [search] })
  const late = { ...search, lateUntilMs: nowMs + 5 }
  const searching = { ...freed, outbox: [late] }
  expect(decide(searching, activated(nowMs - 1), nowMs)).toEqual(searching)
})

test('a key that the service issues again after it was freed is used', () => {
  const againMs = nowMs + 5001
  expect(decide(freedAt(nowMs), activated(againMs), againMs).activation).toEqual(record)
})

test('a process whose clock is seconds ahead of another one’s uses no key that this one freed', () => {
  const freed = freedAt(nowMs)
  expect(decide(freed, activated(nowMs + 5000), nowMs + 5000).activation).toBeNull()
})

test('another license may have a key with the same id', () => {
  const release = { ...seat, licenseId: 'license-b' }
  const freed = decide({ ...emptyVault, outbox: [release] }, { type: 'seat-freed', release }, nowMs)
  expect(decide(freed, activated(nowMs - 1), nowMs).activation).toEqual(record)
})

test('a key isn’t used while a request that frees it may still arrive', () => {
  const asked = { ...emptyVault, outbox: [seat] }
  const sent = decide(asked, { type: 'release-sent', release: seat }, nowMs)
  const left = decide(sent, activated(nowMs + 1), nowMs + 1)
  expect(left).toMatchObject({ activation: null, outbox: [{ ...seat }, search] })
  // A queued seat that nobody has begun to free can be used.
  expect(decide(asked, activated(nowMs + 1), nowMs + 1).activation).toEqual(record)
})

test('an older key that is being freed doesn’t replace the one in use', () => {
  const inUse = { ...record, keyId: 'key-2' }
  const freed = { ...freedAt(nowMs), activation: inUse, outbox: [search] }
  expect(decide(freed, keptOldest(nowMs - 1), nowMs)).toEqual(freed)
  expect(decide(freed, keptOldest(nowMs + 5001), nowMs + 5001).activation?.keyId).toBe('key-1')
})

test('a key isn’t used if a release code was created for it after it was seen', () => {
  const releaseLink = 'https://licensing.example.com/v1/offline#latchkey-release-1'
  const coded: Vault = { ...emptyVault, outbox: [{ ...seat, releaseLink }] }
  expect(decide(coded, activated(nowMs), nowMs)).toEqual({ ...coded, outbox: [...coded.outbox, search] })
  const inUse = { ...coded, activation: { ...record, keyId: 'key-2' } }
  expect(decide(inUse, keptOldest(nowMs), nowMs)).toBe(inUse)
  // The code of another key is no reason.
  const other = { ...coded, outbox: [{ ...seat, keyId: 'key-3', releaseLink }] }
  expect(decide(other, activated(nowMs), nowMs).activation).toEqual(record)
})

test('freed keys are remembered for ten minutes of the service’s time', () => {
  const other = { licenseId: 'license-a', keyId: 'key-2' }
  const freeOther = (ms: number) =>
    decide({ ...freedAt(nowMs), outbox: [other] }, { type: 'seat-freed', release: other }, ms).freed
  expect(freeOther(nowMs + 10 * minuteMs - 1)).toHaveLength(2)
  expect(freeOther(nowMs + 10 * minuteMs)).toEqual([{ ...other, atMs: nowMs + 10 * minuteMs }])
  const earlier = decide(freedAt(nowMs), { type: 'time-stated', movedMs: -dayMs }, nowMs - dayMs)
  expect(earlier.freed).toEqual([{ ...seat, atMs: nowMs - dayMs }])
  // A seat that somebody else freed isn't remembered twice.
  expect(decide(emptyVault, { type: 'seat-freed', release: seat }, nowMs)).toEqual(emptyVault)
})

/** Two processes on one record. `onValidated` runs before the second one gets the answer to *validate*. */
async function twoProcesses(onValidated: (first: TestDevice, licenseId: string) => Promise<unknown>) {
  const model = createServiceModel(() => first.clock.now())
  const license = model.addLicense(3)
  const first = createTestDevice(null, { service: model.reachedBy(() => ({ kind: 'served' })) })
  let isValidating = false
  const service = model.reachedBy(
    (operation) => {
      isValidating = operation === 'validate'
      return { kind: 'served' }
    },
    async (arrive) => {
      if (!isValidating || arrive !== null) return
      isValidating = false
      await onValidated(first, license.id)
    },
  )
  const second = createTestDevice(null, { service, store: first.store, secrets: first.secrets })
  await first.core.activate(license.id)
  return { first, second, license }
}

test('a key that another process frees during an activation isn’t used', async () => {
  const { first, second, license } = await twoProcesses((other) => other.core.deactivate())
  expect(await second.core.activate(license.id)).toMatchObject({
    ok: false,
    problem: { code: 'activation-unconfirmed' },
    state: { status: 'unlicensed' },
  })
  expect(license.keys).toEqual([])
  expect(await second.core.activate(license.id)).toMatchObject({ ok: true, state: { status: 'active' } })
  expect(await first.launch()).toMatchObject({ status: 'active', problem: null })
  expect(license.keys).toHaveLength(1)
})

test('an activation ends with the key that another process took into use meanwhile', async () => {
  const { first, second, license } = await twoProcesses(async (other, licenseId) => {
    await other.core.deactivate()
    await other.core.activate(licenseId)
  })
  expect(await second.core.activate(license.id)).toMatchObject({ ok: true, state: { status: 'active' } })
  expect(await first.launch()).toMatchObject({ status: 'active', problem: null })
  expect(license.keys).toHaveLength(1)
})
