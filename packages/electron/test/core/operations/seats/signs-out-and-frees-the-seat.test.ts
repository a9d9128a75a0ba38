import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createTestDevice, dayMs, minuteMs, startTestService, type TestService } from '../../fixture.ts'
import { scene } from '../../scene.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
beforeEach(() => service.emulator.control.reset())
afterAll(() => service.emulator.close())

const faults = () => service.emulator.control.faults

test('online, the seat is released immediately, and the next launch sends no request', async () => {
  const license = service.newLicense()
  const device = createTestDevice(service)
  await device.core.activate(license.id)
  expect(await device.core.deactivate()).toMatchObject({
    ok: true,
    seat: 'freed',
    state: { status: 'unlicensed', license: null, problem: null, activity: 'idle' },
  })
  expect(service.seats(license.id)).toEqual([])
  const before = service.asked(license.id).length
  expect((await device.launch()).status).toBe('unlicensed')
  expect(service.asked(license.id)).toHaveLength(before)
})

test('a seat that another user of the computer has taken since stays in use', async () => {
  const { model, license, device } = await scene()
  await device.core.activate(license.id)
  const other = createTestDevice(null, { service: model.reachedBy(() => ({ kind: 'served' })) })
  await device.quit()
  model.removeKey(license, String(license.keys[0]?.id))
  expect(await other.core.activate(license.id)).toMatchObject({ ok: true })
  await device.decide()
  expect(await device.core.deactivate()).toMatchObject({ ok: true, seat: 'freed' })
  await device.elapse(2 * dayMs)
  expect(license.keys).toHaveLength(1)
  expect(await other.core.validate()).toMatchObject({ status: 'active', problem: null })
})

test.each(['another license', 'the same license'])(
  'a deactivation that is saved late doesn’t end %s that a second instance has activated since',
  async (which) => {
    const { model, license, device } = await scene()
    const bought = which === 'the same license' ? license : model.addLicense(3)
    await device.core.activate(license.id)
    const { store, secrets } = device
    let isFull = false
    const second = createTestDevice(null, {
      secrets,
      store: {
        ...store,
        read: () => store.read(),
        write: async (...args) => (isFull ? { ok: false, code: 'disk-full' } : store.write(...args)),
      },
      service: model.reachedBy(() => ({ kind: 'served' })),
    })
    await second.launch()
    isFull = true
    expect(await second.core.deactivate()).toMatchObject({ ok: true })
    await device.elapse(minuteMs)
    expect(await device.core.activate(bought.id)).toMatchObject({ ok: true })
    isFull = false
    await second.elapse(2 * dayMs)
    expect(await device.core.validate()).toMatchObject({ status: 'active', problem: null })
    expect(bought.keys).toHaveLength(1)
    if (bought !== license) expect(license.keys).toEqual([])
  },
)

test('without an activation there is nothing to deactivate', async () => {
  const device = createTestDevice(service)
  expect(await device.core.deactivate()).toMatchObject({ ok: false, problem: { code: 'not-activated' } })
})

