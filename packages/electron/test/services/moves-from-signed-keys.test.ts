import { createGateway, generateSigningKey as generateLeaseKey, leaseKeysOf, moves } from '@latchkey/gateway'
import { commerce } from '@latchkey/services/commerce'
import { generateSigningKey, issueLicenseKey, signRevokedKeys } from '@latchkey/services/issue'
import { signedKeys } from '@latchkey/services/signed-keys'
import { expect, onTestFinished, test } from 'vitest'
import { createLeaseVerifier } from '../../src/main/adapters/leases.ts'
import { createTestDevice, dayMs, startTestService, type TestDeviceOptions } from '../core/fixture.ts'
import { reachGateway } from '../doubles/app-service.ts'

const product = 'inkwell'
const { signingKey, publicKey } = await generateSigningKey()
const leaseKey = await generateLeaseKey()
const { keys: leaseKeys } = await leaseKeysOf([leaseKey])
const from = signedKeys({ publicKeys: [publicKey], product })
const issue = (id: string) => issueLicenseKey({ signingKey, product, id, name: 'Ada Lovelace' })

/** A customer who activated a signed key, and then got an update of the app that asks the vendor's gateway. */
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
  const gateway = createGateway({ upstream, signing: { keys: [leaseKey] }, limits: { perLicense: false } })
  const updated = (options: TestDeviceOptions = {}) => {
    const leases = createLeaseVerifier(leaseKeys)
    const client = reachGateway({
      baseUrl: 'https://licenses.vendor.example/v1',
      licenseKeys: 'any',
      leases,
      fetch: async (request, init) => gateway(new Request(request, init)),
    })
    return createTestDevice(null, { service: client, leases, ...options })
  }
  const old = createTestDevice(null, { service: from })
  await old.launch()
  expect(await old.core.activate(signedKey)).toMatchObject({ ok: true })
  const { store, secrets } = old
  const device = updated({ store, secrets })
  return { service, state, signedKey, licenseKey, device, updated, seats: () => service.seats(licenseKey) }
}

test('a device with a signed key gets a seat at the service, and stays activated', async () => {
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

test('a signed key has as many seats as its license, and the service’s own keys work beside it', async () => {
  const { service, updated, signedKey, licenseKey } = await startMove()
  let computers = 0
  const activate = async (key: string) => {
    computers += 1
    const device = updated({ device: { machineId: `computer-${computers}` } })
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

test('a signed key that is revoked, or may be, takes no seat, and neither does one with text around it', async () => {
  const { emulator, newLicense, seats } = await startTestService()
  onTestFinished(() => emulator.close())
  const { id } = newLicense()
  const [revoked, good] = [await issue('order-1'), await issue('order-2')]
  const url = 'https://vendor.example/revoked.json'
  let list = Response.json(await signRevokedKeys({ signingKey, product, keys: [revoked] }))
  const upstream = moves({
    from: signedKeys({
      publicKeys: [publicKey],
      product,
      revoked: { url, publicKeys: [publicKey] },
    }),
    to: commerce({ baseUrl: emulator.baseUrl, accessToken: emulator.accessToken ?? '' }),
    licenseKeyOf: () => id,
  })
  const activate = async (licenseKey: string) => {
    const request = {
      licenseKey,
      deviceName: 'Laptop',
      fingerprint: '0123456789abcdef',
      allowsTestLicense: false,
    }
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

test('an option of the move that isn’t one, or is missing, is named', () => {
  const given = () => moves(Object.assign({ from }, { licenseKeyof: () => null }) as never)
  expect(given).toThrow(/moves: licenseKeyof is not an option/u)
  expect(given).toThrow(/moves: to is missing/u)
})
