import { expect, test } from 'vitest'
import { dayMs, hourMs } from '../fixture.ts'
import { lost, type Scene, says, scene } from '../scene.ts'

/** A reinstalled device with a second seat: its list was refused once, so it did not see the first one. */
async function withTwoSeats(): Promise<Scene> {
  const first = await scene()
  await first.device.core.activate(first.license.id)
  const name = first.license.keys[0]?.name ?? ''

  const reinstalled = await scene()
  reinstalled.model.addKey(reinstalled.license, name)
  reinstalled.fates.keys = [says(404), lost]
  expect(await reinstalled.device.core.activate(reinstalled.license.id)).toMatchObject({ ok: true })
  expect(reinstalled.license.keys).toHaveLength(2)
  return reinstalled
}

test('activating again while the list is refused continues the search for the other seat', async () => {
  const { license, device, fates } = await withTwoSeats()
  fates.keys = [says(404)]
  expect(await device.core.activate(license.id)).toMatchObject({ ok: true })
  await device.launch()
  await device.elapse(3 * dayMs)
  expect(license.keys).toHaveLength(1)
})

test('activating again and deactivating offline releases both seats in the end', async () => {
  const { license, device, fates } = await withTwoSeats()
  fates.keys = [lost, lost, lost]
  fates.deactivate = [lost]
  expect(await device.core.activate(license.id)).toMatchObject({ ok: false, problem: { code: 'offline' } })
  expect(await device.core.deactivate()).toMatchObject({ ok: true, seat: 'freed-later' })
  fates.keys = []
  await device.launch()
  await device.elapse(3 * dayMs)
  expect(license.keys).toHaveLength(0)
})

test('a key that another installation on this computer released is replaced by the one it kept', async () => {
  const { license, device } = await withTwoSeats()
  const { activation } = await device.vaultOnDisk()
  license.keys = license.keys.filter(({ id }) => id !== activation?.keyId)
  await device.launch()
  await device.elapse(2 * dayMs)
  expect(device.state).toMatchObject({ status: 'active', problem: null })
  expect(license.keys).toHaveLength(1)
})

const refusals = (count: number) => Array.from({ length: count }, () => says(403))

test('a proxy that refuses the list for hours costs a reinstalled device no second seat', async () => {
  const first = await scene()
  await first.device.core.activate(first.license.id)
  const { model, license, device, fates } = await scene()
  model.addKey(license, first.license.keys[0]?.name ?? '')
  fates.keys = refusals(500)
  expect(await device.core.activate(license.id)).toMatchObject({
    ok: true,
    state: { problem: { code: 'adoption-unavailable' } },
  })
  expect(license.keys).toHaveLength(2)
  await device.elapse(20 * hourMs)
  fates.keys = []
  await device.elapse(2 * dayMs)
  expect(license.keys).toHaveLength(1)
  expect(device.state).toMatchObject({ status: 'active', problem: null })
  expect((await device.vaultOnDisk()).outbox).toEqual([])
})

test('an app that may not list keys tries for a day and then stops', async () => {
  const { license, device, fates, asked } = await scene()
  fates.keys = refusals(500)
  await device.core.activate(license.id)
  await device.elapse(3 * dayMs)
  const listed = () => asked.filter((operation) => operation === 'keys').length
  const count = listed()
  expect(count).toBeLessThan(20)
  await device.elapse(5 * dayMs)
  await device.launch()
  expect(listed()).toBe(count)
  expect(device.state).toMatchObject({ status: 'active', problem: null })
})

test('a deactivation completes immediately if the list is refused', async () => {
  const { license, device, fates } = await scene()
  fates.keys = refusals(500)
  await device.core.activate(license.id)
  expect(await device.core.deactivate()).toMatchObject({
    ok: true,
    seat: 'freed',
    state: { problem: null },
  })
  expect(license.keys).toEqual([])
})

test('after a mistyped license key, its list is asked for once a day, however often the license is checked', async () => {
  const { license, device, fates, asked } = await scene()
  const listed = (): number => asked.filter((operation) => operation === 'keys').length
  fates.keys = Array.from({ length: 500 }, () => says(404))
  fates.activate = [says(404)]
  expect(await device.core.activate(license.id)).toMatchObject({ problem: { code: 'license-not-found' } })
  const count = listed()
  for (let round = 0; round < 5; round += 1) await device.core.validate()
  await device.launch()
  expect(listed()).toBe(count)
  await device.elapse(1.2 * dayMs)
  await device.core.validate()
  expect(listed()).toBe(count + 1)
  for (let round = 0; round < 5; round += 1) await device.core.validate()
  await device.launch()
  expect(listed()).toBe(count + 1)
  await device.elapse(40 * dayMs)
  const total = listed()
  expect(total).toBeLessThanOrEqual(count + 31)
  await device.elapse(5 * dayMs)
  expect(listed()).toBe(total)
  expect((await device.vaultOnDisk()).outbox).toEqual([])
})

test('activating with a mistyped key while another one works doesn’t ask for the list more often', async () => {
  const { model, license, device, fates, asked } = await scene()
  const other = model.addLicense(1)
  await device.core.activate(other.id)
  fates.keys = [says(404), says(404)]
  fates.activate = [says(404)]
  expect(await device.core.activate(license.id)).toMatchObject({ ok: false })
  fates.keys = Array.from({ length: 500 }, () => says(404))
  const count = asked.length
  for (let round = 0; round < 3; round += 1) await device.core.validate()
  expect(asked.slice(count)).toEqual(['validate', 'validate', 'validate'])
  expect(device.state).toMatchObject({ status: 'active', problem: null })
})
