import { expect, test } from 'vitest'
import { createServicePort } from '../../src/main/adapters/service/create-service-port.ts'
import { adapterOf, keyOfLicense, startFace, unlistedNames } from './faces.ts'

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
