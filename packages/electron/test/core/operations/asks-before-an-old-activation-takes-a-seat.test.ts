import { expect, test } from 'vitest'
import { dayMs, hourMs } from '../fixture.ts'
import { lost, says, scene } from '../scene.ts'

const offline = { keys: lost, activate: lost } as const

test('an activation pending since yesterday completes automatically', async () => {
  const { license, device, fates } = await scene()
  fates.keys = [offline.keys]
  await device.core.activate(license.id)
  await device.quit()
  device.sleep(23 * hourMs)
  expect(await device.launch()).toMatchObject({ status: 'active' })
  expect(license.keys).toHaveLength(1)
})

test.each([
  ['the keys are listed', null],
  ['the keys may not be listed', says(403)],
])('one that has been pending for more than a day uses no seat automatically: %s', async (_what, list) => {
  const { license, device, fates } = await scene()
  fates.keys = [offline.keys, ...(list === null ? [] : [list, list])]
  await device.core.activate(license.id)
  await device.quit()
  device.sleep(2 * dayMs)
  expect(await device.launch()).toMatchObject({
    status: 'unlicensed',
    problem: { code: 'activation-paused' },
  })
  expect(license.keys).toEqual([])
  expect((await device.recordOnDisk()).wanted).not.toBeNull()
  // The user continues without typing the key again.
  expect(await device.core.reactivate()).toMatchObject({ ok: true, state: { status: 'active' } })
  expect(license.keys).toHaveLength(1)
})

test('one that has been pending for more than a day adopts the existing key of this device', async () => {
  const { license, device, fates } = await scene()
  fates.activate = [{ kind: 'answer-lost' }]
  fates.keys = [{ kind: 'served' }, lost]
  await device.core.activate(license.id)
  await device.quit()
  device.sleep(2 * dayMs)
  expect(await device.launch()).toMatchObject({ status: 'active' })
  expect(license.keys).toHaveLength(1)
})

test('activating again restarts the period of a day', async () => {
  const { license, device, fates } = await scene()
  fates.keys = [lost]
  await device.core.activate(license.id)
  await device.quit()
  device.sleep(2 * dayMs)
  await device.decide()
  fates.keys = [lost, lost, lost]
  await device.core.activate(license.id)
  await device.quit()
  fates.keys = []
  expect(await device.launch()).toMatchObject({ status: 'active' })
})

test('deactivating drops an activation that was never sent, without a request', async () => {
  const { license, device, fates, asked } = await scene()
  fates.keys = [lost]
  await device.core.activate(license.id)
  const { length } = asked
  expect(await device.core.deactivate()).toMatchObject({ ok: true, seat: 'freed' })
  expect(await device.recordOnDisk()).toMatchObject({ wanted: null, owed: [] })
  expect(asked).toHaveLength(length)
})

test('another license key replaces the pending one', async () => {
  const { model, license, device, fates } = await scene()
  const bought = model.addLicense(1)
  fates.keys = [lost]
  await device.core.activate(license.id)
  expect(await device.core.activate(bought.id)).toMatchObject({ ok: true })
  await device.launch()
  expect(license.keys).toEqual([])
  expect(bought.keys).toHaveLength(1)
})
