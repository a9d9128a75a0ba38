import { describe, expect, test } from 'vitest'
import { createServicePort } from '../../src/main/adapters/service/create-service-port.ts'
import { dayMs } from '../core/fixture.ts'
import { type AdapterName, adapterOf, keyOfLicense, startFace, unlistedNames } from './faces.ts'

const otherThan = (name: AdapterName): AdapterName => (name === 'polar' ? 'lemon-squeezy' : 'polar')

/** A device whose app moved from another service, and whose requests can be stopped. */
async function startMoved(name: AdapterName) {
  const old = await startFace(otherThan(name))
  const first = old.device()
  await first.launch()
  await first.core.activate(old.licenseKey)
  await first.quit()
  const scene = await startFace(name)
  const { baseUrl, settings: all } = scene.emulator
  const { publicKey: _, ...settings } = all
  const world = { isOnline: true }
  const commerce = createServicePort({
    service: adapterOf[name]({ baseUrl, settings }),
    fetch: async (request, init) => {
      if (!world.isOnline) throw new Error('net::ERR_INTERNET_DISCONNECTED')
      return fetch(request, init)
    },
  })
  const device = scene.device({ commerce, store: first.store, secrets: first.secrets })
  await device.launch()
  for (let days = 0; days < 3; days += 1) await device.elapse(dayMs)
  const loseNext = () =>
    scene.emulator.control.faults.inject({
      fault: 'reset',
      operation: 'activate',
      when: 'after-acting',
      times: 1,
    })
  return { scene, device, world, loseNext }
}

describe.each(unlistedNames)('after a move to %s, a new key whose answer was lost', (name) => {
  test('isn’t asked for again after a restart before the user knows of it', async () => {
    const { scene, device, loseNext } = await startMoved(name)
    loseNext()
    expect(await device.core.activate(scene.licenseKey)).toMatchObject({ ok: false })
    await device.launch()
    expect(await device.core.activate(scene.licenseKey)).toMatchObject({
      ok: false,
      problem: { code: 'seat-may-be-taken' },
    })
    expect(scene.seats()).toHaveLength(1)
    expect(await device.core.activate(scene.licenseKey)).toMatchObject({ ok: true })
  })

  test('isn’t asked for again after the app’s own request before the user knows of it', async () => {
    const { scene, device, world, loseNext } = await startMoved(name)
    world.isOnline = false
    expect(await device.core.activate(scene.licenseKey)).toMatchObject({ ok: false })
    world.isOnline = true
    loseNext()
    await device.core.validate()
    expect(scene.seats()).toHaveLength(1)
    expect(await device.core.activate(scene.licenseKey)).toMatchObject({
      ok: false,
      problem: { code: 'seat-may-be-taken' },
    })
    expect(scene.seats()).toHaveLength(1)
  })
})

test.each(unlistedNames)(
  'with %s, a lost seat is also reported beside a license that the app itself activates',
  async (name) => {
    const scene = await startFace(name)
    const { control, baseUrl, settings: all } = scene.emulator
    const { publicKey: _, ...settings } = all
    const world = { isOnline: true }
    const commerce = createServicePort({
      service: adapterOf[name]({ baseUrl, settings }),
      fetch: async (request, init) => {
        if (!world.isOnline) throw new Error('net::ERR_INTERNET_DISCONNECTED')
        return fetch(request, init)
      },
    })
    const device = scene.device({ commerce })
    await device.launch()
    control.faults.inject({ fault: 'reset', operation: 'activate', when: 'after-acting', times: 1 })
    await device.core.activate(scene.licenseKey)
    world.isOnline = false
    await device.core.activate(keyOfLicense(scene, control.createLicense().id))
    world.isOnline = true
    await device.core.validate()
    expect(device.state).toMatchObject({ status: 'active', problem: { code: 'seat-may-be-taken' } })
  },
)
