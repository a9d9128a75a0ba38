import { expect, test } from 'vitest'
import { dayMs } from '../../fixture.ts'
import { lost, type Scene, says, scene } from '../../scene.ts'

/** A device whose first activation was cut off. When its user tries again, no seats are left. */
async function refused(): Promise<Scene> {
  const it = await scene()
  const { license, model, device, fates } = it
  fates.activate = [lost]
  fates.keys = [says(403), says(403)]
  await device.core.activate(license.id)
  fates.keys = []
  for (const name of ['Anna', 'Bob', 'Carl']) model.addKey(license, `${name} [aaaaaaaaaaaaaaaa]`)
  expect(await device.core.reactivate()).toMatchObject({ ok: false, problem: { code: 'no-seat-left' } })
  return it
}

test('after the user has released a device, an activation that was cut off earlier gets its seat', async () => {
  const { license, device } = await refused()
  const [anna] = license.keys
  expect(await device.core.releaseDevice(anna?.id ?? '')).toEqual({ ok: true })
  expect(await device.core.reactivate()).toMatchObject({ ok: true, state: { status: 'active' } })
  expect(license.keys.map(({ name }) => name.split(' ')[0])).toEqual(['Bob', 'Carl', expect.anything()])
})

test.each(['cancelActivation', 'deactivate'] as const)('%s() forgets that license', async (verb) => {
  const { license, device } = await refused()
  await device.core[verb]()
  license.keys = []
  expect(await device.core.reactivate()).toMatchObject({ ok: false, problem: { code: 'not-activated' } })
  expect(license.keys).toEqual([])
})

test('a try with another key forgets that license, too', async () => {
  const { license, model, device } = await refused()
  const other = model.addLicense(1)
  model.addKey(other, 'Dora [bbbbbbbbbbbbbbbb]')
  expect(await device.core.activate(other.id)).toMatchObject({ problem: { code: 'no-seat-left' } })
  license.keys = []
  expect(await device.core.reactivate()).toMatchObject({ ok: false, problem: { code: 'no-seat-left' } })
  expect([license.keys.length, other.keys.length]).toEqual([0, 1])
})

/** A released device on which another key was entered, and never answered. */
async function releasedWithAnotherKey() {
  const it = await scene()
  const { license, model, device, fates } = it
  await device.core.activate(license.id)
  license.keys = []
  await device.elapse(2 * dayMs)
  expect(device.state.status).toBe('revoked')
  const other = model.addLicense(1)
  fates.activate = [lost]
  fates.keys = Array.from({ length: 9 }, () => says(403))
  await device.core.activate(other.id)
  expect(await device.recordOnDisk()).toMatchObject({ wanted: { licenseKey: other.id } })
  fates.keys = []
  return { ...it, other }
}

test('a released device activates the key that was entered last', async () => {
  const { license, other, device } = await releasedWithAnotherKey()
  expect(await device.core.reactivate()).toMatchObject({ ok: true, state: { status: 'active' } })
  expect([license.keys.length, other.keys.length]).toEqual([0, 1])
})

test('a released device activates the license that another device was released for', async () => {
  const { license, model, other, device } = await releasedWithAnotherKey()
  const bob = model.addKey(other, 'Bob [bbbbbbbbbbbbbbbb]')
  expect(await device.core.reactivate()).toMatchObject({ ok: false, problem: { code: 'no-seat-left' } })
  expect(await device.core.releaseDevice(bob.id)).toEqual({ ok: true })
  expect(await device.core.reactivate()).toMatchObject({ ok: true, state: { status: 'active' } })
  expect([license.keys.length, other.keys.length]).toEqual([0, 1])
})

test('a released device gets its own license back if the other key was refused and nothing was released', async () => {
  const { license, model, other, device } = await releasedWithAnotherKey()
  model.addKey(other, 'Bob [bbbbbbbbbbbbbbbb]')
  await device.core.reactivate()
  expect(await device.core.reactivate()).toMatchObject({ ok: true, state: { status: 'active' } })
  expect([license.keys.length, other.keys.length]).toEqual([1, 1])
})
