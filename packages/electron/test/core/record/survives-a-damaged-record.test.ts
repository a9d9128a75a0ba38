import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createFakeSecrets } from '../../doubles/fake-secrets.ts'
import { createMemoryStore } from '../../doubles/memory-store.ts'
import {
  createTestDevice,
  dayMs,
  hourMs,
  startTestService,
  type TestDevice,
  type TestDeviceOptions,
  type TestService,
} from '../fixture.ts'
import { createServiceModel } from '../service-model.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
beforeEach(() => service.emulator.control.reset())
afterAll(() => service.emulator.close())

/** An activated device whose app is closed. */
async function activated(
  tier: 'keychain' | 'plain' = 'keychain',
): Promise<{ device: TestDevice; licenseId: string; written: string }> {
  const { id: licenseId } = service.newLicense({ activation_limit: 1 })
  const device = createTestDevice(service, { secrets: createFakeSecrets({ tier }) })
  await device.core.activate(licenseId)
  await device.quit()
  return { device, licenseId, written: device.store.texts.newest ?? '' }
}

/** A computer that was set up with a copy of a device's folder and keychain. */
const copyOf = ({ store, secrets }: TestDevice, options: TestDeviceOptions = {}): TestDevice =>
  createTestDevice(service, {
    store: createMemoryStore({ ...store.texts }),
    secrets,
    device: { machineId: 'machine-two' },
    ...options,
  })

function edited(text: string, change: (document: Record<string, unknown>) => object): string {
  return JSON.stringify(change(JSON.parse(text)))
}

const damages: readonly (readonly [string, string, (written: string) => string, 'plain' | 'keychain'])[] = [
  ['is empty', 'store-empty', () => '', 'keychain'],
  ['ends in the middle', 'store-unreadable', (written) => written.slice(0, -20), 'keychain'],
  ['is something else', 'store-unreadable', () => '[1, 2, 3]', 'keychain'],
  ['holds no version', 'store-unreadable', () => '{}', 'keychain'],
  ['lacks a field', 'store-unreadable', (w) => edited(w, ({ mac: _, ...rest }) => ({ ...rest })), 'keychain'],
  ['is a version 1 that is none', 'store-unreadable', () => '{"version":1,"record":7}', 'keychain'],
  [
    'was edited',
    'store-edited',
    (w) => edited(w, (d) => ({ ...d, sealed: String(d['sealed']).replaceAll('"valid"', '"valid" ') })),
    'plain',
  ],
  [
    'names another device',
    'store-edited',
    (w) => edited(w, (d) => ({ ...d, device: { ...Object(d['device']), fingerprint: '0'.repeat(16) } })),
    'plain',
  ],
  [
    'says that its device has no machine ID',
    'store-edited',
    (w) => edited(w, (d) => ({ ...d, device: { ...Object(d['device']), source: 'random' } })),
    'plain',
  ],
  [
    'claims to be sealed by the keychain',
    'store-edited',
    (w) => edited(w, (d) => ({ ...d, tier: 'keychain' })),
    'plain',
  ],
]

describe.each(damages)('a license file that %s', (_what, code, damage, tier) => {
  test('is restored from its last good copy, and kept', async () => {
    const { device, written } = await activated(tier)
    const damaged = damage(written)
    device.store.place('newest', damaged)
    expect(await device.decide()).toMatchObject({
      status: 'active',
      entitled: true,
      problem: { code: 'store-restored' },
    })
    expect(await device.settled()).toMatchObject({ status: 'active', problem: null })
    expect(device.store.setAsideTexts).toEqual([damaged])
    expect((await device.recordOnDisk()).activation).toMatchObject({ verdict: 'valid' })
  })

  test('with its copy damaged alike asks for an activation, which keeps the seat', async () => {
    const { device, licenseId, written } = await activated(tier)
    device.store.place('newest', damage(written))
    device.store.place('lastGood', damage(written))
    expect(await device.launch()).toMatchObject({ status: 'unlicensed', problem: { code } })
    expect(await device.core.activate(licenseId)).toMatchObject({ ok: true, state: { problem: null } })
    expect(service.seats(licenseId)).toHaveLength(1)
    expect(device.store.setAsideTexts).toContain(damage(written))
    expect(await device.launch()).toMatchObject({ status: 'active', problem: null })
  })
})

