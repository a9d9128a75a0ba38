import { describe, expect, test } from 'vitest'
import { dayMs, hourMs } from '../../fixture.ts'
import { says, scene } from '../../scene.ts'
import { world } from './service-that-lists-what-is-gone.ts'

describe.each([401, 403] as const)('a service that denies access to listed activations with %d', (status) => {
  test('gives a device that was released elsewhere a new seat once the user signs out and asks twice', async () => {
    const { device, license, seats, release } = await world({ status, refusesTwice: true, limit: 1 })
    await device.core.activate(license.id)
    await device.elapse(2 * dayMs)
    release(license.keys[0]?.id ?? '')
    expect(await device.launch()).toMatchObject({ status: 'grace', entitled: true })
    expect(await device.core.reactivate()).toMatchObject({ ok: false })
    expect(await device.core.reactivate()).toMatchObject({ ok: false, problem: { code: 'unauthorized' } })
    expect(device.state).toMatchObject({ entitled: true })
    await device.core.deactivate()
    await device.elapse(hourMs)
    expect(await device.core.activate(license.id)).toMatchObject({
      ok: false,
      problem: { code: 'unauthorized' },
    })
    await device.launch()
    expect(seats()).toEqual([])
    expect(await device.core.activate(license.id)).toMatchObject({ ok: true, state: { status: 'active' } })
    await device.elapse(dayMs)
    expect(device.state).toMatchObject({ status: 'active', problem: null })
    expect(seats()).toHaveLength(1)
  })

  test('gives it a new seat after grace, too, but not while it may run', async () => {
    const { device, license, seats, release } = await world({ status, refusesTwice: true })
    await device.core.activate(license.id)
    await device.elapse(2 * dayMs)
    release(license.keys[0]?.id ?? '')
    for (let click = 0; click < 3; click += 1) {
      expect(await device.core.reactivate()).toMatchObject({ ok: false, state: { entitled: true } })
    }
    await device.elapse(15 * dayMs)
    expect(device.state).toMatchObject({ status: 'unverified', problem: { code: 'unauthorized' } })
    expect(seats()).toEqual([])
    expect(await device.core.reactivate()).toMatchObject({ ok: true, state: { status: 'active' } })
    await device.elapse(dayMs)
    expect(device.state).toMatchObject({ status: 'active', problem: null })
    expect(seats()).toHaveLength(1)
  })
})

test.each([401, 403])(
  'a proxy that answers every validation with %d costs one seat for a while',
  async (status) => {
    const { device, license, fates } = await scene()
    await device.core.activate(license.id)
    const [first] = license.keys
    // The record was lost.
    device.store.place('newest', null)
    device.store.place('lastGood', null)
    await device.launch()
    fates.validate = Array.from({ length: 99 }, () => says(status))
    expect(await device.core.activate(license.id)).toMatchObject({
      ok: false,
      problem: { code: 'unauthorized' },
    })
    expect(license.keys).toHaveLength(1)
    for (let click = 0; click < 5; click += 1) await device.core.activate(license.id)
    expect(device.state).toMatchObject({ status: 'active' })
    expect(license.keys).toHaveLength(2)
    fates.validate = []
    await device.core.activate(license.id)
    await device.elapse(dayMs)
    expect(device.state).toMatchObject({ status: 'active' })
    expect(license.keys).toEqual([first])
  },
)
