import { moves } from '@latchkey/gateway'
import { upstreamOf } from '@latchkey/scripts/e2e/upstream-of'
import { commerce } from '@latchkey/services/commerce'
import { generateSigningKey, issueLicenseKey, signRevokedKeys } from '@latchkey/services/issue'
import { signedKeys } from '@latchkey/services/signed-keys'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createTestDevice, dayMs, hourMs, startTestService, type TestDeviceOptions } from '../core/fixture.ts'
import { createServiceModel } from '../core/service-model.ts'
import { createFakeSecrets } from '../doubles/fake-secrets.ts'
import { signing, startGateway } from './behind-gateway.ts'
import { type AdapterName, activateDevice, type FaceScene, lostActivation, startFace } from './faces.ts'

type NewService = Pick<FaceScene, 'emulator' | 'licenseKey' | 'device' | 'seats' | 'asked'>

async function startNewService(to: AdapterName | 'commerce'): Promise<NewService> {
  if (to !== 'commerce') return startFace(to)
  // Without a seed, the commerce service would know Lemon Squeezy's license key.
  const service = await startTestService({ seed: 77 })
  const { emulator } = service
  onTestFinished(() => emulator.close())
  const { id } = service.newLicense()
  return {
    emulator,
    licenseKey: id,
    device: (options) => createTestDevice(service, options),
    seats: () => service.seats(id),
    asked: () => emulator.control.requests().length,
  }
}

/** A customer who activated with one service, and then got an update of the app that asks another one. */
async function moved(from: AdapterName, to: AdapterName | 'commerce', options: TestDeviceOptions = {}) {
  const { scene: before, device: old } = await activateDevice(from, options)
  const after = await startNewService(to)
  const { store, secrets } = old
  return { before, after, old, device: after.device({ store, secrets }) }
}

const problem = { code: 'license-of-other-service' }
const works = { status: 'grace', entitled: true, problem }

describe.each([
  ['polar', 'lemon-squeezy'],
  ['lemon-squeezy', 'keygen'],
  ['keygen', 'dodo'],
  ['dodo', 'commerce'],
] as const)('an app that moved from %s to %s', (from, to) => {
  test('keeps the customer working until grace ends, asks for the new key, and sends the old one nowhere', async () => {
    const { before, after, device } = await moved(from, to)
    expect(await device.launch()).toMatchObject(works)
    await device.elapse(13 * dayMs)
    expect(await device.launch()).toMatchObject(works)
    await device.elapse(2 * dayMs)
    expect(device.state).toMatchObject({ status: 'unverified', entitled: false, problem })
    expect(after.asked()).toBe(0)
    expect(before.seats()).toHaveLength(1)
    // What the old service gave stays on record, for an app that returns to it.
    expect(await device.recordOnDisk()).toMatchObject({ activation: { service: from } })
  })

  test('logs once which service the record is of and which one is in use', async () => {
    const { before, old, device } = await moved(from, to)
    await device.launch()
    await device.elapse(3 * dayMs)
    expect(device.logger.lines.filter((line) => line.includes('license record'))).toEqual([
      `warn The license record is of ${from}, and the service in use is ${to}, so the user needs a new license key. If it is a gateway in front of ${from}, set service.licenseKeys to 'any'.`,
    ])
    expect(device.logger.lines.join('\n')).not.toContain(before.licenseKey)
    await old.elapse(3 * dayMs)
    expect(old.logger.lines.join('\n')).not.toContain('license record')
  })

  test('accepts the new license key, and doesn’t ask the new service for the old seat', async () => {
    const { after, device } = await moved(from, to)
    await device.launch()
    const activated = { ok: true, state: { status: 'active' } }
    expect(await device.core.activate(after.licenseKey)).toMatchObject(activated)
    await device.elapse(2 * dayMs)
    expect(device.state).toMatchObject({ status: 'active', problem: null })
    expect(await device.recordOnDisk()).toMatchObject({
      service: to,
      activation: { service: to, licenseKey: after.licenseKey },
      owed: [],
    })
    await device.elapse(31 * dayMs)
    expect(await device.core.deactivate()).toMatchObject({ ok: true, seat: 'freed' })
    expect(after.seats()).toEqual([])
  })

  test('tells of the new key’s seat if the activation with it was cut off', async () => {
    const { after, device } = await moved(from, to)
    await device.launch()
    after.emulator.control.faults.inject(lostActivation)
    await device.core.activate(after.licenseKey)
    await device.core.validate()
    const isListed = to === 'keygen' || to === 'commerce'
    const expected = isListed
      ? { status: 'active', problem: null }
      : { ...works, problem: { code: 'seat-may-be-taken' } }
    expect(device.state).toMatchObject(expected)
    await device.launch()
    await device.elapse(dayMs)
    expect(device.state).toMatchObject(expected)
    expect(after.seats()).toHaveLength(1)
    // The user now knows what another request may cost.
    expect(await device.core.activate(after.licenseKey)).toMatchObject({ ok: true })
    expect(device.state).toMatchObject({ status: 'active', problem: null })
  })

  test('forgets the old activation when the user deactivates, and does not claim to have freed its seat', async () => {
    const { before, device } = await moved(from, to)
    await device.launch()
    expect(await device.core.deactivate()).toMatchObject({ ok: true, seat: 'not-freed' })
    expect(before.seats()).toHaveLength(1)
    expect(await device.recordOnDisk()).toMatchObject({ activation: null, owed: [] })
  })
})

