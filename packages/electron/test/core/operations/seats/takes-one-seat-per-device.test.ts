import type { LicenseService } from '@latchkey/services'
import { describe, expect, test } from 'vitest'
import { reach } from '../../../doubles/app-service.ts'
import { createScriptedService, unavailable } from '../../../doubles/scripted-service.ts'
import { createTestDevice, says, scene, serviceForTests } from '../../fixture.ts'

const service = await serviceForTests()

const { faults } = service.control

test('adopts the key of a reinstalled app instead of taking a second seat', async () => {
  const license = service.newLicense()
  const first = createTestDevice(service)
  await first.core.activate(license.id)
  const reinstalled = createTestDevice(service)
  expect(await reinstalled.core.activate(license.id)).toMatchObject({ ok: true, state: { status: 'active' } })
  expect(service.seats(license.id)).toHaveLength(1)
})

test('recognizes its key by the fingerprint, even if the computer was renamed', async () => {
  const license = service.newLicense({ activation_limit: 1 })
  await createTestDevice(service, { device: { label: 'Old [name]' } }).core.activate(license.id)
  const renamed = createTestDevice(service, { device: { label: 'New name' } })
  expect(await renamed.core.activate(license.id)).toMatchObject({ ok: true })
  expect(service.seats(license.id)).toEqual([expect.stringMatching(/^Old \[name\] \[/)])
})

test('finds its key on the third page of a long list', async () => {
  service.control.useDialect({ keysPaging: { perPage: 2 } })
  const others = ['one', 'two', 'three', 'four']
  const license = service.newLicense({ activation_limit: 5, keys: others })
  await createTestDevice(service).core.activate(license.id)
  expect(await createTestDevice(service).core.activate(license.id)).toMatchObject({ ok: true })
  expect(service.seats(license.id)).toHaveLength(5)
})

test('activates beside the keys of other devices and of names in another format', async () => {
  const keys = ['[0123456789abcdef]', 'Printer', 'x [0123456789ABCDEF]', 'y [0123]']
  const license = service.newLicense({ activation_limit: 9, keys })
  await createTestDevice(service).core.activate(license.id)
  expect(service.seats(license.id)).toHaveLength(5)
})

test('if this device has two keys, the oldest one stays and the other seat is released', async () => {
  const { license } = await service.activated()
  const [name = ''] = service.seats(license.id)
  const { id: oldest } = service.control.keys(license.id)[0] ?? { id: '' }
  service.control.addKey(license.id, name)
  service.control.addKey(license.id, name)

  const reinstalled = createTestDevice(service)
  expect(await reinstalled.core.activate(license.id)).toMatchObject({ ok: true })
  expect(service.control.keys(license.id).map((key) => key.id)).toEqual([oldest])
  expect((await reinstalled.launch()).status).toBe('active')
})

test('activating an active license uses no seat and creates no key', async () => {
  const { license, device } = await service.activated({ activation_limit: 1 })
  const before = service.control.keys(license.id)
  expect(await device.core.activate(license.id)).toMatchObject({ ok: true })
  expect(service.control.keys(license.id)).toEqual(before)
})

test('a device whose fingerprint changed still finds its key', async () => {
  const { license, device } = await service.activated(
    { activation_limit: 2, keys: ['Tower'] },
    { device: { source: 'override', machineId: 'fleet-7' } },
  )
  device.device.machineId = 'fleet-8'
  const moved = createTestDevice(service, {
    store: device.store,
    secrets: device.secrets,
    device: { source: 'machine-id', machineId: 'fleet-8' },
  })
  expect((await moved.launch()).status).toBe('active')
  expect(await moved.core.activate(license.id)).toMatchObject({ ok: true })
  expect(service.seats(license.id)).toHaveLength(2)
})

test('activating another license releases the seat of the previous one', async () => {
  const [old, bought] = [service.newLicense(), service.newLicense()]
  const device = createTestDevice(service)
  await device.core.activate(old.id)
  expect(await device.core.activate(bought.id)).toMatchObject({ ok: true })
  expect(service.seats(old.id)).toEqual([])
  expect(service.seats(bought.id)).toHaveLength(1)
})

test.each([
  ['license-suspended', { suspended_at: '2020-01-01T00:00:00.000000Z' }],
  ['license-expired', { expires_at: '2020-01-01T00:00:00.000000Z' }],
  ['license-inactive', { status: 'REFUNDED' }],
] as const)(
  'a working license is not replaced by one that is refused (%s), which keeps no seat',
  async (code, patch) => {
    const [good, bad] = [service.newLicense(), service.newLicense()]
    const device = createTestDevice(service)
    await device.core.activate(bad.id)
    await device.core.deactivate()
    await device.core.activate(good.id)
    // This device has a key, so the license is adopted and its real status is found.
    const fingerprint = device.state.device?.fingerprint ?? ''
    const count = code === 'license-expired' ? 1 : 2
    for (let key = 0; key < count; key += 1) {
      service.control.addKey(bad.id, `Work laptop [${fingerprint}]`)
    }
    service.control.updateLicense(bad.id, patch)

    expect(await device.core.activate(bad.id)).toMatchObject({
      ok: false,
      problem: { code },
      state: { status: 'active', entitled: true },
    })
    expect(service.seats(bad.id)).toEqual([])
    expect(service.seats(good.id)).toHaveLength(1)
  },
)

test.each([200, 403])(
  'a seat of a suspended license stays recorded and does not entitle the device (list: %d)',
  async (list) => {
    const license = service.newLicense()
    const fields = { 'license.suspended_at': '2020-01-01T00:00:00.000000Z' }
    faults.inject({ fault: 'set-fields', fields, operation: 'activate', licenseId: license.id })
    if (list !== 200) {
      faults.inject({ fault: 'status', status: list, operation: 'keys', licenseId: license.id })
    }
    const device = createTestDevice(service)
    expect(await device.core.activate(license.id)).toMatchObject({
      ok: false,
      problem: { code: 'license-suspended' },
      state: { status: 'suspended', entitled: false },
    })
    expect(service.seats(license.id)).toHaveLength(1)
    // It was a mistake. The next check corrects it without input from the user.
    expect(await device.launch()).toMatchObject({ status: 'active', entitled: true })
  },
)

test('if keys cannot be listed, activating again keeps the recorded seat', async () => {
  const license = service.newLicense({ activation_limit: 2 })
  faults.inject({ fault: 'status', status: 403, operation: 'keys', licenseId: license.id })
  const device = createTestDevice(service)
  await device.core.activate(license.id)
  const before = service.control.keys(license.id)
  expect(await device.core.activate(license.id)).toMatchObject({ ok: true })
  expect(service.control.keys(license.id)).toEqual(before)
})

const licenseKey = 'ANY-LICENSE-KEY-1'

function deviceAt(service: LicenseService) {
  return createTestDevice(null, { service: reach({ service, fetch }) })
}

describe.each(['disk-full', 'store-not-writable'] as const)('%s, at a service without a list:', (failure) => {
  test('a key that is pasted after each launch takes no seat, until the disk is repaired', async () => {
    const scripted = createScriptedService(false)
    const device = deviceAt(scripted.service)
    device.store.failure = failure
    for (const _ of [1, 2, 3]) {
      await device.quit()
      await device.launch()
      expect(await device.core.activate(licenseKey)).toMatchObject({
        ok: false,
        problem: { code: failure, isRetryable: true },
        state: { status: 'unlicensed', problem: { code: failure } },
      })
    }
    expect(scripted.asked).not.toContain('activate')
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
  const { license, device, fates } = await scene({ fates: { keys: [says(403), says(403)] } })
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
  const { model, license, device } = await scene({ fates: { activate: [{ kind: 'late' }] } })
  device.store.failure = 'disk-full'
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
