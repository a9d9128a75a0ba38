import type { Emulator, FaultRule } from '@latchkey/emulator'
import { generateSigningKey, issueLicenseKey, signRevokedKeys } from '@latchkey/services/issue'
import { signedKeys } from '@latchkey/services/signed-keys'
import { describe, expect, test } from 'vitest'
import { moves, type UpstreamOptions } from '../../src/index.ts'
import { accessToken, keyName, leaseClaims, signing, startService, withNonce } from '../gateway-fixture.ts'
import {
  adapterOf,
  type FaceGateway,
  fingerprint,
  gatewayOf,
  otherFingerprint,
  startFace,
} from './face-fixture.ts'

/** A vendor who moved from the commerce service to Lemon Squeezy, whose keys look the same, and to Polar. */
async function startVendor() {
  const [old, lemon, polar] = [
    await startService(),
    await startFace('lemon-squeezy', { seed: 2 }),
    await startFace('polar', { seed: 3 }),
  ]
  const gateway = gatewayOf(
    [adapterOf('polar', polar), adapterOf('lemon-squeezy', lemon), { baseUrl: old.baseUrl, accessToken }],
    { signing },
  )
  return { old, lemon, polar, gateway }
}

const seats = (emulator: Emulator): number => emulator.control.keys(emulator.demoLicense.id).length

test('keys of every service work at one address, and each takes its seat at the service that knows it', async () => {
  const { old, lemon, polar, gateway } = await startVendor()
  for (const emulator of [old, lemon, polar]) {
    const license = gateway.of(emulator.licenseKey)
    const { id } = (await license.activate(keyName)).body.key
    expect(seats(emulator)).toBe(1)
    expect((await license.keys()).body.data).toMatchObject([{ id, name: keyName }])
    expect(await license.validate(id)).toMatchObject({ status: 200 })
    expect(await license.deactivate(id)).toMatchObject({ status: 200 })
    expect(seats(emulator)).toBe(0)
  }
})

test('an app of the commerce service that was shipped long ago is served as before', async () => {
  const { old, gateway } = await startVendor()
  // Those apps send license keys as they are, in either case, and no fingerprint.
  const path = `/licenses/${old.demoLicense.id.toUpperCase()}`
  const { id } = (await gateway.ask('POST', `${path}/activate`, { name: keyName })).body.key
  const validated = await gateway.ask('POST', `${path}/validate`, { key: id }, withNonce)
  expect(validated.status).toBe(200)
  const about = { licenseId: old.demoLicense.id, keyId: id, fingerprint }
  expect(await leaseClaims(validated.lease, about)).toMatchObject({ ent: true })
})

test('a license key that no service knows is refused, and takes no seat', async () => {
  const { old, lemon, polar, gateway } = await startVendor()
  for (const licenseKey of [old.licenseKey, polar.licenseKey]) {
    const unknown = licenseKey.replace(/\d/gu, '7')
    expect(await gateway.of(unknown).activate(keyName)).toMatchObject({ status: 404 })
  }
  expect([old, lemon, polar].map(seats)).toEqual([0, 0, 0])
})

test('what every app asks before its first activation is answered without asking a service', async () => {
  const { old, lemon, polar, gateway } = await startVendor()
  const nilKeyId = '00000000-0000-0000-0000-000000000000'
  const licenseKeys = [old, lemon, polar].flatMap(({ licenseKey }) => [
    licenseKey,
    licenseKey.replace(/\d/gu, '7'),
    licenseKey.toUpperCase(),
  ])
  for (const licenseKey of licenseKeys) {
    const told = await gateway.of(licenseKey).key(nilKeyId, withNonce)
    expect(told.status).toBe(404)
    const isUuid = licenseKey.length === 36
    // Apps of the commerce service compare the license key in lower case, others exactly.
    for (const licenseId of isUuid ? [licenseKey, licenseKey.toLowerCase()] : [licenseKey]) {
      const about = { licenseId, keyId: nilKeyId }
      expect(await leaseClaims(told.lease, about)).toMatchObject({ ent: false })
    }
  }
  for (const emulator of [old, lemon, polar]) expect(emulator.control.requests()).toEqual([])
})

test('while one service is down, its keys wait, and the others’ keys work', async () => {
  const { old, lemon, polar, gateway } = await startVendor()
  lemon.control.faults.inject({ fault: 'status', status: 503 })
  expect(await gateway.of(lemon.licenseKey).activate(keyName)).toMatchObject({
    status: 502,
    body: { error: 'upstream-unreachable' },
  })
  const { id } = old.control.addKey(old.demoLicense.id, keyName)
  expect(await gateway.of(old.licenseKey).validate(id)).toMatchObject({ status: 200 })
  expect(await gateway.of(polar.licenseKey).activate(keyName)).toMatchObject({ status: 200 })
  lemon.control.faults.clear()
  expect(await gateway.of(lemon.licenseKey).activate(keyName)).toMatchObject({ status: 200 })
})

