import type { LicenseService } from '@latchkey/services'
import { describe, expect, test } from 'vitest'
import { reach } from '../../../doubles/app-service.ts'
import { createScriptedService, unavailable } from '../../../doubles/scripted-service.ts'
import { createTestDevice } from '../../fixture.ts'
import { says, scene } from '../../scene.ts'

const licenseKey = 'ANY-LICENSE-KEY-1'

function deviceAt(service: LicenseService) {
  return createTestDevice(null, { service: reach({ service, fetch }) })
}

describe.each(['disk-full', 'store-not-writable'] as const)('%s, at a service without a list:', (failure) => {
  test('a key that is pasted after each launch takes no seat, and the screen says why', async () => {
    const scripted = createScriptedService(false)
    const device = deviceAt(scripted.service)
    device.store.failure = failure
    for (const _ of [1, 2, 3]) {
      await device.launch()
      expect(await device.core.activate(licenseKey)).toMatchObject({
        ok: false,
        problem: { code: failure, isRetryable: true },
        state: { status: 'unlicensed', problem: { code: failure } },
      })
      await device.quit()
    }
    expect(scripted.asked).not.toContain('activate')
  })

  test('trying again after repairing it activates', async () => {
    const scripted = createScriptedService(false)
    const device = deviceAt(scripted.service)
    device.store.failure = failure
    await device.launch()
    await device.core.activate(licenseKey)
    device.store.failure = null
    expect(await device.core.reactivate()).toMatchObject({
      ok: true,
      state: { status: 'active', storage: 'keychain' },
    })
    await device.quit()
    expect(await device.launch()).toMatchObject({ status: 'active', problem: null })
    expect(scripted.activations).toHaveLength(1)
  })

  test('the next check activates by itself once it is repaired', async () => {
    const scripted = createScriptedService(false)
    const device = deviceAt(scripted.service)
    await device.launch()
    device.store.failure = failure
    await device.core.activate(licenseKey)
    await device.core.validate()
    expect(scripted.asked).not.toContain('activate')
    device.store.failure = null
    expect(await device.core.validate()).toMatchObject({ status: 'active' })
    expect(scripted.activations).toHaveLength(1)
  })
})

test('a disk that fills up between two attempts takes no second seat', async () => {
  const scripted = createScriptedService(false)
  const device = deviceAt(scripted.service)
  await device.launch()
  scripted.says.activate.push(unavailable('timeout'))
  expect(await device.core.activate(licenseKey)).toMatchObject({ problem: { code: 'seat-may-be-taken' } })
  device.store.failure = 'disk-full'
  expect(await device.core.activate(licenseKey)).toMatchObject({ problem: { code: 'disk-full' } })
  expect(scripted.asked.filter((call) => call === 'activate')).toHaveLength(1)
  expect((await device.recordOnDisk()).wanted?.askedAtMs).toBeGreaterThan(0)
})

test('a service that refuses its list counts like one without', async () => {
  const { license, device, fates } = await scene()
  fates.keys = [says(403), says(403)]
  device.store.failure = 'disk-full'
  expect(await device.core.activate(license.id)).toMatchObject({ problem: { code: 'disk-full' } })
  expect(license.keys).toHaveLength(0)
  // This time, the list can be read.
  fates.keys = []
  expect(await device.core.activate(license.id)).toMatchObject({ ok: true, state: { storage: 'memory' } })
  expect(license.keys).toHaveLength(1)
})

test('a service where a device can’t take two seats activates until the app quits', async () => {
  const { service, activations } = createScriptedService(false)
  const { capabilities } = service
  const device = deviceAt({ ...service, capabilities: { ...capabilities, idempotentByFingerprint: true } })
  device.store.failure = 'disk-full'
  await device.launch()
  expect(activations).toEqual([])
  expect(await device.core.activate(licenseKey)).toMatchObject({ ok: true, state: { storage: 'memory' } })
})

test('two seats that were taken on a full disk become one when the key is pasted again', async () => {
  const { model, license, device, fates } = await scene()
  device.store.failure = 'disk-full'
  fates.activate = [{ kind: 'late' }]
  expect(await device.core.activate(license.id)).toMatchObject({ problem: { code: 'timeout' } })
  await device.core.validate()
  model.deliverLate()
  expect(license.keys).toHaveLength(2)
  device.kill()
  device.store.failure = null
  expect((await device.launch()).status).toBe('unlicensed')
  expect(await device.core.activate(license.id)).toMatchObject({ ok: true, state: { storage: 'keychain' } })
  await device.settled()
  expect(license.keys).toHaveLength(1)
  expect((await device.recordOnDisk()).activation?.activationId).toBe(license.keys[0]?.id)
})
