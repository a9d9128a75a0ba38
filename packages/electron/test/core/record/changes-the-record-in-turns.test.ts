import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createLicensingSession } from '../../../src/core/licensing-session.ts'
import { releaseQueuedKey } from '../../../src/core/operations/online/release-key.ts'
import type { LockOutcome, LockPort } from '../../../src/core/ports/lock-port.ts'
import { describeSession } from '../../../src/core/state/describe-session.ts'
import { createFakeClock } from '../../doubles/fake-clock.ts'
import { createFakeDevice } from '../../doubles/fake-device.ts'
import { createFakeSecrets } from '../../doubles/fake-secrets.ts'
import { createMemoryStore, type MemoryStore } from '../../doubles/memory-store.ts'
import { createNetFetchCommerce } from '../../doubles/net-fetch-commerce.ts'
import { createRecordingLogger } from '../../doubles/recording-logger.ts'
import { createSharedLock } from '../../doubles/shared-lock.ts'
import {
  createTestDevice,
  dayMs,
  defaultRules,
  hourMs,
  startTestService,
  type TestDevice,
  type TestService,
} from '../fixture.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.emulator.close())

const lockThat = (acquire: LockPort['acquire']) => ({ port: (): LockPort => ({ acquire, end() {} }) })

/** A second process with the same files. Its disk can be full while the first one's isn't. */
function beside({ store, secrets }: TestDevice, rules = {}): { device: TestDevice; own: MemoryStore } {
  const own: MemoryStore = {
    ...createMemoryStore(),
    get texts() {
      return store.texts
    },
    read: () => store.read(),
    place: store.place,
    async write(...args) {
      return this.failure === null ? store.write(...args) : { ok: false, code: this.failure }
    },
    setAside: () => store.setAside(),
  }
  return { device: createTestDevice(service, { store: own, secrets, rules }), own }
}

test('a change waits until another process has finished its change', async () => {
  const recordLock = createSharedLock()
  const device = createTestDevice(service, { recordLock })
  await device.core.activate(service.newLicense().id)
  const held = await recordLock.port(device.clock).acquire()
  const { writes } = device.store
  const deactivation = device.core.deactivate()
  await device.clock.advance(200)
  expect(device.store.writes).toBe(writes)
  if (held.kind === 'held') await held.release()
  await device.clock.advance(200)
  expect(await deactivation).toMatchObject({ ok: true, seat: 'freed' })
})

test('a launch reads the record while another process holds its lock', async () => {
  const recordLock = createSharedLock()
  const device = createTestDevice(service, { recordLock })
  await device.core.activate(service.newLicense().id)
  await device.quit()
  await recordLock.port(device.clock).acquire()
  expect(await device.decide()).toMatchObject({ status: 'active', entitled: true })
})

test.each<readonly [string, Exclude<LockOutcome['kind'], 'held'>, readonly string[]]>([
  ['takes no lock files', 'unavailable', ['lock the record: store-not-writable']],
  ['is locked by a process that never ends', 'busy', ['lock the record: busy']],
  ['is left because the app quits', 'ended', []],
])('a folder that %s only loses the lock, and the report says so once', async (_what, kind, lines) => {
  const lock = lockThat(async () => ({ kind }))
  const device = createTestDevice(service, { lock, recordLock: lock })
  await device.launch()
  expect(await device.core.activate(service.newLicense().id)).toMatchObject({ ok: true })
  expect(await device.launch()).toMatchObject({ status: 'active' })
  const noted = device.core.diagnose(describeSession).filter((line) => line.includes('lock the record'))
  expect(noted.map((line) => line.replace(/^\s*\S+ /u, ''))).toEqual(lines)
})

test('a lock that throws costs the record but not the license', async () => {
  const recordLock = lockThat(() => Promise.reject(new Error('broken')))
  const device = createTestDevice(service, { recordLock })
  expect(await device.core.activate(service.newLicense().id)).toMatchObject({ ok: true })
  expect(device.logger.lines).toContain('error The license record could not be updated (Error)')
  const odd = createTestDevice(service, { recordLock: lockThat(() => Promise.reject('broken')) })
  expect(await odd.core.activate(service.newLicense().id)).toMatchObject({ ok: true })
  expect(odd.logger.lines).toContain('error The license record could not be updated (string)')
})