test('an app that moved to signed keys keeps the customer working until grace ends, and no longer', async () => {
  const { device: old } = await activateDevice('polar')
  const { publicKey } = await generateSigningKey()
  const service = signedKeys({ publicKeys: [publicKey], product: 'inkwell' })
  const { store, secrets } = old
  const device = createTestDevice(null, { service, store, secrets })
  expect(await device.launch()).toMatchObject(works)
  device.sleep(15 * dayMs)
  expect(await device.launch()).toMatchObject({ status: 'unverified', entitled: false, problem })
})

test('the commerce service is asked about keys of Lemon Squeezy, which are UUIDs too, and refuses them harmlessly', async () => {
  const { after, device } = await moved('lemon-squeezy', 'commerce')
  expect(await device.launch()).toMatchObject(works)
  await device.elapse(13 * dayMs)
  expect(await device.launch()).toMatchObject(works)
  expect(await device.core.activate(after.licenseKey)).toMatchObject({ ok: true })
  await device.elapse(33 * dayMs)
  expect(device.state).toMatchObject({ status: 'active', problem: null })
  expect(await device.core.deactivate()).toMatchObject({ ok: true, seat: 'freed' })
  expect(after.seats()).toEqual([])
})

test('the new activation stays while the old app is still open', async () => {
  const { after, old, device } = await moved('polar', 'commerce')
  await device.launch()
  await old.elapse(dayMs)
  expect(await device.core.activate(after.licenseKey)).toMatchObject({ ok: true })
  await old.elapse(3 * dayMs)
  await old.quit()
  await device.elapse(dayMs)
  expect(await device.launch()).toMatchObject({ status: 'active', problem: null })
  expect(after.seats()).toHaveLength(1)
})

test.each([
  ['polar', 'lemon-squeezy'],
  ['lemon-squeezy', 'commerce'],
] as const)('an app that returns to %s from %s is active at once', async (from, to) => {
  const { before, old, device } = await moved(from, to)
  await device.launch()
  await device.quit()
  const back = before.device({ store: old.store, secrets: old.secrets })
  expect(await back.launch()).toMatchObject({ status: 'active', problem: null })
  expect(before.seats()).toHaveLength(1)
})