test('a new customer of one service can activate while another one is down', async () => {
  const { old, lemon, gateway } = await startVendor()
  lemon.control.faults.inject({ fault: 'status', status: 503 })
  const license = gateway.of(old.licenseKey)
  expect(await license.keys()).toMatchObject({ status: 200, body: { data: [] } })
  const { id } = (await license.activate(keyName)).body.key
  expect([old, lemon].map(seats)).toEqual([1, 0])
  expect(await license.validate(id)).toMatchObject({ status: 200 })
  lemon.control.faults.clear()
  expect(await license.validate(id)).toMatchObject({ status: 200 })
})

/** A commerce service that doesn't refuse to list an unknown license. */
function listingNothing({ baseUrl }: Emulator): UpstreamOptions {
  return {
    baseUrl,
    accessToken,
    fetch: async (request, init) => {
      const response = await fetch(request, init)
      const isUnknown = response.status === 404 && request.url.endsWith('/keys')
      return isUnknown ? Response.json({ data: [] }) : response
    },
  }
}

describe('two commerce services that list nothing for licenses they don’t know', () => {
  async function startTwo() {
    const [first, second] = [await startService({ seed: 1 }), await startService({ seed: 9 })]
    const license = gatewayOf([listingNothing(first), listingNothing(second)]).of(second.licenseKey)
    return { first, second, license }
  }

  test('activate a new license of the second one, and free its seat', async () => {
    const { first, second, license } = await startTwo()
    const { id } = (await license.activate(keyName)).body.key
    expect([first, second].map(seats)).toEqual([0, 1])
    expect(await license.validate(id)).toMatchObject({ status: 200 })
    expect(await license.deactivate(id)).toMatchObject({ status: 200 })
    expect([first, second].map(seats)).toEqual([0, 0])
  })

  test.each<[string, FaultRule, number]>([
    ['may have taken a seat', { fault: 'reset', operation: 'activate' }, 502],
    ['is busy', { fault: 'status', status: 429, operation: 'activate' }, 503],
    ['answers like a proxy', { fault: 'status', status: 404, body: 'html', operation: 'activate' }, 404],
    ['refuses for another reason', { fault: 'status', status: 422, operation: 'activate' }, 422],
  ])('take no seat at the second one if the first one %s', async (_what, fault, status) => {
    const { first, second, license } = await startTwo()
    first.control.faults.inject(fault)
    expect(await license.activate(keyName)).toMatchObject({ status })
    expect([first, second].map(seats)).toEqual([0, 0])
  })

  test('refuse a license that neither of them knows', async () => {
    const { first, second } = await startTwo()
    const unknown = first.licenseKey.replace(/\d/gu, '7')
    const gateway = gatewayOf([listingNothing(first), listingNothing(second)])
    expect(await gateway.of(unknown).activate(keyName)).toMatchObject({
      status: 404,
      body: { error: 'not-found' },
    })
  })
})

test('a license key stays with its service when another one begins to answer for it', async () => {
  const { lemon, old, gateway } = await startVendor()
  const license = gateway.of(lemon.licenseKey)
  const { id } = (await license.activate(keyName)).body.key
  old.control.createLicense({ id: lemon.licenseKey, keys: [keyName] })
  lemon.control.faults.inject({ fault: 'status', status: 503 })
  expect(await license.validate(id)).toMatchObject({ status: 503 })
})

test('asks which service knows a key once, not with every request', async () => {
  const { lemon, old, gateway } = await startVendor()
  const license = gateway.of(lemon.licenseKey)
  const { id } = (await license.activate(keyName)).body.key
  old.control.clearRequests()
  lemon.control.clearRequests()
  await license.validate(id)
  expect(old.control.requests()).toEqual([])
  expect(lemon.control.requests()).toHaveLength(1)
})

test('a key of one form alone is asked for at its service alone', async () => {
  const { old, lemon, polar, gateway } = await startVendor()
  await gateway.of(polar.licenseKey).keys()
  expect([old, lemon].flatMap(({ control }) => control.requests())).toEqual([])
})

const otherName = `Other [${otherFingerprint}]`

