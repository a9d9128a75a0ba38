import { describe, expect, test } from 'vitest'
import { createTestDevice, dayMs } from '../core/fixture.ts'
import { createServiceModel } from '../core/service-model.ts'
import {
  type AdapterName,
  activateDevice,
  keyOfLicense,
  lostActivation,
  startDevice,
  unknownHost,
  unlistedNames,
} from './faces.ts'

const warned = { problem: { code: 'seat-may-be-taken' } }

/** A device whose first activation took a seat, and got no answer. */
async function unanswered(name: AdapterName) {
  const started = await startDevice(name)
  started.control.faults.inject(lostActivation)
  await started.device.core.activate(started.scene.licenseKey)
  return started
}

/** An activated device, on which the answer to the activation of another license is lost. */
async function unansweredBesideAnother(name: AdapterName, change: 'suspend' | null = null) {
  const started = await activateDevice(name)
  const { scene, device, control } = started
  if (change !== null) control[change](scene.licenseId)
  for (let day = 0; day < 3 && change !== null; day += 1) await device.elapse(dayMs)
  control.faults.inject(lostActivation)
  await device.core.activate(keyOfLicense(scene, control.createLicense().id))
  return started
}

describe.each(unlistedNames)('after an activation that %s didn’t answer', (name) => {
  test.each(['deactivate', 'cancelActivation'] as const)(
    '%s() says that the seat may still be taken, and goes on saying it',
    async (verb) => {
      const { scene, device } = await unanswered(name)
      const result = await device.core[verb]()
      if ('ok' in result) expect(result).toMatchObject({ ok: true, seat: 'not-freed' })
      expect(device.state).toMatchObject({ status: 'unlicensed', ...warned })
      await device.elapse(dayMs)
      expect(device.state).toMatchObject({ status: 'unlicensed', ...warned })
      expect(scene.seats()).toHaveLength(1)
      expect(await device.recordOnDisk()).toMatchObject({ wanted: null, owed: [] })
      // It can be tried again without its key, also after a second call.
      await device.core[verb]()
      expect(await device.core.reactivate()).toMatchObject({
        ok: true,
        state: { status: 'active', problem: null },
      })
    },
  )

  test('deactivating another license reports it too, and frees that one’s seat', async () => {
    const { scene, device } = await unansweredBesideAnother(name)
    expect(await device.core.deactivate()).toMatchObject({ ok: true, seat: 'not-freed' })
    expect(scene.seats()).toEqual([])
    expect(device.state).toMatchObject(warned)
  })

  test('canceling it keeps a license in use', async () => {
    const { scene, device } = await unansweredBesideAnother(name)
    expect(device.state).toMatchObject({ status: 'active', ...warned })
    await device.core.cancelActivation()
    await device.elapse(dayMs)
    expect(device.state).toMatchObject({ status: 'active', problem: null })
    expect(scene.seats()).toHaveLength(1)
  })

  test('it is reported after a restart, too, beside a license that was suspended', async () => {
    const { device } = await unansweredBesideAnother(name, 'suspend')
    const { status } = device.state
    expect(status).not.toBe('active')
    await device.launch()
    expect(device.state).toMatchObject({ status, ...warned })
  })

  test('a click from before the warning takes no second seat', async () => {
    const { scene, device, control } = await startDevice(name)
    control.faults.inject(lostActivation)
    const { core } = device
    await Promise.all([
      core.activate(scene.licenseKey),
      core.cancelActivation(),
      core.activate(scene.licenseKey),
    ])
    expect(device.state).toMatchObject({ status: 'unlicensed', ...warned })
    expect(scene.seats()).toHaveLength(1)
    expect(await core.activate(scene.licenseKey)).toMatchObject({ ok: true, state: { problem: null } })
  })

  test('activating another license reports it, until that one is checked', async () => {
    const { scene, control, device } = await unanswered(name)
    const other = keyOfLicense(scene, control.createLicense().id)
    const result = await device.core.activate(other)
    expect(result).toMatchObject({ ok: true, state: { status: 'active', ...warned } })
    expect(scene.seats()).toHaveLength(1)
    await device.elapse(2 * dayMs)
    expect(device.state).toMatchObject({ status: 'active', problem: null })
  })

  test('a seat that certainly wasn’t taken isn’t reported', async () => {
    const { scene, device } = await startDevice(name)
    scene.answer = unknownHost
    await device.core.activate(scene.licenseKey)
    const freed = { ok: true, seat: 'freed', state: { problem: null } }
    expect(await device.core.deactivate()).toMatchObject(freed)
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
