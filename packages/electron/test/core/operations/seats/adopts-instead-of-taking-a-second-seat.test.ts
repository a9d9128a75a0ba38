import type { Activation, LicenseService } from '@latchkey/services'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createTestDevice, dayMs, startTestService, type TestService } from '../../fixture.ts'
import { createServiceModel } from '../../service-model.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
beforeEach(() => service.emulator.control.reset())
afterAll(() => service.emulator.close())

const faults = () => service.emulator.control.faults

test('adopts the key of a reinstalled app instead of taking a second seat', async () => {
  const license = service.newLicense()
  const first = createTestDevice(service)
  await first.core.activate(license.id)
  const reinstalled = createTestDevice(service)
  expect(await reinstalled.core.activate(license.id)).toMatchObject({ ok: true, state: { status: 'active' } })
  expect(service.seats(license.id)).toHaveLength(1)
})

test('keeps running when another user of the computer deactivates it and activates it again', async () => {
  const license = service.newLicense()
  const [one, other] = [createTestDevice(service), createTestDevice(service)]
  await one.core.activate(license.id)
  await other.core.activate(license.id)
  await other.core.deactivate()
  await other.core.activate(license.id)
  expect(await one.core.validate()).toMatchObject({ status: 'active', problem: null })
  expect(service.seats(license.id)).toHaveLength(1)
  expect(await one.launch()).toMatchObject({ status: 'active' })
  expect(one.states.map(({ status }) => status)).not.toContain('revoked')
})

test('is revoked when another user of the computer only deactivates it', async () => {
  const license = service.newLicense()
  const [one, other] = [createTestDevice(service), createTestDevice(service)]
  await one.core.activate(license.id)
  await other.core.activate(license.id)
  await other.core.deactivate()
  expect(await one.core.validate()).toMatchObject({ status: 'revoked' })
  expect(service.seats(license.id)).toEqual([])
})

test('takes the new activation of another user even if a list is outdated and still has the old one', async () => {
  const model = createServiceModel(Date.now)
  const license = model.addLicense(3)
  let lists = 0
  const reached = model.reachedBy(() => ({ kind: 'served' }))
  let outdated: readonly Activation[] = []
  const listed: LicenseService = {
    ...reached,
    async listActivations(request) {
      const answer = await reached.listActivations?.(request)
      if (answer?.kind !== 'answer') throw new TypeError('The model lists its activations')
      lists += 1
      const { activations } = answer.value
      if (lists === 1) first = activations
      // The first list proves that the old key is gone. Another server of the service answers the second request.
      return lists === 2
        ? { ...answer, value: { ...answer.value, activations: [...outdated, ...activations] } }
        : answer
    },
  }
  let first: readonly Activation[] = []
  const device = createTestDevice(null, { service: listed })
  await device.core.activate(license.id)
  lists = 0
  await listed.listActivations?.({ licenseKey: license.id })
  outdated = first
  const [{ id: goneId, name } = { id: '', name: '' }] = license.keys
  model.removeKey(license, goneId)
  const { id: newId } = model.addKey(license, name)
  lists = 0

  expect(await device.core.validate()).toMatchObject({ status: 'active', problem: null })
  await device.elapse(dayMs)
  expect(device.state).toMatchObject({ status: 'active', problem: null })
  expect(license.keys.map(({ id }) => id)).toEqual([newId])
})