describe('an app that moved to a service with a list that lacks its activation', () => {
  async function movedToList(rules: TestDeviceOptions['rules'] = {}) {
    const model = createServiceModel(() => device.clock.now())
    const world = { isReached: true }
    const service = model.reachedBy((operation) =>
      world.isReached || operation !== 'validate' ? { kind: 'served' } : { kind: 'request-lost' },
    )
    const old = createTestDevice(null, { service: { ...service, name: 'lemon-squeezy' }, rules })
    const { store, secrets } = old
    const device = createTestDevice(null, { service, rules, store, secrets })
    const license = model.addLicense(1)
    await old.launch()
    await old.core.activate(license.id)
    await old.quit()
    const { keys } = license
    license.keys = []
    return { device, license, keys, model, world }
  }

  test('keeps the customer working until grace ends, and shows grace during each check', async () => {
    const { device } = await movedToList()
    expect(await device.launch()).toMatchObject(works)
    expect((await device.recordOnDisk()).activation?.service).toBe('lemon-squeezy')
    const shown = device.states.length
    await device.elapse(13 * dayMs)
    expect(device.states.length).toBeGreaterThan(shown)
    expect([...new Set(device.states.slice(shown).map(({ status }) => status))]).toEqual(['grace'])
    expect(await device.launch()).toMatchObject(works)
    await device.elapse(2 * dayMs)
    expect(device.state).toMatchObject({ status: 'unverified', problem })
  })

  test('is active again within the hour if the list was outdated', async () => {
    const { device, license, keys } = await movedToList()
    expect(await device.launch()).toMatchObject(works)
    license.keys = keys
    await device.elapse(hourMs)
    expect(device.state).toMatchObject({ status: 'active', problem: null })
  })

  test('is entitled by no answer once a short grace is over', async () => {
    const { device } = await movedToList({ graceMs: dayMs })
    await device.launch()
    await device.elapse(3 * dayMs)
    const statuses = device.states.map(({ status }) => status)
    expect(statuses).toContain('unverified')
    expect(statuses.slice(statuses.indexOf('unverified'))).not.toContain('grace')
  })

  test('frees the seat of its license if the customer activates another one before the first check', async () => {
    const { device, license, keys, model, world } = await movedToList()
    license.keys = keys
    world.isReached = false
    expect(await device.launch()).toMatchObject({ status: 'grace' })
    world.isReached = true
    expect(await device.core.activate(model.addLicense(1).id)).toMatchObject({ ok: true })
    await device.settled()
    expect(license.keys).toEqual([])
  })
})

test.each([
  ['the keychain sealed keeps the customer working', 'keychain', { status: 'grace', entitled: true }],
  ['anyone may have written entitles nobody', 'plain', { status: 'unverified', entitled: false }],
] as const)(
  'with the keys of a gateway, a record of another service that %s, and the new key is asked for',
  async (_what, tier, expected) => {
    const { after, old } = await moved('polar', 'commerce', { secrets: createFakeSecrets({ tier }) })
    const { store, secrets } = old
    const device = startGateway({ upstream: upstreamOf(after.emulator), signing }).device({ store, secrets })
    expect(await device.launch()).toMatchObject({ ...expected, problem })
    expect(await device.core.activate(after.licenseKey)).toMatchObject({ ok: true })
    expect(await device.launch()).toMatchObject({ status: 'active', problem: null })
    expect((await device.recordOnDisk()).owed).toEqual([])
  },
)

describe('behind a gateway in front of Lemon Squeezy, an app that moved from it', () => {
  async function behindGateway() {
    const { scene, device: old, control } = await activateDevice('lemon-squeezy')
    const { store, secrets } = old
    const gateway = startGateway({ upstream: upstreamOf(scene.emulator), limits: {} })
    return { scene, control, old, device: gateway.device({ store, secrets }) }
  }

  test('continues without a pause', async () => {
    const { scene, device } = await behindGateway()
    expect(await device.decide()).toMatchObject({ entitled: true, problem: null })
    expect(await device.settled()).toMatchObject({ status: 'active', problem: null })
    expect(scene.seats()).toHaveLength(1)
  })

  test('offers to activate again if its seat had been freed before', async () => {
    const { scene, control, old, device } = await behindGateway()
    for (const { id } of control.keys(scene.licenseId)) control.removeKey(scene.licenseId, id)
    for (let days = 0; days < 3; days += 1) await old.elapse(dayMs)
    expect(old.state.status).toBe('revoked')
    await old.quit()
    await device.launch()
    await device.elapse(2 * dayMs)
    expect(device.state).toMatchObject({ status: 'revoked', problem: { code: 'moved-to-another-device' } })
    expect(await device.core.reactivate()).toMatchObject({ ok: true, state: { status: 'active' } })
    expect(scene.seats()).toHaveLength(1)
  })
})

const product = 'inkwell'
const { signingKey, publicKey } = await generateSigningKey()
const from = signedKeys({ publicKeys: [publicKey], product })
const issue = (id: string) => issueLicenseKey({ signingKey, product, id, name: 'Ada Lovelace' })