test('a missing file is found again in its copy', async () => {
  const { device } = await activated()
  device.store.place('newest', null)
  expect(await device.decide()).toMatchObject({ status: 'active', problem: { code: 'store-restored' } })
  await device.settled()
  expect(await device.decide()).toMatchObject({ status: 'active', problem: null })
})

test('a process that died between file and copy loses nothing', async () => {
  const { device } = await activated()
  device.store.diesBetweenFiles = true
  await device.launch()
  await device.core.deactivate()
  device.store.diesBetweenFiles = false
  expect(await device.decide()).toMatchObject({ status: 'unlicensed', problem: null })
})

test('a file of a newer version is left alone until the user activates, and then kept', async () => {
  const { device, licenseId, written } = await activated()
  const newer = edited(written, (document) => ({ ...document, version: 4 }))
  device.store.place('newest', newer)
  for (let launch = 0; launch < 2; launch += 1) {
    expect(await device.launch()).toMatchObject({
      status: 'unlicensed',
      problem: { code: 'store-newer-version' },
    })
    await device.elapse(2 * dayMs)
    await device.quit()
    expect(device.store.texts.newest).toBe(newer)
  }
  expect(await device.core.activate(licenseId)).toMatchObject({ ok: false })
  await device.launch()
  expect(await device.core.activate(licenseId)).toMatchObject({ ok: true })
  expect(device.store.setAsideTexts).toEqual([newer])
  expect(service.seats(licenseId)).toHaveLength(1)
})

describe('a keychain that is locked while the app is started', () => {
  async function startedLocked(): Promise<{ device: TestDevice; licenseId: string }> {
    const { device, licenseId } = await activated()
    device.secrets.locked = true
    expect(await device.launch()).toMatchObject({
      status: 'unlicensed',
      problem: { code: 'store-undecryptable' },
    })
    return { device, licenseId }
  }

  test('and unlocked afterwards brings the license back by itself', async () => {
    const { device } = await startedLocked()
    await device.elapse(hourMs)
    expect(device.state).toMatchObject({ status: 'unlicensed', problem: { code: 'store-undecryptable' } })
    device.secrets.locked = false
    await device.elapse(2 * hourMs)
    expect(device.state).toMatchObject({ status: 'active', entitled: true, problem: null })
    expect(device.store.setAsideTexts).toEqual([])
  })

  test('and unlocked afterwards brings it back at once when the user looks again', async () => {
    const { device } = await startedLocked()
    device.secrets.locked = false
    expect(await device.core.validate()).toMatchObject({ status: 'active', entitled: true })
  })

  test('does not push the record aside when the user types the key after it was unlocked', async () => {
    const { device, licenseId } = await startedLocked()
    device.secrets.locked = false
    expect(await device.core.activate(licenseId)).toMatchObject({ ok: true })
    expect(device.store.setAsideTexts).toEqual([])
  })

  test('and never unlocked lets the user activate, and keeps the record it could not open', async () => {
    const { device, licenseId } = await startedLocked()
    const sealed = device.store.texts.newest
    device.secrets.tier = 'plain'
    expect(await device.core.activate(licenseId)).toMatchObject({ ok: true, state: { storage: 'plain' } })
    expect(device.store.setAsideTexts).toEqual([sealed])
    expect(service.seats(licenseId)).toHaveLength(1)
    device.secrets.locked = false
    await device.elapse(2 * hourMs)
    expect(device.state).toMatchObject({ status: 'active', storage: 'plain' })
  })
})

