import { expect, test } from 'vitest'
import { dayMs } from './fixture.ts'
import { lost, type Scene, says, scene } from './scene.ts'

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

test('activating again while the list is refused keeps the search for the other seat', async () => {
  const { license, device, fates } = await withTwoSeats()
  fates.keys = [says(404)]
  expect(await device.core.activate(license.id)).toMatchObject({ ok: true })
  await device.launch()
  await device.elapse(3 * dayMs)
  expect(license.keys).toHaveLength(1)
})

test('activating again and deactivating, both offline, frees both seats in the end', async () => {
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