describe('a signed key, once the app asks the gateway of a vendor with a service,', () => {
  /** A customer who activated a signed key before. */
  async function startMove() {
    const service = await startTestService({ seed: 77 })
    onTestFinished(() => service.emulator.close())
    const { baseUrl, accessToken = null } = service.emulator
    const signedKey = await issue('order-1')
    const { id: licenseKey } = service.newLicense({ activation_limit: 2 })
    const state = { isDatabaseDown: false }
    const upstream = moves({
      from,
      to: commerce({ baseUrl, accessToken: accessToken ?? '' }),
      licenseKeyOf(key) {
        if (state.isDatabaseDown) throw new Error('The database is down.')
        return key === signedKey ? licenseKey : null
      },
    })
    const gateway = startGateway({ upstream, signing }, { licenseKeys: 'any' })
    const old = createTestDevice(null, { service: from })
    await old.launch()
    expect(await old.core.activate(signedKey)).toMatchObject({ ok: true })
    const { store, secrets } = old
    const device = gateway.device({ store, secrets })
    return { service, state, signedKey, licenseKey, device, gateway, seats: () => service.seats(licenseKey) }
  }

  test('gets its device a seat at the service, which stays activated', async () => {
    const { device, state, signedKey, seats } = await startMove()
    // No limit says that it has no seat yet.
    expect(await device.launch()).toMatchObject({ entitled: true, license: { activationLimit: null } })
    state.isDatabaseDown = true
    expect(await device.core.reactivate()).toMatchObject({ ok: false, state: { entitled: true } })
    state.isDatabaseDown = false
    // What is wanted needs no second request of the app.
    expect(await device.launch()).toMatchObject({ status: 'active', problem: null })
    expect(seats()).toHaveLength(1)
    await device.elapse(2 * dayMs)
    expect(await device.launch()).toMatchObject({ status: 'active', problem: null })
    expect(await device.recordOnDisk()).toMatchObject({
      activation: { service: 'commerce', licenseKey: signedKey, license: { activationLimit: 2 } },
    })
    expect(seats()).toHaveLength(1)
    expect(await device.core.deactivate()).toMatchObject({ ok: true, seat: 'freed' })
    expect(seats()).toEqual([])
  })

  test('has as many seats as its license, and the service’s own keys work beside it', async () => {
    const { service, gateway, signedKey, licenseKey } = await startMove()
    let computers = 0
    const activate = async (key: string) => {
      computers += 1
      const device = gateway.device({ device: { machineId: `computer-${computers}` } })
      await device.launch()
      return device.core.activate(key)
    }
    expect(await activate(signedKey)).toMatchObject({ ok: true })
    expect(await activate(licenseKey)).toMatchObject({ ok: true })
    expect(await activate(signedKey)).toMatchObject({ ok: false, problem: { code: 'no-seat-left' } })
    expect(await activate(service.newLicense().id)).toMatchObject({ ok: true })
    const forged = await issueLicenseKey({ signingKey: (await generateSigningKey()).signingKey, product })
    for (const unknown of [await issue('order-2'), forged])
      expect(await activate(unknown)).toMatchObject({ ok: false, problem: { code: 'license-not-found' } })
  })

  test('takes no seat if it is revoked, or may be, or has text around it', async () => {
    const { emulator, newLicense, seats } = await startTestService()
    onTestFinished(() => emulator.close())
    const { id } = newLicense()
    const [revoked, good] = [await issue('order-1'), await issue('order-2')]
    const url = 'https://vendor.example/revoked.json'
    let list = Response.json(await signRevokedKeys({ signingKey, product, keys: [revoked] }))
    const upstream = moves({
      from: signedKeys({ publicKeys: [publicKey], product, revoked: { url, publicKeys: [publicKey] } }),
      to: commerce({ baseUrl: emulator.baseUrl, accessToken: emulator.accessToken ?? '' }),
      licenseKeyOf: () => id,
    })
    const activate = async (licenseKey: string) => {
      const fingerprint = '0123456789abcdef'
      const request = { licenseKey, deviceName: 'Laptop', fingerprint, allowsTestLicense: false }
      const outcome = await upstream.activate(request, {
        async fetch(...sent) {
          const asked = new Request(...sent)
          return asked.url === url ? list.clone() : fetch(asked)
        },
      })
      return outcome.kind === 'refusal' ? outcome.reason : outcome.kind
    }
    expect(await activate(revoked)).toBe('suspended')
    expect(await activate(`a ${good}`)).not.toBe('answer')
    list = new Response(null, { status: 503 })
    expect(await activate(revoked)).toBe('unavailable')
    expect(seats(id)).toEqual([])
    list = Response.json(await signRevokedKeys({ signingKey, product, keys: [] }))
    expect(await activate(good)).toBe('answer')
  })
})

test('an option of the move that isn’t one, or is missing, is named', () => {
  const given = () => moves(Object.assign({ from }, { licenseKeyof: () => null }) as never)
  expect(given).toThrow(/moves: licenseKeyof is not an option/u)
  expect(given).toThrow(/moves: to is missing/u)
})
