import { describe, expect, test } from 'vitest'
import { createTestDevice, dayMs } from '../core/fixture.ts'
import { createServiceModel } from '../core/service-model.ts'
import { type AdapterName, keyOfLicense, startFace, unlistedNames } from './faces.ts'

const lost = { fault: 'reset', operation: 'activate', when: 'after-acting', times: 1 } as const

/** A device whose first activation took a seat, and got no answer. */
async function unanswered(name: AdapterName) {
  const scene = await startFace(name)
  const { control } = scene.emulator
  const device = scene.device()
  await device.launch()
  control.faults.inject(lost)
  await device.core.activate(scene.licenseKey)
  return { scene, control, device }
}

describe.each(unlistedNames)('after an activation that %s didn’t answer', (name) => {
  test('deactivating says that the seat may still be taken, and goes on saying it', async () => {
    const { scene, device } = await unanswered(name)
    expect(await device.core.deactivate()).toMatchObject({
      ok: true,
      seat: 'not-freed',
      state: { status: 'unlicensed', problem: { code: 'seat-may-be-taken' } },
    })
    await device.elapse(dayMs)
    expect(device.state.problem?.code).toBe('seat-may-be-taken')
    expect(scene.seats()).toHaveLength(1)
    expect(await device.recordOnDisk()).toMatchObject({ wanted: null, owed: [] })
    // Once this device is activated again, the problem is over.
    expect(await device.core.activate(scene.licenseKey)).toMatchObject({ ok: true, state: { problem: null } })
  })

  test('deactivating another license reports it too, and frees that one’s seat', async () => {
    const scene = await startFace(name)
    const { control } = scene.emulator
    const device = scene.device()
    await device.launch()
    await device.core.activate(scene.licenseKey)
    control.faults.inject(lost)
    await device.core.activate(keyOfLicense(scene, control.createLicense().id))
    expect(await device.core.deactivate()).toMatchObject({ ok: true, seat: 'not-freed' })
    expect(scene.seats()).toEqual([])
    expect(device.state.problem?.code).toBe('seat-may-be-taken')
  })

  test('canceling it says that the seat may still be taken, and goes on saying it', async () => {
    const { scene, device } = await unanswered(name)
    const said = { status: 'unlicensed', problem: { code: 'seat-may-be-taken' } }
    expect(await device.core.cancelActivation()).toMatchObject(said)
    await device.elapse(dayMs)
    expect(device.state).toMatchObject(said)
    expect(scene.seats()).toHaveLength(1)
    expect(await device.recordOnDisk()).toMatchObject({ wanted: null, owed: [] })
    expect(await device.core.activate(scene.licenseKey)).toMatchObject({ ok: true, state: { problem: null } })
  })

  test('a click from before the warning takes no second seat', async () => {
    const scene = await startFace(name)
    const device = scene.device()
    await device.launch()
    scene.emulator.control.faults.inject(lost)
    const clicks = [
      device.core.activate(scene.licenseKey),
      device.core.cancelActivation(),
      device.core.activate(scene.licenseKey),
    ]
    await Promise.all(clicks)
    expect(device.state).toMatchObject({ status: 'unlicensed', problem: { code: 'seat-may-be-taken' } })
    expect(scene.seats()).toHaveLength(1)
    expect(await device.core.activate(scene.licenseKey)).toMatchObject({ ok: true, state: { problem: null } })
  })

  test('canceling it keeps a license in use', async () => {
    const scene = await startFace(name)
    const { control } = scene.emulator
    const device = scene.device()
    await device.launch()
    await device.core.activate(scene.licenseKey)
    control.faults.inject(lost)
    await device.core.activate(keyOfLicense(scene, control.createLicense().id))
    expect(device.state).toMatchObject({ status: 'active', problem: { code: 'seat-may-be-taken' } })
    await device.core.cancelActivation()
    await device.elapse(dayMs)
    expect(device.state).toMatchObject({ status: 'active', problem: null })
    expect(scene.seats()).toHaveLength(1)
  })

  test('activating another license reports it, until that one is checked', async () => {
    const { scene, control, device } = await unanswered(name)
    const other = keyOfLicense(scene, control.createLicense().id)
    expect(await device.core.activate(other)).toMatchObject({
      ok: true,
      state: { status: 'active', problem: { code: 'seat-may-be-taken' } },
    })
    expect(scene.seats()).toHaveLength(1)
    await device.elapse(2 * dayMs)
    expect(device.state).toMatchObject({ status: 'active', problem: null })
  })

  test.each(['cancelActivation', 'deactivate'] as const)(
    'it can be tried again without its key after %s(), also after a second one',
    async (verb) => {
      const { device } = await unanswered(name)
      await device.core[verb]()
      await device.core[verb]()
      expect(await device.core.reactivate()).toMatchObject({ ok: true, state: { status: 'active' } })
    },
  )

  test('it is reported after a restart, too, beside a license that was suspended', async () => {
    const scene = await startFace(name)
    const { control } = scene.emulator
    const device = scene.device()
    await device.launch()
    await device.core.activate(scene.licenseKey)
    control.suspend(scene.licenseId)
    for (let day = 0; day < 3; day += 1) await device.elapse(dayMs)
    const { status } = device.state
    expect(status).not.toBe('active')
    control.faults.inject(lost)
    await device.core.activate(keyOfLicense(scene, control.createLicense().id))
    await device.launch()
    expect(device.state).toMatchObject({ status, problem: { code: 'seat-may-be-taken' } })
  })

  test('a second attempt that finds the license suspended doesn’t hide it, also after a restart', async () => {
    const { scene, control, device } = await unanswered(name)
    control.suspend(scene.licenseId)
    expect(await device.core.activate(scene.licenseKey)).toMatchObject({
      ok: false,
      // Dodo Payments and Polar don't say more.
      problem: { code: expect.stringMatching(/^license-(?:suspended|inactive)$/u) },
    })
    await device.elapse(dayMs)
    expect(device.state.problem?.code).toBe('seat-may-be-taken')
    await device.launch()
    expect(device.state.problem?.code).toBe('seat-may-be-taken')
    control.reinstate(scene.licenseId)
    await device.elapse(dayMs)
    expect(scene.seats()).toHaveLength(1)
    expect(await device.core.reactivate()).toMatchObject({ ok: true, state: { problem: null } })
  })

  test('a seat that certainly wasn’t taken isn’t reported', async () => {
    const scene = await startFace(name)
    const device = scene.device()
    await device.launch()
    await scene.emulator.control.pause()
    await device.core.activate(scene.licenseKey)
    expect(await device.core.deactivate()).toMatchObject({
      ok: true,
      seat: 'freed',
      state: { problem: null },
    })
    await device.core.activate(scene.licenseKey)
    expect(await device.core.cancelActivation()).toMatchObject({ status: 'unlicensed', problem: null })
  })
})

test('a seat that a list will show is freed later, without a warning', async () => {
  const model = createServiceModel(() => device.clock.now())
  const license = model.addLicense(1)
  const service = model.reachedBy((operation) => ({ kind: operation === 'activate' ? 'late' : 'served' }))
  const device = createTestDevice(null, { service })
  await device.launch()
  await device.core.activate(license.id)
  expect(await device.core.deactivate()).toMatchObject({ seat: 'freed', state: { problem: null } })
  model.deliverLate()
  expect(license.keys).toHaveLength(1)
  await device.elapse(dayMs)
  expect(license.keys).toEqual([])
})