/** The commerce service before Lemon Squeezy, and a license key that both of them know. */
async function startMoved() {
  const [old, lemon] = [await startService(), await startFace('lemon-squeezy', { seed: 2 })]
  old.control.createLicense({ id: lemon.licenseKey, keys: ['Ada'] })
  const upstream = [{ baseUrl: old.baseUrl, accessToken }, adapterOf('lemon-squeezy', lemon)]
  const seatsOfBoth = () => [
    old.control.keys(lemon.licenseKey).length - 1,
    lemon.control.keys(lemon.demoLicense.id).length,
  ]
  return { old, lemon, license: gatewayOf(upstream).of(lemon.licenseKey), seatsOfBoth }
}

test('a proxy that refuses everything doesn’t move a license away from the service that served it', async () => {
  const { old, license, seatsOfBoth } = await startMoved()
  const { id } = (await license.activate(keyName)).body.key
  old.control.faults.inject({ fault: 'status', status: 404 })
  expect(await license.activate(otherName)).toMatchObject({ status: 404 })
  old.control.faults.clear()
  expect(await license.validate(id)).toMatchObject({ status: 200 })
  expect(await license.activate(otherName)).toMatchObject({ status: 200 })
  expect(seatsOfBoth()).toEqual([2, 0])
})

test('nor away from the service that validated a device since the gateway started', async () => {
  const { old, lemon, license, seatsOfBoth } = await startMoved()
  const { id } = old.control.addKey(lemon.licenseKey, keyName)
  expect(await license.validate(id)).toMatchObject({ status: 200 })
  old.control.faults.inject({ fault: 'status', status: 404 })
  expect(await license.activate(otherName)).toMatchObject({ status: 404 })
  expect(seatsOfBoth()).toEqual([1, 0])
})

const nilKeyId = '00000000-0000-0000-0000-000000000000'
const keyId = '7c9e6679-7425-40de-944b-e07fc1f90ae7'

/** The commerce service alone, and before Polar. No service has license keys of the mistyped key's form. */
async function startBoth() {
  const [old, polar] = [await startService(), await startFace('polar', { seed: 3 })]
  const commerce = { baseUrl: old.baseUrl, accessToken }
  return {
    old,
    alone: gatewayOf(commerce, { signing }),
    gateway: gatewayOf([commerce, adapterOf('polar', polar)], { signing }),
    mistyped: polar.licenseKey.slice(0, -1),
  }
}

async function repliesOf(gateway: FaceGateway, licenseKey: string) {
  const license = gateway.of(licenseKey)
  return {
    keys: await license.keys(),
    key: await license.key(keyId, withNonce),
    activate: await license.activate(keyName),
    validate: await license.validate(keyId),
    deactivate: await license.deactivate(keyId),
  }
}

test('a text that is no service’s license key is answered like a license that the commerce service doesn’t know', async () => {
  const { old, alone, gateway, mistyped } = await startBoth()
  const unknown = await repliesOf(alone, old.licenseKey.replace(/\d/gu, '7'))
  expect(unknown.activate).toMatchObject({ status: 404, body: { error: 'not-found' } })
  old.control.clearRequests()
  expect(await repliesOf(gateway, mistyped)).toEqual(unknown)
  expect(old.control.requests()).toEqual([])
  expect(gateway.lines.map(({ level }) => level)).not.toContain('error')
})

test('an app that checks for signed answers before it activates a mistyped key can trust them', async () => {
  const { gateway, mistyped } = await startBoth()
  const told = await gateway.of(mistyped).key(nilKeyId, withNonce)
  const about = { licenseId: mistyped, keyId: nilKeyId }
  expect(await leaseClaims(told.lease, about)).toMatchObject({ ent: false })
})

test('a signed key that is revoked after a move takes no seat, and still frees the one that it has', async () => {
  const { signingKey, publicKey } = await generateSigningKey()
  const product = 'inkwell'
  const signedKey = await issueLicenseKey({ signingKey, product, id: 'order-1' })
  const emulator = await startFace('polar')
  const listUrl = 'https://vendor.example/revoked.json'
  let keys: readonly string[] = []
  const upstream = moves({
    from: signedKeys({
      publicKeys: [publicKey],
      product,
      revoked: { url: listUrl, publicKeys: [publicKey] },
    }),
    to: adapterOf('polar', emulator),
    licenseKeyOf: () => emulator.licenseKey,
  })
  const license = gatewayOf(upstream, {
    async fetch(...sent) {
      const request = new Request(...sent)
      if (request.url !== listUrl) return fetch(request)
      return Response.json(await signRevokedKeys({ signingKey, product, keys }))
    },
  }).of(signedKey)
  const { id } = (await license.activate(keyName)).body.key
  keys = [signedKey]
  expect((await license.activate('Other [fedcba9876543210]')).status).toBe(422)
  expect((await license.deactivate(id)).status).toBe(200)
  expect(emulator.control.keys(emulator.demoLicense.id)).toEqual([])
})
