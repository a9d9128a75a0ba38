import type { Emulator } from '@latchkey/emulator'
import type { LicenseService } from '@latchkey/services'
import { expect, test } from 'vitest'
import type { UpstreamOptions } from '../../src/index.ts'
import { accessToken, keyName, startService } from '../gateway-fixture.ts'
import { adapterOf, gatewayOf, otherFingerprint, startFace } from './face-fixture.ts'

const otherName = `Other [${otherFingerprint}]`
const seats = (emulator: Emulator, licenseKey: string): number => emulator.control.keys(licenseKey).length

/** The commerce service before Lemon Squeezy, whose license keys have the same form. @param between services between them */
async function startBoth(between: readonly LicenseService[] = []) {
  const [old, lemon] = [await startService(), await startFace('lemon-squeezy', { seed: 2 })]
  let wrongLists = 0
  const commerce: UpstreamOptions = {
    baseUrl: old.baseUrl,
    accessToken,
    async fetch(request, init) {
      if (request.method !== 'GET') return fetch(request, init)
      return wrongLists-- > 0
        ? Response.json({ data: [{ id: crypto.randomUUID(), name: 'Ada' }] })
        : fetch(request, init)
    },
  }
  return {
    old,
    lemon,
    license: gatewayOf([commerce, ...between, adapterOf('lemon-squeezy', lemon)]).of(lemon.licenseKey),
    /** Makes a cache before the commerce service answer a request with another license's list. */
    answerWithWrongList: () => {
      wrongLists = 1
    },
  }
}

test('a list of another license from a cache doesn’t keep new devices from activating', async () => {
  const { lemon, license, answerWithWrongList } = await startBoth()
  answerWithWrongList()
  expect(await license.activate(keyName)).toMatchObject({ status: 200 })
  expect(await license.activate(otherName)).toMatchObject({ status: 200 })
  expect(seats(lemon, lemon.demoLicense.id)).toBe(2)
})

test('nor does it keep a seat from being freed', async () => {
  const { lemon, license, answerWithWrongList } = await startBoth()
  const { id } = lemon.control.addKey(lemon.demoLicense.id, keyName)
  answerWithWrongList()
  expect(await license.deactivate(id)).toMatchObject({ status: 200 })
  expect(seats(lemon, lemon.demoLicense.id)).toBe(0)
})

test.each([401, 503])('nor does a device wait for a third service that answers with %i', async (status) => {
  const third = await startFace('dodo', { seed: 4 })
  third.control.faults.inject({ fault: 'status', status })
  const { lemon, license, answerWithWrongList } = await startBoth([adapterOf('dodo', third)])
  const { id } = lemon.control.addKey(lemon.demoLicense.id, keyName)
  answerWithWrongList()
  expect(await license.validate(id)).toMatchObject({ status: 200 })
  expect(await license.activate(otherName)).toMatchObject({ status: 200 })
})

/** Both services know the license key. */
async function startMoved() {
  const both = await startBoth()
  both.old.control.createLicense({ id: both.lemon.licenseKey, keys: ['Ada'] })
  return {
    ...both,
    seatsOfBoth: () => [
      seats(both.old, both.lemon.licenseKey) - 1,
      seats(both.lemon, both.lemon.demoLicense.id),
    ],
  }
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

test('no other service is asked if one may have taken a seat', async () => {
  const { old, lemon, license, answerWithWrongList } = await startBoth()
  answerWithWrongList()
  old.control.faults.inject({ fault: 'reset', operation: 'activate' })
  expect(await license.activate(keyName)).toMatchObject({ status: 502 })
  expect(seats(lemon, lemon.demoLicense.id)).toBe(0)
})
