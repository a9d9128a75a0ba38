import { describe, expect, test } from 'vitest'
import { createTestDevice, dayMs, hourMs, minuteMs } from '../../fixture.ts'
import { lost, says, scene } from '../../scene.ts'
import { createServiceModel, type Fate } from '../../service-model.ts'
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

describe.each([401, 403, 404] as const)(
  'a proxy that answers %d after it has passed requests on',
  (status) => {
    /** The record was lost, and the proxy hides the seat that each activation takes. */
    async function behindProxy({ isDated = true } = {}) {
      const scene = await world({ limit: 9, isDated, ...(status !== 404 && { status }) })
      const { device, license, box, fates } = scene
      await device.core.activate(license.id)
      await device.elapse(hourMs)
      device.store.place('newest', null)
      device.store.place('lastGood', null)
      await device.launch()
      box.refusesValidate = true
      fates.activate = Array.from({ length: 99 }, () => ({ kind: 'status-after', status }))
      return scene
    }

    test.each([{ isDated: true }, { isDated: false }])(
      'costs one seat, however long the user waits between clicks: %j',
      async (options) => {
        const { device, license, seats, box, fates } = await behindProxy(options)
        for (let click = 0; click < 8; click += 1) {
          expect(await device.core.activate(license.id)).toMatchObject({ ok: false })
          await device.elapse(11 * minuteMs)
        }
        expect(seats()).toHaveLength(2)
        box.refusesValidate = false
        fates.activate = []
        await device.launch()
        await device.elapse(dayMs)
        expect(device.state).toMatchObject({ status: 'active', problem: null })
        expect(seats()).toHaveLength(1)
      },
    )
  },
)

test('a listed activation that is older than the lost request is replaced', async () => {
  const { device, license, seats, fates, release } = await world({ limit: 1 })
  await device.core.activate(license.id)
  release(license.keys[0]?.id ?? '')
  await device.core.deactivate()
  await device.elapse(hourMs)
  fates.activate = [lost]
  expect(await device.core.activate(license.id)).toMatchObject({ ok: false })
  await device.elapse(11 * minuteMs)
  expect(await device.core.activate(license.id)).toMatchObject({ ok: true, state: { status: 'active' } })
  expect(seats()).toHaveLength(1)
})

test('where no list shows it, a full license names the seat that a lost answer may have taken', async () => {
  const model = createServiceModel(() => device.clock.now())
  const license = model.addLicense(1)
  let isLost = true
  const service = model.reachedBy((operation): Fate => {
    if (operation === 'keys') return { kind: 'status', status: 403, isJson: true }
    if (operation !== 'activate' || !isLost) return { kind: 'served' }
    isLost = false
    return { kind: 'answer-lost' }
  })
  const device = createTestDevice(null, { service })
  await device.launch()
  expect(await device.core.activate(license.id)).toMatchObject({ ok: false })
  const refused = { ok: false, problem: { code: 'seat-may-be-taken' } }
  expect(await device.core.activate(license.id)).toMatchObject(refused)
  expect(await device.core.reactivate()).toMatchObject(refused)
  // Support has freed it.
  model.removeKey(license, license.keys[0]?.id ?? '')
  expect(await device.core.reactivate()).toMatchObject({ ok: true, state: { entitled: true } })
  expect(license.keys).toHaveLength(1)
})

test('where no list shows it, a released device gets the seat that support has freed', async () => {
  const model = createServiceModel(() => device.clock.now())
  const license = model.addLicense(1)
  let lostAnswers = 0
  let isReleased = false
  const service = model.reachedBy((operation): Fate => {
    if (operation === 'keys') return { kind: 'status', status: 403, isJson: true }
    if (operation === 'validate' && isReleased) return { kind: 'status', status: 404, isJson: true }
    if (operation !== 'activate' || lostAnswers === 0) return { kind: 'served' }
    lostAnswers -= 1
    return { kind: 'answer-lost' }
  })
  const device = createTestDevice(null, { service })
  await device.launch()
  await device.core.activate(license.id)
  model.removeKey(license, license.keys[0]?.id ?? '')
  isReleased = true
  await device.elapse(16 * dayMs)
  expect(device.state.entitled).toBe(false)
  lostAnswers = 1
  expect(await device.core.reactivate()).toMatchObject({ ok: false })
  await device.elapse(11 * minuteMs)
  expect(await device.core.reactivate()).toMatchObject({ problem: { code: 'seat-may-be-taken' } })
  model.removeKey(license, license.keys[0]?.id ?? '')
  await device.elapse(11 * minuteMs)
  expect(await device.core.reactivate()).toMatchObject({ ok: true, state: { entitled: true } })
  expect(license.keys).toHaveLength(1)
})