test.each([
  ['with', 'machine-one'],
  ['without', null],
])(
  'a keychain that lost its key asks for an activation, which keeps the seat (%s a machine ID)',
  async (_what, machineId) => {
    const { id: licenseId } = service.newLicense({ activation_limit: 1 })
    const device = createTestDevice(service, { device: { machineId } })
    await device.core.activate(licenseId)
    await device.quit()
    device.secrets.keychain = 'a new one'
    expect(await device.launch()).toMatchObject({
      status: 'unlicensed',
      problem: { code: 'store-undecryptable' },
    })
    expect(await device.core.activate(licenseId)).toMatchObject({ ok: true })
    expect(service.seats(licenseId)).toHaveLength(1)
  },
)

test('a machine ID that cannot be read today does not make it another device', async () => {
  const { device, licenseId } = await activated()
  device.device.machineId = null
  expect(await device.launch()).toMatchObject({ status: 'active' })
  expect(await device.core.activate(licenseId)).toMatchObject({ ok: true })
  expect(service.seats(licenseId)).toHaveLength(1)
})

describe('a folder copied to another computer', () => {
  test.each(['keychain', 'plain'] as const)(
    'has to be activated there, and the original keeps its key (%s)',
    async (tier) => {
      const { device, licenseId } = await activated(tier)
      const { newest } = device.store.texts
      const copy = copyOf(device)
      expect(await copy.launch()).toMatchObject({
        status: 'revoked',
        entitled: false,
        license: { maskedKey: device.state.license?.maskedKey },
        problem: { code: 'record-of-another-device' },
      })
      expect(service.asked(licenseId).filter((line) => line.startsWith('deactivate'))).toEqual([])
      expect(await copy.core.activate(licenseId)).toMatchObject({ problem: { code: 'no-seat-left' } })
      expect(await device.launch()).toMatchObject({ status: 'active', entitled: true })
      expect(await copy.launch()).toMatchObject({
        status: 'revoked',
        problem: { code: 'record-of-another-device' },
      })
      await copy.elapse(3 * dayMs)
      expect(copy.state.entitled).toBe(false)
      // Keeps the record in case the folder is moved back.
      expect(copy.store.setAsideTexts).toEqual([newest])
    },
  )

  test.each(['plain', 'keychain'] as const)('(%s) while the app runs there entitles nobody', async (tier) => {
    const { device, licenseId } = await activated(tier)
    const { newest } = device.store.texts
    const copy = copyOf(device, { store: createMemoryStore() })
    await copy.launch()
    copy.store.place('newest', newest)
    expect(await copy.core.validate()).toMatchObject({
      status: 'unlicensed',
      entitled: false,
      problem: { code: 'record-of-another-device' },
    })
    expect(copy.store.setAsideTexts).toEqual([newest])
    expect((await copy.launch()).status).toBe('unlicensed')
    expect(await device.launch()).toMatchObject({ status: 'active' })
    expect(service.seats(licenseId)).toHaveLength(1)
  })

  test.each(['keychain-one', 'keychain-two'])(
    'over the record of a device that runs leaves that device its own (%s)',
    async (keychain) => {
      const { device } = await activated()
      const other = copyOf(device, { store: createMemoryStore(), secrets: createFakeSecrets({ keychain }) })
      const own = service.newLicense()
      await other.launch()
      await other.core.activate(own.id)
      other.store.place('newest', device.store.texts.newest)
      service.emulator.control.suspend(own.id)
      expect(await other.core.validate()).toMatchObject({ status: 'suspended' })
      expect(other.store.setAsideTexts).toEqual([device.store.texts.newest])
      expect(await other.decide()).toMatchObject({ status: 'suspended' })
    },
  )

  test.each(['keychain', 'plain'] as const)(
    'is activated there with one click, and both computers have a seat (%s)',
    async (tier) => {
      const license = service.newLicense({ activation_limit: 2 })
      const device = createTestDevice(service, { secrets: createFakeSecrets({ tier }) })
      await device.core.activate(license.id)
      await device.quit()
      const copy = copyOf(device)
      await copy.decide()
      // The keychain was copied too: the launch doesn't wait for the identification.
      expect(copy.states.some(({ entitled }) => entitled)).toBe(tier === 'keychain')
      expect(await copy.settled()).toMatchObject({ status: 'revoked', entitled: false })
      await copy.quit()
      await copy.launch()
      expect(service.seats(license.id)).toHaveLength(1)
      expect(await copy.core.reactivate()).toMatchObject({
        ok: true,
        state: { status: 'active', problem: null },
      })
      expect(service.seats(license.id)).toHaveLength(2)
      await copy.elapse(3 * dayMs)
      expect(copy.state).toMatchObject({ status: 'active' })
      expect(await device.launch()).toMatchObject({ status: 'active', problem: null })
      expect(await copy.core.deactivate()).toMatchObject({ seat: 'freed' })
      expect(service.seats(license.id)).toHaveLength(1)
      expect(await device.core.validate()).toMatchObject({ status: 'active' })
    },
  )

  test('frees no seat of the original when it is deactivated unused', async () => {
    const { device, licenseId } = await activated()
    const copy = copyOf(device)
    await copy.launch()
    expect(await copy.core.devices()).toMatchObject({ devices: [{ isThisDevice: false }] })
    expect(await copy.core.deactivate()).toMatchObject({ ok: true, state: { status: 'unlicensed' } })
    await copy.elapse(3 * dayMs)
    expect(service.seats(licenseId)).toHaveLength(1)
    expect(await device.launch()).toMatchObject({ status: 'active' })
  })

  test('does not free the seats that wait to be freed on the original', async () => {
    const { device, licenseId } = await activated()
    service.emulator.control.faults.inject({ fault: 'reset', licenseId })
    await device.launch()
    await device.core.deactivate()
    service.emulator.control.faults.clear()
    await copyOf(device).launch()
    expect(service.seats(licenseId)).toHaveLength(1)
  })

  test('is noticed with a random identity, once the machine ID could be read', async () => {
    const license = service.newLicense()
    const device = createTestDevice(service, { device: { machineId: null } })
    await device.core.activate(license.id)
    const { fingerprint } = device.state.device ?? {}
    // The device keeps its fingerprint.
    for (const machineId of ['machine-one', null]) {
      device.device.machineId = machineId
      expect(await device.launch()).toMatchObject({ status: 'active', device: { fingerprint } })
    }
    await device.quit()
    const copy = copyOf(device, { store: device.store })
    expect(await copy.launch()).toMatchObject({
      status: 'revoked',
      problem: { code: 'record-of-another-device' },
    })
    expect(await copy.core.reactivate()).toMatchObject({ ok: true })
    expect(service.seats(license.id)).toHaveLength(2)
    await copy.quit()
    // The folder goes back.
    device.device.machineId = 'machine-one'
    expect(await device.launch()).toMatchObject({ status: 'active', problem: null, device: { fingerprint } })
    expect(service.seats(license.id)).toHaveLength(2)
  })

  test('is reported even if its keychain can’t be opened there', async () => {
    const { device } = await activated()
    const copy = copyOf(device, { secrets: createFakeSecrets({ keychain: 'of the other computer' }) })
    expect(await copy.launch()).toMatchObject({ problem: { code: 'record-of-another-device' } })
  })
})

