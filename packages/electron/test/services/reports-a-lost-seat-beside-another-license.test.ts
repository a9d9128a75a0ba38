import { expect, test } from 'vitest'
import { keyOfLicense, noNetwork, startFace, unlistedNames } from './faces.ts'

test.each(unlistedNames)(
  'with %s, a lost seat is also reported beside a license that the app itself activates',
  async (name) => {
    const scene = await startFace(name)
    const { control } = scene.emulator
    const device = scene.device()
    await device.launch()
    control.faults.inject({ fault: 'reset', operation: 'activate', when: 'after-acting', times: 1 })
    await device.core.activate(scene.licenseKey)
    scene.answer = noNetwork
    await device.core.activate(keyOfLicense(scene, control.createLicense().id))
    scene.answer = null
    await device.core.validate()
    expect(device.state).toMatchObject({ status: 'active', problem: { code: 'seat-may-be-taken' } })
  },
)