test('a keychain that throws something other than an Error is reported with that value', async () => {
  const device = createTestDevice(service)
  device.secrets.seal = () => Promise.reject('out of order')
  await device.core.activate(service.newLicense().id)
  expect(device.logger.lines).toContain('error The license record could not be saved (string)')
})

test('a process that keeps writing without the lock delays responses but not the user', async () => {
  const device = createTestDevice(service)
  const { id: licenseId } = service.newLicense()
  await device.core.activate(licenseId)
  await device.settled()
  const { write } = device.store
  let count = 0
  device.store.write = async function (document, mayReplace, onReplaced) {
    count += 1
    device.store.place('newest', JSON.stringify({ ...JSON.parse(device.store.texts.newest ?? ''), count }))
    return write.call(this, document, mayReplace, onReplaced)
  }
  await device.core.validate()
  expect(JSON.parse(device.store.texts.newest ?? '')).toMatchObject({ count: 5 })
  expect(await device.core.deactivate()).toMatchObject({ ok: true, seat: 'freed' })
  expect(await device.vaultOnDisk()).toMatchObject({ activation: null, outbox: [] })
  expect(service.seats(licenseId)).toEqual([])
})

test('a failed write is merged with what another process has written since', async () => {
  const first = createTestDevice(service, { rules: { trialMs: 30 * dayMs } })
  const { device: second, own } = beside(first, { trialMs: 30 * dayMs })
  own.failure = 'disk-full'
  expect(await second.launch()).toMatchObject({ status: 'trial', storage: 'memory' })
  const { id: licenseId } = service.newLicense()
  // It has no trial.
  const plain = createTestDevice(service, { store: first.store, secrets: first.secrets })
  await plain.core.activate(licenseId)
  own.failure = null
  await second.elapse(1.2 * dayMs)
  expect(second.state).toMatchObject({ status: 'active', problem: null })
  expect(await plain.vaultOnDisk()).toMatchObject({
    activation: { licenseId },
    trialStartedAtMs: expect.any(Number),
  })
})

test('the service’s time is kept if another process wrote in the meantime', async () => {
  const first = createTestDevice(service)
  await first.core.activate(service.newLicense().id)
  const { device: second, own } = beside(first)
  await second.launch()
  own.failure = 'disk-full'
  // The computer's clock is ten years ahead, and the service corrects it only for the second process.
  second.clock.jump(3650 * dayMs)
  await second.elapse(hourMs)
  await second.core.validate()
  first.clock.jump(3650 * dayMs)
  await first.elapse(2 * hourMs)
  own.failure = null
  await second.core.validate()
  const { markMs } = await first.vaultOnDisk()
  expect(markMs).toBeLessThan(Date.now() + 30 * dayMs)
})

test('queued seats are not released in the background beside a record of a newer app', async () => {
  const { id: licenseId } = service.newLicense()
  const device = createTestDevice(service)
  await device.core.activate(licenseId)
  const { faults } = service.emulator.control
  faults.inject({ fault: 'status', status: 503, operation: 'deactivate', licenseId })
  expect(await device.core.deactivate()).toMatchObject({ seat: 'freed-later' })
  faults.clear()
  device.store.place('newest', '{"version":99}')
  const asked = service.asked(licenseId).length
  await device.elapse(5 * hourMs)
  expect(service.asked(licenseId)).toHaveLength(asked)
  expect(device.store.texts.newest).toBe('{"version":99}')
  expect(device.state.problem).toMatchObject({ code: 'deactivation-pending' })
})

test('a record whose keychain was locked is not replaced by a background operation', async () => {
  const device = createTestDevice(service)
  await device.core.activate(service.newLicense().id)
  // The check at launch must not write after that.
  await device.quit()
  const secrets = createFakeSecrets({ keychain: 'of another system' })
  const other = createTestDevice(service, { store: device.store, secrets })
  await other.launch()
  const { newest } = device.store.texts
  await other.elapse(2 * dayMs)
  await other.quit()
  expect(device.store.texts.newest).toBe(newest)
})

test('two equal changes in a row are written once', async () => {
  const store = createMemoryStore()
  const session = createLicensingSession(
    {
      commerce: createNetFetchCommerce({ baseUrl: service.emulator.baseUrl, fetch }),
      store,
      device: createFakeDevice(),
      clock: createFakeClock(),
      secrets: createFakeSecrets(),
      logger: createRecordingLogger(),
    },
    defaultRules,
  )
  await session.open()
  await Promise.all([
    session.record({ type: 'trial-started' }),
    session.record({ type: 'activation-requested', licenseId: service.newLicense().id }),
  ])
  expect(session.vault().pending).not.toBeNull()
  expect(store.writes).toBe(1)
})

