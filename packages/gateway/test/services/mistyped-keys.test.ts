import { expect, test } from 'vitest'
import { generateSigningKey, leaseKeysOf, verifyLease } from '../../src/index.ts'
import { accessToken, keyName, nonce, startService } from '../gateway-fixture.ts'
import { adapterOf, type FaceGateway, gatewayOf, startFace } from './face-fixture.ts'

const signingKey = await generateSigningKey()
const leaseKeys = await leaseKeysOf([signingKey])
const nilKeyId = '00000000-0000-0000-0000-000000000000'
const keyId = '7c9e6679-7425-40de-944b-e07fc1f90ae7'

/** The commerce service alone, and before Polar. No service has license keys of the mistyped key's form. */
async function startBoth() {
  const [old, polar] = [await startService(), await startFace('polar', { seed: 3 })]
  const commerce = { baseUrl: old.baseUrl, accessToken }
  const signing = { keys: [signingKey] }
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
    key: await license.key(keyId, { 'latchkey-nonce': nonce }),
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
  const told = await gateway.of(mistyped).key(nilKeyId, { 'latchkey-nonce': nonce })
  const about = { licenseId: mistyped, keyId: nilKeyId }
  const verdict = await verifyLease(told.lease ?? '', { leaseKeys, nowMs: Date.now(), nonce, ...about })
  expect(verdict).toMatchObject({ trusted: true, claims: { ent: false } })
})
