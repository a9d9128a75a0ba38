import { describe, expect, test } from 'vitest'
import { dayMs } from '../core/fixture.ts'
import { withCall } from '../doubles/with-call.ts'
import { adapterOf, keyOfLicense, startFace, unlistedNames } from './faces.ts'

describe.each(unlistedNames)('with %s', (name) => {
  /** A device whose own check has just taken a seat for a key that was entered offline. The answer is still missing. */
  async function startChecking() {
    const scene = await startFace(name)
    const { baseUrl, settings: all } = scene.emulator
    const { publicKey: _, ...settings } = all
    const world = { isOnline: false, isFirst: true, lose: (): void => {}, pass: (): void => {} }
    const held = new Promise<void>((resolve, reject) => {
      world.lose = () => reject(new Error('net::ERR_NETWORK_CHANGED'))
      world.pass = resolve
    })
    held.catch(() => {})
    const reached = withCall(adapterOf[name]({ baseUrl, settings }), () => ({
      fetch: async (request, init) => {
        if (!world.isOnline) throw new Error('net::ERR_INTERNET_DISCONNECTED')
        const served = await fetch(request, init)
        if (request.url.endsWith('/activate') && world.isFirst) {
          world.isFirst = false
          await held
        }
        return served
      },
    }))
    const device = scene.device({ service: reached })
    await device.launch()
    expect((await device.core.activate(scene.licenseKey)).ok).toBe(false)
    world.isOnline = true
    const checked = device.core.validate()
    await expect.poll(() => scene.seats().length).toBe(1)
    return { scene, device, world, checked }
  }

  test('an activation behind a request whose answer is lost takes no second seat, and the next one may', async () => {
    const { scene, device, world, checked } = await startChecking()
    const clicked = device.core.activate(scene.licenseKey)
    world.lose()
    expect(await clicked).toMatchObject({ ok: false, problem: { code: 'seat-may-be-taken' } })
    await checked
    expect(scene.seats()).toHaveLength(1)
    expect(await device.core.activate(scene.licenseKey)).toMatchObject({ ok: true })
  })

  test('another license can be activated behind such a request', async () => {
    const { scene, device, world, checked } = await startChecking()
    const { control } = scene.emulator
    const clicked = device.core.activate(keyOfLicense(scene, control.createLicense().id))
    world.lose()
    expect(await clicked).toMatchObject({ ok: true })
    await checked
    expect(device.state).toMatchObject({ status: 'active', problem: { code: 'seat-may-be-taken' } })
  })

  test('behind a request that is answered, nothing more is sent', async () => {
    const { scene, device, world, checked } = await startChecking()
    const clicked = device.core.activate(scene.licenseKey)
    world.pass()
    expect(await clicked).toMatchObject({ ok: true, state: { status: 'active', problem: null } })
    await checked
    expect(scene.seats()).toHaveLength(1)
  })

  test('"Activate again" beside a refused key activates the license that this device had', async () => {
    const scene = await startFace(name)
    const { control } = scene.emulator
    const device = scene.device()
    await device.launch()
    const own = control.createLicense()
    await device.core.activate(keyOfLicense(scene, own.id))
    control.faults.inject({ fault: 'reset', operation: 'activate', when: 'after-acting', times: 1 })
    await device.core.activate(scene.licenseKey)
    control.suspend(scene.licenseId)
    expect(await device.core.reactivate()).toMatchObject({
      ok: false,
      problem: { code: expect.stringMatching(/^license-(?:suspended|inactive)$/u) },
    })
    control.removeKey(own.id, control.keys(own.id)[0]?.id ?? '')
    for (let days = 0; days < 20; days += 1) await device.elapse(dayMs)
    expect(device.state.status).toBe('revoked')
    expect(await device.core.reactivate()).toMatchObject({ ok: true, state: { status: 'active' } })
    expect(control.keys(own.id)).toHaveLength(1)
  })
})