test('a seat that another process uses again is not released', async () => {
  const { id: licenseId } = service.newLicense()
  const first = createTestDevice(service)
  await first.core.activate(licenseId)
  const { activation } = await first.vaultOnDisk()
  await first.settled()
  const session = createLicensingSession(
    {
      commerce: createNetFetchCommerce({ baseUrl: service.emulator.baseUrl, fetch }),
      store: first.store,
      device: createFakeDevice(),
      clock: createFakeClock(),
      secrets: first.secrets,
      logger: createRecordingLogger(),
    },
    defaultRules,
  )
  await session.open()
  // It was queued when this process last read the record.
  expect(await releaseQueuedKey(session, { licenseId, keyId: activation?.keyId ?? '' })).toBeNull()
  expect(service.seats(licenseId)).toHaveLength(1)
})

describe('an app that quits while its record waits for the lock', () => {
  const trial = { trialMs: 14 * dayMs }
  const neverLocked = lockThat(() => new Promise(() => {}))

  test('has written everything when it ends', async () => {
    const device = createTestDevice(service, { recordLock: neverLocked, rules: trial })
    await device.decide()
    expect(device.store.writes).toBe(0)
    device.core.finish()
    const { trialStartedAtMs } = await device.vaultOnDisk()
    expect(trialStartedAtMs).toEqual(expect.any(Number))
    const next = createTestDevice(service, { store: device.store, secrets: device.secrets, rules: trial })
    await next.launch()
    expect(await next.vaultOnDisk()).toMatchObject({ trialStartedAtMs })
    // There is nothing new to write.
    const { newest } = device.store.texts
    next.core.finish()
    expect(device.store.texts.newest).toBe(newest)
  })

  test('has saved the clock readings if the wall clock was set back', async () => {
    const { store, secrets, core } = createTestDevice(service)
    await core.activate(service.newLicense().id)
    const launchLater = async (ms: number) => {
      const whenPainted = () => new Promise<void>(() => {})
      const device = createTestDevice(service, { store, secrets, recordLock: neverLocked, whenPainted })
      device.clock.jump(ms - 3650 * dayMs)
      const { entitled } = await device.decide()
      device.core.finish()
      return entitled
    }
    expect(await launchLater(0)).toBe(true)
    expect(await launchLater(13 * dayMs)).toBe(true)
    expect(await launchLater(15 * dayMs)).toBe(false)
  })

  test('leaves the record of another process as it is', async () => {
    const device = createTestDevice(service, { recordLock: neverLocked, rules: trial })
    await device.decide()
    const other = createTestDevice(service, { store: device.store, secrets: device.secrets })
    await other.core.activate(service.newLicense().id)
    const { newest } = device.store.texts
    device.core.finish()
    expect(device.store.texts.newest).toBe(newest)
  })

  test('leaves a record that couldn’t be opened as it is, even if it can seal without the keychain', async () => {
    const first = createTestDevice(service)
    const { store, secrets } = first
    await first.core.activate(service.newLicense().id)
    // Its launch's check writes the time of the answer.
    await first.settled()
    const { newest, lastGood } = store.texts
    const sealNow = (sealed: string) => ({ tier: 'plain', sealed }) as const
    const declined = { ...secrets, locked: true, sealNow }
    let isWaiting = false
    const recordLock = lockThat(() => {
      isWaiting = true
      return new Promise(() => {})
    })
    const device = createTestDevice(service, { store, secrets: declined, recordLock })
    await device.decide()
    void device.core.activate(service.newLicense().id)
    await expect.poll(() => isWaiting).toBe(true)
    device.core.finish()
    expect(store.texts).toEqual({ newest, lastGood })
    expect(store.setAsideTexts).toEqual([])
  })

  test('writes nothing that it can’t encrypt immediately', async () => {
    const secrets = { ...createFakeSecrets(), sealNow: () => null }
    const device = createTestDevice(service, { recordLock: neverLocked, rules: trial, secrets })
    await device.decide()
    device.core.finish()
    expect(device.store.texts.newest).toBeNull()
  })
})
