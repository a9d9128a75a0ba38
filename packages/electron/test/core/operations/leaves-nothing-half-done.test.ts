import { expect, test } from 'vitest'
import { minuteMs } from '../fixture.ts'
import { lost, says, scene } from '../scene.ts'

const outcomes = (lines: readonly string[]) =>
  lines.slice(lines.indexOf('last outcomes:') + 1).map((line) => line.trim().split(' ').slice(1).join(' '))

test('a launch that completes an activation also validates its key', async () => {
  const { license, device, fates, asked } = await scene()
  fates.keys = [lost]
  await device.core.activate(license.id)
  asked.length = 0
  expect(await device.launch()).toMatchObject({ status: 'active', problem: null })
  expect(asked).toEqual(['keys', 'activate', 'keys'])
  expect(outcomes(device.core.diagnose())).toEqual(['finish activation: ok'])
})

test('a launch that only releases a seat reports no error', async () => {
  const { license, device, fates, asked } = await scene()
  await device.core.activate(license.id)
  fates.deactivate = [lost]
  await device.core.deactivate()
  asked.length = 0
  expect(await device.launch()).toMatchObject({ status: 'unlicensed', problem: null })
  expect(asked).toEqual(['deactivate', 'key'])
  expect(outcomes(device.core.diagnose())).toEqual(['free a seat: ok'])
  expect(device.logger.lines.filter((line) => !line.startsWith('info '))).toEqual([])
})

test('an activation that cannot be completed yet is retried soon', async () => {
  const { license, device, fates } = await scene()
  fates.keys = [lost, lost]
  await device.core.activate(license.id)
  await device.elapse(8 * minuteMs)
  expect(device.state).toMatchObject({ status: 'unlicensed', problem: { code: 'offline' } })
  await device.elapse(15 * minuteMs)
  expect(device.state).toMatchObject({ status: 'active' })
})

test('an activation whose list is refused at launch is sent if it was not sent before', async () => {
  const { license, device, fates } = await scene()
  fates.keys = [lost, says(403)]
  await device.core.activate(license.id)
  expect(await device.launch()).toMatchObject({ status: 'active' })
  expect(license.keys).toHaveLength(1)
})

test('a queued release for another license is no problem of the current one', async () => {
  const { model, license, device, fates } = await scene()
  await device.core.activate(license.id)
  fates.deactivate = [lost, lost]
  await device.core.activate(model.addLicense(1).id)
  expect(await device.launch()).toMatchObject({ status: 'active', problem: null })
  expect(license.keys).toHaveLength(1)
  await device.launch()
  expect(license.keys).toHaveLength(0)
})

test('a key that is known to be gone is not checked when the user activates again', async () => {
  const { license, device, fates, asked } = await scene()
  await device.core.activate(license.id)
  license.keys = []
  expect(await device.launch()).toMatchObject({ status: 'revoked' })
  asked.length = 0
  fates.keys = [says(403)]
  expect(await device.core.activate(license.id)).toMatchObject({ ok: true })
  // The list is read again, because it may have been outdated.
  expect(asked).toEqual(['keys', 'activate', 'keys'])
})

test('a license that was suspended in the meantime is reported as suspended when it is activated again, and keeps its seat', async () => {
  const { license, device } = await scene()
  await device.core.activate(license.id)
  license.isSuspended = true
  expect(await device.core.activate(license.id)).toMatchObject({
    ok: false,
    problem: { code: 'license-suspended' },
    state: { status: 'suspended', entitled: false },
  })
  await device.launch()
  expect(license.keys).toHaveLength(1)
})

test('a refused license keeps no key of this device, and the record still opens', async () => {
  const { model, license, device } = await scene()
  await device.core.activate(license.id)
  const other = model.addLicense(3)
  const name = license.keys[0]?.name ?? ''
  model.addKey(other, name)
  model.addKey(other, name)
  other.isSuspended = true
  expect(await device.core.activate(other.id)).toMatchObject({ problem: { code: 'license-suspended' } })
  expect(await device.launch()).toMatchObject({ status: 'active', problem: null })
  expect(other.keys).toHaveLength(0)
  expect((await device.recordOnDisk()).owed).toEqual([])
})

test('an unconfirmed seat is searched for again if the list is refused now', async () => {
  const { license, device, fates } = await scene()
  fates.activate = [{ kind: 'answer-lost' }]
  fates.keys = [{ kind: 'served' }, lost, says(403), says(403)]
  await device.core.activate(license.id)
  await device.core.deactivate()
  // Long after any request could still arrive.
  device.sleep(20 * minuteMs)
  expect(await device.launch()).toMatchObject({ status: 'unlicensed' })
  expect(license.keys).toHaveLength(1)
  await device.launch()
  expect(license.keys).toHaveLength(0)
})

test('a refused deletion of a key that is gone counts as done', async () => {
  const { license, device, fates } = await scene()
  await device.core.activate(license.id)
  fates.deactivate = [{ kind: 'status-after', status: 422 }]
  expect(await device.core.deactivate()).toMatchObject({ ok: true, seat: 'freed' })
  expect(license.keys).toHaveLength(0)
})
