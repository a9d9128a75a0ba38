import { describe, expect, test } from 'vitest'
import { createFakeSecrets } from '../../doubles/fake-secrets.ts'
import { createMemoryStore } from '../../doubles/memory-store.ts'
import {
  dayMs,
  lost,
  type SceneOptions,
  scene,
  served,
  type TestDevice,
  type TestDeviceOptions,
} from '../fixture.ts'

/** An activated device whose app is closed. */
async function activated(tier: 'keychain' | 'plain' = 'keychain', options: SceneOptions = {}) {
  const it = await scene({ seats: 1, isActivated: true, secrets: createFakeSecrets({ tier }), ...options })
  await it.device.quit()
  /** A computer that was set up with a copy of the device's folder and keychain. */
  const copyOf = (own: TestDeviceOptions = {}): TestDevice => {
    const store = createMemoryStore({ ...it.device.store.texts })
    return it.secondInstance({ store, device: { machineId: 'machine-two' }, ...own })
  }
  return { ...it, copyOf }
}

describe('a folder copied to another computer', () => {
  test.each(['keychain', 'plain'] as const)(
    'has to be activated there, and the original keeps its key (%s)',
    async (tier) => {
      const { device, license, asked, copyOf } = await activated(tier)
      const { newest } = device.store.texts
      const copy = copyOf()
      expect(await copy.launch()).toMatchObject({
        status: 'revoked',
        entitled: false,
        license: { maskedKey: device.state.license?.maskedKey },
        problem: { code: 'record-of-another-device' },
      })
      expect(asked).not.toContain('deactivate')
      expect(await copy.core.activate(license.id)).toMatchObject({ problem: { code: 'no-seat-left' } })
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
    const { device, license, copyOf } = await activated(tier)
    const { newest } = device.store.texts
    const copy = copyOf({ store: createMemoryStore() })
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
    expect(license.keys).toHaveLength(1)
  })

  test.each(['keychain-one', 'keychain-two'])(
    'over the record of a device that runs leaves that device its own (%s)',
    async (keychain) => {
      const { device, model, copyOf } = await activated()
      const other = copyOf({ store: createMemoryStore(), secrets: createFakeSecrets({ keychain }) })
      const own = model.addLicense(1)
      await other.launch()
      await other.core.activate(own.id)
      other.store.place('newest', device.store.texts.newest)
      own.isSuspended = true
      expect(await other.core.validate()).toMatchObject({ status: 'suspended' })
      expect(other.store.setAsideTexts).toEqual([device.store.texts.newest])
      expect(await other.decide()).toMatchObject({ status: 'suspended' })
    },
  )

  test.each(['keychain', 'plain'] as const)(
    'is activated there with one click, and both computers have a seat (%s)',
    async (tier) => {
      const { license, device, copyOf } = await activated(tier, { seats: 2 })
      const copy = copyOf()
      await copy.decide()
      // The keychain was copied too: the launch doesn't wait for the identification.
      expect(copy.states.some(({ entitled }) => entitled)).toBe(tier === 'keychain')
      expect(await copy.settled()).toMatchObject({ status: 'revoked', entitled: false })
      await copy.quit()
      await copy.launch()
      expect(license.keys).toHaveLength(1)
      expect(await copy.core.reactivate()).toMatchObject({
        ok: true,
        state: { status: 'active', problem: null },
      })
      expect(license.keys).toHaveLength(2)
      await copy.elapse(3 * dayMs)
      expect(copy.state).toMatchObject({ status: 'active' })
      expect(await device.launch()).toMatchObject({ status: 'active', problem: null })
      expect(await copy.core.deactivate()).toMatchObject({ seat: 'freed' })
      expect(license.keys).toHaveLength(1)
      expect(await device.core.validate()).toMatchObject({ status: 'active' })
    },
  )

  test('frees no seat of the original when it is deactivated unused', async () => {
    const { device, license, copyOf } = await activated()
    const copy = copyOf()
    await copy.launch()
    expect(await copy.core.devices()).toMatchObject({ devices: [{ isThisDevice: false }] })
    expect(await copy.core.deactivate()).toMatchObject({ ok: true, state: { status: 'unlicensed' } })
    await copy.elapse(3 * dayMs)
    expect(license.keys).toHaveLength(1)
    expect(await device.launch()).toMatchObject({ status: 'active' })
  })

  test('does not free the seats that wait to be freed on the original', async () => {
    const { device, license, fates, copyOf } = await activated()
    fates.every = lost
    await device.launch()
    await device.core.deactivate()
    fates.every = served
    await copyOf().launch()
    expect(license.keys).toHaveLength(1)
  })

  test('is noticed with a random identity, once the machine ID could be read', async () => {
    const { license, device, copyOf } = await activated('keychain', { seats: 2, device: { machineId: null } })
    const { fingerprint } = device.state.device ?? {}
    // The device keeps its fingerprint.
    for (const machineId of ['machine-one', null]) {
      device.device.machineId = machineId
      expect(await device.launch()).toMatchObject({ status: 'active', device: { fingerprint } })
    }
    await device.quit()
    const copy = copyOf({ store: device.store })
    expect(await copy.launch()).toMatchObject({
      status: 'revoked',
      problem: { code: 'record-of-another-device' },
    })
    expect(await copy.core.reactivate()).toMatchObject({ ok: true })
    expect(license.keys).toHaveLength(2)
    await copy.quit()
    // The folder goes back.
    device.device.machineId = 'machine-one'
    expect(await device.launch()).toMatchObject({ status: 'active', problem: null, device: { fingerprint } })
    expect(license.keys).toHaveLength(2)
  })

  test('is reported even if its keychain can’t be opened there', async () => {
    const { copyOf } = await activated()
    const copy = copyOf({ secrets: createFakeSecrets({ keychain: 'of the other computer' }) })
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
    const {
      license,
      device: unused,
      secondInstance,
    } = await scene({
      seats: 9,
      wrap: ({ listActivations, ...service }) => ({
        ...service,
        capabilities: { ...service.capabilities, listsActivations: isListed },
        ...(isListed && { listActivations }),
      }),
    })
    const launch = async (turn: number): Promise<TestDevice> => {
      const device = secondInstance({
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
    expect(unused.store.setAsideTexts.length).toBeLessThanOrEqual(2)
  })
})

test('a machine ID that cannot be read today does not make it another device', async () => {
  const { device, license } = await activated()
  device.device.machineId = null
  expect(await device.launch()).toMatchObject({ status: 'active' })
  expect(await device.core.activate(license.id)).toMatchObject({ ok: true })
  expect(license.keys).toHaveLength(1)
})