test('recognizes its key by the fingerprint, even if the computer was renamed', async () => {
  const license = service.newLicense({ activation_limit: 1 })
  await createTestDevice(service, { device: { label: 'Old [name]' } }).core.activate(license.id)
  const renamed = createTestDevice(service, { device: { label: 'New name' } })
  expect(await renamed.core.activate(license.id)).toMatchObject({ ok: true })
  expect(service.seats(license.id)).toEqual([expect.stringMatching(/^Old \[name\] \[/)])
})

test('finds its key on the third page of a long list', async () => {
  service.emulator.control.useDialect({ keysPaging: { perPage: 2 } })
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
  const license = service.newLicense()
  const device = createTestDevice(service)
  await device.core.activate(license.id)
  const [name = ''] = service.seats(license.id)
  const { id: oldest } = service.emulator.control.keys(license.id)[0] ?? { id: '' }
  service.emulator.control.addKey(license.id, name)
  service.emulator.control.addKey(license.id, name)

  const reinstalled = createTestDevice(service)
  expect(await reinstalled.core.activate(license.id)).toMatchObject({ ok: true })
  expect(service.emulator.control.keys(license.id).map((key) => key.id)).toEqual([oldest])
  expect((await reinstalled.launch()).status).toBe('active')
})

test.each([
  ['the connection is reset after the service acted', { fault: 'reset', when: 'after-acting' }],
  ['the answer is cut off', { fault: 'cut' }],
  ['the answer is no JSON', { fault: 'html', when: 'after-acting' }],
  ['a gateway gives up after the service acted', { fault: 'status', status: 504, when: 'after-acting' }],
] as const)('a lost response costs no seat and no second click: %s', async (_what, fault) => {
  const license = service.newLicense()
  faults().inject({ ...fault, operation: 'activate', licenseId: license.id, times: 1 })
  const device = createTestDevice(service)
  expect(await device.core.activate(license.id)).toMatchObject({ ok: true, state: { status: 'active' } })
  expect(service.seats(license.id)).toHaveLength(1)
  expect(service.asked(license.id).filter((line) => line.startsWith('activate'))).toHaveLength(1)
})

test('activating an active license uses no seat and creates no key', async () => {
  const license = service.newLicense({ activation_limit: 1 })
  const device = createTestDevice(service)
  await device.core.activate(license.id)
  const before = service.emulator.control.keys(license.id)
  expect(await device.core.activate(license.id)).toMatchObject({ ok: true })
  expect(service.emulator.control.keys(license.id)).toEqual(before)
})

test('a device whose fingerprint changed still finds its key', async () => {
  const license = service.newLicense({ activation_limit: 2, keys: ['Tower'] })
  const device = createTestDevice(service, { device: { source: 'override', machineId: 'fleet-7' } })
  await device.core.activate(license.id)
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
      service.emulator.control.addKey(bad.id, `Work laptop [${fingerprint}]`)
    }
    service.emulator.control.updateLicense(bad.id, patch)

    expect(await device.core.activate(bad.id)).toMatchObject({
      ok: false,
      problem: { code },
      state: { status: 'active', entitled: true },
    })
    expect(service.seats(bad.id)).toEqual([])
    expect(service.seats(good.id)).toHaveLength(1)
  },
)

test('activation works if keys cannot be listed, and reports that', async () => {
  const license = service.newLicense()
  faults().inject({ fault: 'status', status: 403, operation: 'keys', licenseId: license.id })
  const device = createTestDevice(service)
  expect(await device.core.activate(license.id)).toMatchObject({
    ok: true,
    state: { status: 'active', problem: { code: 'adoption-unavailable' } },
  })
  await device.launch()
  expect(device.state).toMatchObject({ status: 'active', problem: null })
})

test.each([200, 403])(
  'a seat of a suspended license stays recorded and does not entitle the device (list: %d)',
  async (list) => {
    const license = service.newLicense()
    const fields = { 'license.suspended_at': '2020-01-01T00:00:00.000000Z' }
    faults().inject({ fault: 'set-fields', fields, operation: 'activate', licenseId: license.id })
    if (list !== 200) {
      faults().inject({ fault: 'status', status: list, operation: 'keys', licenseId: license.id })
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
  faults().inject({ fault: 'status', status: 403, operation: 'keys', licenseId: license.id })
  const device = createTestDevice(service)
  await device.core.activate(license.id)
  const before = service.emulator.control.keys(license.id)
  expect(await device.core.activate(license.id)).toMatchObject({ ok: true })
  expect(service.emulator.control.keys(license.id)).toEqual(before)
})