describe('a folder that two computers use in turn, as on a USB stick', () => {
  test.each([
    ['whose keychains differ', 'keychain', ['one', 'two'], true],
    ['whose keychains differ', 'keychain', ['one', 'two'], false],
    ['whose keychain roams', 'keychain', ['one', 'one'], false],
    ['without a keychain', 'plain', ['one', 'two'], false],
  ] as const)('%s (%s, %j, service with a list: %j)', async (_what, tier, keychains, isListed) => {
    const model = createServiceModel(Date.now)
    const license = model.addLicense(9)
    const { listActivations, ...rest } = model.reachedBy(() => ({ kind: 'served' }))
    const capabilities = { ...rest.capabilities, listsActivations: isListed }
    const reached = { ...rest, capabilities, ...(isListed && { listActivations }) }
    const store = createMemoryStore()
    const launch = async (turn: number): Promise<TestDevice> => {
      const device = createTestDevice(null, {
        service: reached,
        store,
        secrets: createFakeSecrets({ tier, keychain: keychains[turn % 2] ?? '' }),
        device: { machineId: `machine-${turn % 2}` },
      })
      await device.launch()
      return device
    }
    for (const turn of [0, 1]) {
      const device = await launch(turn)
      expect(await device.core.activate(license.id)).toMatchObject({ ok: true })
      await device.quit()
    }
    const seats = license.keys.map(({ id }) => id)
    for (let turn = 2; turn < 10; turn += 1) {
      const device = await launch(turn)
      expect(device.state).toMatchObject({ status: 'active', entitled: true, problem: null })
      // What opens nowhere else must not ask for the key for a moment.
      if (keychains[0] !== keychains[1]) expect(device.states.filter(({ entitled }) => !entitled)).toEqual([])
      await device.quit()
    }
    expect(license.keys.map(({ id }) => id)).toEqual(seats)
    expect(seats).toHaveLength(2)
    expect(store.setAsideTexts.length).toBeLessThanOrEqual(2)
  })
})

