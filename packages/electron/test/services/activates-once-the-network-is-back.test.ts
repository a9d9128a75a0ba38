import { expect, test } from 'vitest'
import { createServicePort } from '../../src/main/adapters/service/create-service-port.ts'
import { hourMs } from '../core/fixture.ts'
import { adapterOf, startFace, unlistedNames } from './faces.ts'

test.each(unlistedNames)(
  '%s: a key pasted offline is activated by itself once the network is back',
  async (name) => {
    const scene = await startFace(name)
    let isOnline = false
    const commerce = createServicePort({
      service: adapterOf[name](scene.emulator),
      fetch: async (request, init) => {
        // As Chromium reports it. Some connections break with it after the request was sent.
        if (!isOnline) throw new Error('net::ERR_INTERNET_DISCONNECTED')
        return fetch(request, init)
      },
    })
    const device = scene.device({ commerce })
    await device.launch()
    expect(await device.core.activate(scene.licenseKey)).toMatchObject({ problem: { code: 'offline' } })
    isOnline = true
    await device.elapse(hourMs)
    expect(device.state).toMatchObject({ status: 'active', problem: null })
    expect(scene.seats()).toHaveLength(1)
  },
)