describe('while the service is unreachable', () => {
  test('the device is locked immediately, and the next launch with a connection releases the seat', async () => {
    const license = service.newLicense()
    const device = createTestDevice(service)
    await device.core.activate(license.id)
    faults().inject({ fault: 'reset', licenseId: license.id })
    expect(await device.core.deactivate()).toMatchObject({
      ok: true,
      seat: 'freed-later',
      state: { status: 'unlicensed', problem: { code: 'deactivation-pending' } },
    })
    for (let launch = 0; launch < 3; launch += 1) {
      expect(await device.launch()).toMatchObject({
        status: 'unlicensed',
        problem: { code: 'deactivation-pending' },
      })
    }
    expect(service.seats(license.id)).toHaveLength(1)
    faults().clear()
    expect(await device.launch()).toMatchObject({ status: 'unlicensed', problem: null })
    expect(service.seats(license.id)).toEqual([])
    expect((await device.recordOnDisk()).owed).toEqual([])
  })

  test('a running app retries soon', async () => {
    const license = service.newLicense()
    const device = createTestDevice(service)
    await device.launch()
    await device.core.activate(license.id)
    faults().inject({
      fault: 'status',
      status: 500,
      operation: 'deactivate',
      licenseId: license.id,
      times: 2,
    })
    await device.core.deactivate()
    await device.elapse(30 * minuteMs)
    expect(service.seats(license.id)).toEqual([])
    expect(device.state.problem).toBeNull()
  })

  test('activating again before the seat is released keeps the key, and it is not released afterwards', async () => {
    const license = service.newLicense({ activation_limit: 1 })
    const device = createTestDevice(service)
    await device.core.activate(license.id)
    const before = service.emulator.control.keys(license.id)
    faults().inject({ fault: 'reset', licenseId: license.id })
    await device.core.deactivate()
    faults().clear()
    expect(await device.core.activate(license.id)).toMatchObject({ ok: true })
    await device.launch()
    await device.elapse(2 * dayMs)
    expect(service.emulator.control.keys(license.id)).toEqual(before)
    expect(device.state).toMatchObject({ status: 'active', entitled: true })
  })

  test('a queued release does not release the key of a pending activation', async () => {
    const license = service.newLicense({ activation_limit: 1 })
    const device = createTestDevice(service)
    await device.core.activate(license.id)
    const before = service.emulator.control.keys(license.id)
    faults().inject({ fault: 'reset', licenseId: license.id })
    await device.core.deactivate()
    expect(await device.core.activate(license.id)).toMatchObject({ ok: false, problem: { code: 'offline' } })
    faults().clear()
    // The key is found. It can't be validated yet, but it could be deleted.
    faults().inject({ fault: 'status', status: 503, operation: 'validate', licenseId: license.id, times: 1 })
    await device.launch()
    expect(service.emulator.control.keys(license.id)).toEqual(before)
    expect(await device.launch()).toMatchObject({ status: 'active' })
    expect(service.emulator.control.keys(license.id)).toEqual(before)
  })

  test('a lost response to the deletion counts as done when the service reports the key as gone', async () => {
    const license = service.newLicense()
    const device = createTestDevice(service)
    await device.core.activate(license.id)
    faults().inject({
      fault: 'reset',
      when: 'after-acting',
      operation: 'deactivate',
      licenseId: license.id,
      times: 1,
    })
    expect(await device.core.deactivate()).toMatchObject({ ok: true, seat: 'freed-later' })
    expect(await device.launch()).toMatchObject({ status: 'unlicensed', problem: null })
    expect((await device.recordOnDisk()).owed).toEqual([])
  })
})

test('a key that is already gone counts as released', async () => {
  const license = service.newLicense()
  const device = createTestDevice(service)
  await device.core.activate(license.id)
  service.emulator.control.removeKey(license.id, service.emulator.control.keys(license.id)[0]?.id ?? '')
  expect(await device.core.deactivate()).toMatchObject({ ok: true, seat: 'freed' })
})

test.each([401, 403, 404, 407, 422, 500])(
  'a deletion is retried if the service responds with %d and still shows the key',
  async (status) => {
    const license = service.newLicense()
    const device = createTestDevice(service)
    await device.core.activate(license.id)
    faults().inject({ fault: 'status', status, operation: 'deactivate', licenseId: license.id })
    expect(await device.core.deactivate()).toMatchObject({ ok: true, seat: 'freed-later' })
    expect((await device.recordOnDisk()).owed).toHaveLength(1)
    faults().clear()
    await device.launch()
    expect(service.seats(license.id)).toEqual([])
  },
)

test('a seat that cannot be released does not block another one', async () => {
  const [stuck, other] = [service.newLicense(), service.newLicense()]
  const device = createTestDevice(service)
  await device.core.activate(stuck.id)
  faults().inject({ fault: 'status', status: 500, operation: 'deactivate', licenseId: stuck.id })
  await device.core.deactivate()
  await device.core.activate(other.id)
  expect(await device.core.deactivate()).toMatchObject({ ok: true })
  expect(service.seats(other.id)).toEqual([])
  expect((await device.recordOnDisk()).owed).toHaveLength(1)
})

test('deactivating an unconfirmed activation releases its seat', async () => {
  const license = service.newLicense()
  const device = createTestDevice(service)
  await device.launch()
  faults().inject({ fault: 'reset', operation: 'activate', when: 'after-acting', licenseId: license.id })
  faults().inject({ fault: 'reset', operation: 'keys', after: 1, licenseId: license.id })
  expect(await device.core.activate(license.id)).toMatchObject({
    ok: false,
    problem: { code: 'activation-unconfirmed' },
  })
  expect(service.seats(license.id)).toHaveLength(1)
  faults().clear()
  expect(await device.core.deactivate()).toMatchObject({ ok: true, seat: 'freed' })
  expect(service.seats(license.id)).toEqual([])
  await device.launch()
  expect(service.seats(license.id)).toEqual([])
})
