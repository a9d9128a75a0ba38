import { expect, test } from 'vitest'
import { accessToken, keyName, startService } from '../gateway-fixture.ts'
import { adapterOf, gatewayOf, otherFingerprint, startFace } from './face-fixture.ts'

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