describe('a record that was written under another app ID', () => {
  test.each(['plain', 'keychain'] as const)(
    '(%s) has to be activated again, and the developer is told',
    async (tier) => {
      const { device, licenseId } = await activated(tier)
      const renamed = createTestDevice(service, {
        store: device.store,
        secrets: createFakeSecrets({ tier, appId: 'com.example.renamed' }),
        device: { appId: 'com.example.renamed' },
      })
      expect(await renamed.launch()).toMatchObject({
        status: 'unlicensed',
        problem: { code: 'store-edited' },
      })
      expect(renamed.logger.lines.join('\n')).toMatch(
        /written under another appId.*restore the previous one/u,
      )
      await renamed.quit()
      // When the old record is back, its seat is found again.
      const restored = createTestDevice(service, { store: device.store, secrets: device.secrets })
      await restored.launch()
      expect(await restored.core.activate(licenseId)).toMatchObject({ ok: true })
      expect(service.seats(licenseId)).toHaveLength(1)
    },
  )

  test('is not suspected where a record was only damaged', async () => {
    const { device } = await activated('plain')
    const copy = edited(device.store.texts.newest ?? '', (document) => ({ ...document, mac: '' }))
    const damaged = createTestDevice(service, {
      store: createMemoryStore({ newest: copy }),
      secrets: device.secrets,
    })
    expect(await damaged.launch()).toMatchObject({ problem: { code: 'store-edited' } })
    expect(damaged.logger.lines.join('\n')).not.toContain('appId')
  })
})

describe('a disk that takes nothing', () => {
  test.each(['store-not-writable', 'disk-full'] as const)(
    '%s: the license works until the app quits, and says so',
    async (failure) => {
      const { id: licenseId } = service.newLicense({ activation_limit: 1 })
      const device = createTestDevice(service)
      await device.launch()
      device.store.failure = failure
      expect(await device.core.activate(licenseId)).toMatchObject({
        ok: true,
        state: { status: 'active', entitled: true, storage: 'memory', problem: { code: failure } },
      })
      expect((await device.launch()).status).toBe('unlicensed')
      device.store.failure = null
      expect(await device.core.activate(licenseId)).toMatchObject({
        ok: true,
        state: { storage: 'keychain', problem: null },
      })
      expect(service.seats(licenseId)).toHaveLength(1)
    },
  )

  test('is noticed to take it again', async () => {
    const { id: licenseId } = service.newLicense()
    const device = createTestDevice(service)
    device.store.failure = 'disk-full'
    await device.core.activate(licenseId)
    device.store.failure = null
    await device.core.validate()
    expect(device.state).toMatchObject({ storage: 'keychain', problem: null })
    expect((await device.recordOnDisk()).activation).not.toBeNull()
  })
})

