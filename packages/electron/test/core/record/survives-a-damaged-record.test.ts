import { describe, expect, test } from 'vitest'
import { createFakeSecrets } from '../../doubles/fake-secrets.ts'
import { createMemoryStore } from '../../doubles/memory-store.ts'
import { dayMs, hourMs, type SceneOptions, scene } from '../fixture.ts'

/** An activated device whose app is closed. */
async function activated(tier: 'keychain' | 'plain' = 'keychain', options: SceneOptions = {}) {
  const it = await scene({ seats: 1, isActivated: true, secrets: createFakeSecrets({ tier }), ...options })
  await it.device.quit()
  return { ...it, written: it.device.store.texts.newest ?? '' }
}

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
    const { device, license, written } = await activated(tier)
    device.store.place('newest', damage(written))
    device.store.place('lastGood', damage(written))
    expect(await device.launch()).toMatchObject({ status: 'unlicensed', problem: { code } })
    expect(await device.core.activate(license.id)).toMatchObject({ ok: true, state: { problem: null } })
    expect(license.keys).toHaveLength(1)
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
  const { device, license, written } = await activated()
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
  expect(await device.core.activate(license.id)).toMatchObject({ ok: false })
  await device.launch()
  expect(await device.core.activate(license.id)).toMatchObject({ ok: true })
  expect(device.store.setAsideTexts).toEqual([newer])
  expect(license.keys).toHaveLength(1)
})

test('a newer version that activated again beside the running app keeps its file', async () => {
  const { device, license, written } = await activated()
  await device.launch()
  const newer = edited(written, (document) => ({ ...document, version: 4 }))
  device.store.place('newest', newer)
  license.keys = license.keys.map((key) => ({ ...key, id: '99999999-9999-4999-8999-999999999999' }))
  await device.core.refresh()
  await device.core.validate()
  expect(device.state).toMatchObject({ status: 'revoked' })
  expect(device.store.texts.newest).toBe(newer)
  expect(device.store.setAsideTexts).toEqual([])
})

describe('a keychain that is locked while the app is started', () => {
  async function startedLocked() {
    const it = await activated()
    it.device.secrets.locked = true
    expect(await it.device.launch()).toMatchObject({
      status: 'unlicensed',
      problem: { code: 'store-undecryptable' },
    })
    return it
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
    const { device, license } = await startedLocked()
    device.secrets.locked = false
    expect(await device.core.activate(license.id)).toMatchObject({ ok: true })
    expect(device.store.setAsideTexts).toEqual([])
  })

  test('and never unlocked lets the user activate, and keeps the record it could not open', async () => {
    const { device, license } = await startedLocked()
    const sealed = device.store.texts.newest
    device.secrets.tier = 'plain'
    expect(await device.core.activate(license.id)).toMatchObject({ ok: true, state: { storage: 'plain' } })
    expect(device.store.setAsideTexts).toEqual([sealed])
    expect(license.keys).toHaveLength(1)
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
    const { license, device } = await activated('keychain', { device: { machineId } })
    device.secrets.keychain = 'a new one'
    expect(await device.launch()).toMatchObject({
      status: 'unlicensed',
      problem: { code: 'store-undecryptable' },
    })
    expect(await device.core.activate(license.id)).toMatchObject({ ok: true })
    expect(license.keys).toHaveLength(1)
  },
)

describe('a record that was written under another app ID', () => {
  test.each(['plain', 'keychain'] as const)(
    '(%s) has to be activated again, and the developer is told',
    async (tier) => {
      const { license, secondInstance } = await activated(tier)
      const renamed = secondInstance({
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
      const restored = secondInstance()
      await restored.launch()
      expect(await restored.core.activate(license.id)).toMatchObject({ ok: true })
      expect(license.keys).toHaveLength(1)
    },
  )

  test('is not suspected where a record was only damaged', async () => {
    const { device, written } = await activated('plain')
    const damaged = edited(written, (document) => ({ ...document, mac: '' }))
    device.store.place('newest', damaged)
    device.store.place('lastGood', null)
    expect(await device.launch()).toMatchObject({ problem: { code: 'store-edited' } })
    expect(device.logger.lines.join('\n')).not.toContain('appId')
  })
})

describe('a disk that takes nothing', () => {
  test.each(['store-not-writable', 'disk-full'] as const)(
    '%s: the license works until the app quits, and says so',
    async (failure) => {
      const { license, device } = await scene({ seats: 1 })
      device.store.failure = failure
      expect(await device.core.activate(license.id)).toMatchObject({
        ok: true,
        state: { status: 'active', entitled: true, storage: 'memory', problem: { code: failure } },
      })
      expect((await device.launch()).status).toBe('unlicensed')
      device.store.failure = null
      expect(await device.core.activate(license.id)).toMatchObject({
        ok: true,
        state: { storage: 'keychain', problem: null },
      })
      expect(license.keys).toHaveLength(1)
    },
  )

  test('is noticed to take it again', async () => {
    const { license, device } = await scene()
    device.store.failure = 'disk-full'
    await device.core.activate(license.id)
    device.store.failure = null
    await device.core.validate()
    expect(device.state).toMatchObject({ storage: 'keychain', problem: null })
    expect((await device.recordOnDisk()).activation).not.toBeNull()
  })
})

test.each(['keychain', 'basic', 'plain'] as const)(
  'the state names the tier truthfully: %s',
  async (tier) => {
    const { device } = await scene({ secrets: createFakeSecrets({ tier }), isActivated: true })
    expect(device.state.storage).toBe(tier)
    expect(await device.decide()).toMatchObject({ storage: tier })
  },
)

describe('a port that breaks its promise not to fail', () => {
  const broken = () => Promise.reject(new Error('broken'))

  test('a store that cannot be read does not keep the app from launching', async () => {
    const store = createMemoryStore()
    store.read = () => {
      throw new Error('broken')
    }
    const { license, device } = await scene({ store, rules: { trialMs: dayMs } })
    expect(device.state).toMatchObject({ status: 'unlicensed', problem: { code: 'unexpected' } })
    expect(await device.core.activate(license.id)).toMatchObject({ ok: true, state: { status: 'active' } })
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
    const { license, device } = await scene()
    const { seal } = device.secrets
    device.secrets.seal = broken
    expect(await device.core.activate(license.id)).toMatchObject({
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
      const { device, license } = await activated(tier)
      device.device.identify = broken
      expect(await device.launch()).toMatchObject({ status: 'active', entitled: true })
      const defect = { ok: false, problem: { code: 'unexpected' } }
      expect(await device.core.activate(license.id)).toMatchObject(defect)
      expect(await device.core.deactivate()).toMatchObject(defect)
      expect(await device.core.devices()).toMatchObject(defect)
      expect(await device.core.validate()).toMatchObject({ status: 'active', entitled: true })
      expect(device.logger.lines).toContain('error Licensing failed unexpectedly: Error')
    },
  )
})
