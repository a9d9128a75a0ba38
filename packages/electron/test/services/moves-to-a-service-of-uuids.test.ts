import { createGateway, generateSigningKey, leaseKeysOf } from '@latchkey/gateway'
import { lemonSqueezy } from '@latchkey/services/lemon-squeezy'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createLeaseVerifier } from '../../src/main/adapters/leases.ts'
import {
  createTestDevice,
  dayMs,
  startTestService,
  type TestDevice,
  type TestDeviceOptions,
} from '../core/fixture.ts'
import { createServiceModel } from '../core/service-model.ts'
import { reachGateway } from '../doubles/app-service.ts'
import { createFakeSecrets } from '../doubles/fake-secrets.ts'
import { type AdapterName, startFace } from './faces.ts'

const moved = { code: 'license-of-other-service' }

/** A customer who activated with an adapter, and then got an update of the app that uses the commerce service. */
async function movedFrom(from: AdapterName, options: TestDeviceOptions = {}) {
  const before = await startFace(from)
  // Without a seed, the commerce service would know Lemon Squeezy's license key.
  const service = await startTestService({ seed: 77 })
  onTestFinished(() => service.emulator.close())
  const old = before.device(options)
  await old.launch()
  await old.core.activate(before.licenseKey)
  const { store, secrets } = old
  return { service, old, device: createTestDevice(service, { store, secrets }) }
}

test.each([
  ['the keychain sealed keeps the customer working', 'keychain', { status: 'grace', entitled: true }],
  ['anyone may have written entitles nobody', 'plain', { status: 'unverified', entitled: false }],
] as const)(
  'with the keys of a gateway, a record of another service that %s, and the new key is asked for',
  async (_what, tier, expected) => {
    const { service, old } = await movedFrom('polar', { secrets: createFakeSecrets({ tier }) })
    const signingKey = await generateSigningKey()
    const { baseUrl, accessToken } = service.emulator
    const upstream = { baseUrl, accessToken: accessToken ?? '' }
    const gateway = createGateway({ upstream, signing: { keys: [signingKey] } })
    const leases = createLeaseVerifier((await leaseKeysOf([signingKey])).keys)
    const commerce = reachGateway({
      baseUrl: 'https://licenses.vendor.example/v1',
      leases,
      fetch: async (request, init) => gateway(new Request(request, init)),
    })
    const { store, secrets } = old
    const device = createTestDevice(null, { store, secrets, service: commerce, leases })
    expect(await device.launch()).toMatchObject({ ...expected, problem: moved })
    expect(await device.core.activate(service.newLicense().id)).toMatchObject({ ok: true })
    expect(await device.launch()).toMatchObject({ status: 'active', problem: null })
    expect((await device.recordOnDisk()).owed).toEqual([])
  },
)

describe('an app that moved from Lemon Squeezy, whose keys and IDs are UUIDs', () => {
  /** The same device after an update to a gateway in front of Lemon Squeezy. */
  async function behindGateway() {
    const scene = await startFace('lemon-squeezy')
    const { baseUrl, settings } = scene.emulator
    const old = scene.device()
    await old.launch()
    await old.core.activate(scene.licenseKey)
    const { storeId = '', productId = '' } = settings
    const upstream = lemonSqueezy({ baseUrl, storeId, productId, apiKey: 'demo' })
    // Its limits count the requests of a minute.
    const gateway = createGateway({ upstream, clock: () => Date.now() + device.elapsedMs() })
    const commerce = reachGateway({
      baseUrl: 'https://licenses.vendor.example/v1',
      fetch: async (request, init) => gateway(new Request(request, init)),
    })
    const { store, secrets } = old
    const device: TestDevice = createTestDevice(null, { store, secrets, service: commerce })
    return { scene, old, device }
  }

  test('continues without a pause behind a gateway in front of it', async () => {
    const { scene, device } = await behindGateway()
    expect(await device.decide()).toMatchObject({ entitled: true, problem: null })
    expect(await device.settled()).toMatchObject({ status: 'active', problem: null })
    expect(scene.seats()).toHaveLength(1)
  })

  test('offers to activate again behind such a gateway if its seat had been freed before', async () => {
    const { scene, old, device } = await behindGateway()
    const { control } = scene.emulator
    control.removeKey(scene.licenseId, control.keys(scene.licenseId)[0]?.id ?? '')
    for (let days = 0; days < 3; days += 1) await old.elapse(dayMs)
    expect(old.state.status).toBe('revoked')
    await old.quit()
    await device.launch()
    await device.elapse(2 * dayMs)
    expect(device.state).toMatchObject({ status: 'revoked', problem: { code: 'moved-to-another-device' } })
    expect(await device.core.reactivate()).toMatchObject({ ok: true, state: { status: 'active' } })
    expect(scene.seats()).toHaveLength(1)
  })

  test('keeps the customer working until grace ends if the new service lacks the activation', async () => {
    const model = createServiceModel(() => device.clock.now())
    const service = model.reachedBy(() => ({ kind: 'served' }))
    const old = createTestDevice(null, { service: { ...service, name: 'lemon-squeezy' } })
    const device: TestDevice = createTestDevice(null, { ...old, service })
    const license = model.addLicense(1)
    await old.launch()
    await old.core.activate(license.id)
    await old.quit()
    license.keys = []
    expect(await device.launch()).toMatchObject({ status: 'grace', entitled: true, problem: moved })
    await device.elapse(13 * dayMs)
    expect(await device.launch()).toMatchObject({ status: 'grace', entitled: true, problem: moved })
    await device.elapse(2 * dayMs)
    expect(device.state).toMatchObject({ status: 'unverified', problem: moved })
  })

  test('frees the seat of its license if the customer activates another one before the first check', async () => {
    const model = createServiceModel(() => device.clock.now())
    let isReached = true
    const service = model.reachedBy((operation) =>
      isReached || operation !== 'validate' ? { kind: 'served' } : { kind: 'request-lost' },
    )
    const old = createTestDevice(null, { service: { ...service, name: 'lemon-squeezy' } })
    const device: TestDevice = createTestDevice(null, { ...old, service })
    const license = model.addLicense(1)
    await old.launch()
    await old.core.activate(license.id)
    await old.quit()
    isReached = false
    expect(await device.launch()).toMatchObject({ status: 'grace' })
    isReached = true
    expect(await device.core.activate(model.addLicense(1).id)).toMatchObject({ ok: true })
    await device.settled()
    expect(license.keys).toEqual([])
  })

  test('asks for the new key if the new service refuses the old one, and accepts it', async () => {
    const { service, device } = await movedFrom('lemon-squeezy')
    await device.launch()
    expect(device.state).toMatchObject({ status: 'grace', entitled: true, problem: moved })
    await device.elapse(13 * dayMs)
    expect(await device.launch()).toMatchObject({ status: 'grace', entitled: true, problem: moved })
    const license = service.newLicense()
    expect(await device.core.activate(license.id)).toMatchObject({ ok: true, state: { status: 'active' } })
    await device.elapse(2 * dayMs)
    expect(device.state).toMatchObject({ status: 'active', problem: null })
    await device.elapse(31 * dayMs)
    expect(await device.core.deactivate()).toMatchObject({ ok: true, seat: 'freed' })
    expect(service.seats(license.id)).toEqual([])
  })
})