test.each(['keychain', 'basic', 'plain'] as const)(
  'the state names the tier truthfully: %s',
  async (tier) => {
    const { id: licenseId } = service.newLicense()
    const device = createTestDevice(service, { secrets: createFakeSecrets({ tier }) })
    await device.core.activate(licenseId)
    expect(device.state.storage).toBe(tier)
    expect(await device.decide()).toMatchObject({ storage: tier })
  },
)

test('ids that are no UUID of any known variant survive a restart', async () => {
  const model = createServiceModel(Date.now)
  const license = model.addLicense(1)
  expect(license.id).toMatch(/-0000-0000-0000-/)
  const device = createTestDevice(null, { service: model.reachedBy(() => ({ kind: 'served' })) })
  await device.core.activate(license.id)
  expect(await device.decide()).toMatchObject({ status: 'active', problem: null })
})

describe('a port that breaks its promise not to fail', () => {
  const broken = () => Promise.reject(new Error('broken'))

  test('a store that cannot be read does not keep the app from launching', async () => {
    const store = createMemoryStore()
    store.read = () => {
      throw new Error('broken')
    }
    const device = createTestDevice(service, { store, rules: { trialMs: dayMs } })
    expect(await device.launch()).toMatchObject({ status: 'unlicensed', problem: { code: 'unexpected' } })
    const { id: licenseId } = service.newLicense()
    expect(await device.core.activate(licenseId)).toMatchObject({ ok: true, state: { status: 'active' } })
  })

  test('a launch that failed is tried again, and finds the license', async () => {
    const { device } = await activated()
    const { monotonic } = device.clock
    const launched = device.decide()
    device.clock.monotonic = () => {
      throw new Error('broken')
    }
    await expect(launched).rejects.toThrow('broken')
    device.clock.monotonic = monotonic
    expect(await device.core.start()).toMatchObject({ status: 'active', entitled: true })
  })

  test('a keychain that cannot seal costs the storage, not the license', async () => {
    const { id: licenseId } = service.newLicense()
    const device = createTestDevice(service)
    const { seal } = device.secrets
    device.secrets.seal = broken
    expect(await device.core.activate(licenseId)).toMatchObject({
      ok: true,
      state: { status: 'active', storage: 'memory', problem: { code: 'unexpected' } },
    })
    device.secrets.seal = seal
    await device.core.validate()
    expect(device.state).toMatchObject({ storage: 'keychain', problem: null })
  })

  test.each(['keychain', 'plain'] as const)(
    'a device that cannot be named is told as a defect, and nothing is thrown (%s)',
    async (tier) => {
      const { device, licenseId } = await activated(tier)
      device.device.identify = broken
      expect(await device.launch()).toMatchObject({ status: 'active', entitled: true })
      const defect = { ok: false, problem: { code: 'unexpected' } }
      expect(await device.core.activate(licenseId)).toMatchObject(defect)
      expect(await device.core.deactivate()).toMatchObject(defect)
      expect(await device.core.devices()).toMatchObject(defect)
      expect(await device.core.validate()).toMatchObject({ status: 'active', entitled: true })
      expect(device.logger.lines).toContain('error Licensing failed unexpectedly: Error')
    },
  )

  test('a bug that throws something other than an Error is logged with its type', async () => {
    const { device } = await activated()
    device.device.identify = () => Promise.reject('out of order')
    await device.launch()
    expect(device.logger.lines).toContain('error Licensing failed unexpectedly: string')
  })
})
