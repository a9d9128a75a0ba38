import { describe, expect, onTestFinished, test } from 'vitest'
import { createTestDevice, dayMs, hourMs, startTestService, type TestDevice } from '../core/fixture.ts'
import { createServiceModel } from '../core/service-model.ts'
import { type AdapterName, type FaceScene, startFace } from './faces.ts'

type NewService = Pick<FaceScene, 'emulator' | 'licenseKey' | 'device' | 'seats' | 'asked'>

async function startNewService(to: AdapterName | 'commerce'): Promise<NewService> {
  if (to !== 'commerce') return startFace(to)
  const service = await startTestService({ seed: 77 })
  const { emulator } = service
  onTestFinished(() => emulator.close())
  const { id } = service.newLicense()
  return {
    emulator,
    licenseKey: id,
    device: (options) => createTestDevice(service, options),
    seats: () => service.seats(id),
    asked: () => emulator.control.requests().length,
  }
}

/** A customer who activated with one service, and then got an update of the app that asks another one. */
async function moved(from: AdapterName, to: AdapterName | 'commerce') {
  const before = await startFace(from)
  const after = await startNewService(to)
  const old = before.device()
  await old.launch()
  await old.core.activate(before.licenseKey)
  return { before, after, old, device: after.device({ store: old.store, secrets: old.secrets }) }
}

describe.each([
  ['polar', 'lemon-squeezy'],
  ['lemon-squeezy', 'keygen'],
  ['keygen', 'dodo'],
  ['dodo', 'commerce'],
] as const)('an app that moved from %s to %s', (from, to) => {
  test('keeps the customer working until grace ends, asks for the new key, and sends the old one nowhere', async () => {
    const { before, after, device } = await moved(from, to)
    await device.launch()
    expect(device.state).toMatchObject({
      status: 'grace',
      entitled: true,
      problem: { code: 'license-of-other-service' },
    })
    await device.elapse(13 * dayMs)
    expect(device.state.entitled).toBe(true)
    await device.elapse(2 * dayMs)
    expect(device.state).toMatchObject({ status: 'unverified', entitled: false })
    expect(after.asked()).toBe(0)
    expect(before.seats()).toHaveLength(1)
    // What the old service gave stays on record, for an app that returns to it.
    expect(await device.recordOnDisk()).toMatchObject({ activation: { service: from } })
  })

  test('logs once which service the record is of and which one is in use', async () => {
    const { before, old, device } = await moved(from, to)
    await device.launch()
    await device.elapse(3 * dayMs)
    expect(device.logger.lines.filter((line) => line.includes('license record'))).toEqual([
      `warn The license record is of ${from}, and the service in use is ${to}, so the user needs a new license key. If it is a gateway in front of ${from}, set service.licenseKeys to 'any'.`,
    ])
    expect(device.logger.lines.join('\n')).not.toContain(before.licenseKey)
    await old.elapse(3 * dayMs)
    expect(old.logger.lines.join('\n')).not.toContain('license record')
  })

  test('accepts the new license key, and doesn’t ask the new service for the old seat', async () => {
    const { after, device } = await moved(from, to)
    await device.launch()
    expect(await device.core.activate(after.licenseKey)).toMatchObject({
      ok: true,
      state: { status: 'active' },
    })
    await device.elapse(2 * dayMs)
    expect(device.state).toMatchObject({ status: 'active', problem: null })
    expect(await device.recordOnDisk()).toMatchObject({
      service: to,
      activation: { service: to, licenseKey: after.licenseKey },
      owed: [],
    })
    expect(await device.core.deactivate()).toMatchObject({ ok: true, seat: 'freed' })
    expect(after.seats()).toEqual([])
  })

  test('tells of the new key’s seat if the activation with it was cut off', async () => {
    const { after, device } = await moved(from, to)
    await device.launch()
    after.emulator.control.faults.inject({
      fault: 'reset',
      operation: 'activate',
      when: 'after-acting',
      times: 1,
    })
    await device.core.activate(after.licenseKey)
    await device.core.validate()
    const isListed = to === 'keygen' || to === 'commerce'
    const expected = isListed
      ? { status: 'active', problem: null }
      : { status: 'grace', entitled: true, problem: { code: 'seat-may-be-taken' } }
    expect(device.state).toMatchObject(expected)
    await device.launch()
    await device.elapse(dayMs)
    expect(device.state).toMatchObject(expected)
    expect(after.seats()).toHaveLength(1)
    // The user now knows what another request may cost.
    expect(await device.core.activate(after.licenseKey)).toMatchObject({ ok: true })
    expect(device.state).toMatchObject({ status: 'active', problem: null })
  })

  test('forgets the old activation when the user deactivates, and does not claim to have freed its seat', async () => {
    const { before, device } = await moved(from, to)
    await device.launch()
    expect(await device.core.deactivate()).toMatchObject({ ok: true, seat: 'not-freed' })
    expect(before.seats()).toHaveLength(1)
    expect(await device.recordOnDisk()).toMatchObject({ activation: null, owed: [] })
  })
})

describe('an app that moved to a service with a list that lacks its activation', () => {
  async function movedToList() {
    const model = createServiceModel(() => device.clock.now())
    const service = model.reachedBy(() => ({ kind: 'served' }))
    const old = createTestDevice(null, { service })
    const { store, secrets } = old
    const device = createTestDevice(null, { service: { ...service, name: 'keygen' }, store, secrets })
    const license = model.addLicense(1)
    await old.launch()
    await old.core.activate(license.id)
    await old.quit()
    const { keys } = license
    license.keys = []
    expect(await device.launch()).toMatchObject({ status: 'grace', entitled: true })
    expect((await device.recordOnDisk()).activation?.service).toBe('commerce')
    return { device, license, keys }
  }

  test('is active again within the hour if the list was outdated', async () => {
    const { device, license, keys } = await movedToList()
    license.keys = keys
    await device.elapse(hourMs)
    expect(device.state).toMatchObject({ status: 'active', problem: null })
  })

  test('shows grace during each check', async () => {
    const { device } = await movedToList()
    const shown = device.states.length
    await device.elapse(3 * dayMs)
    expect(device.states.length).toBeGreaterThan(shown)
    const statuses = new Set(device.states.slice(shown).map(({ status }) => status))
    expect([...statuses]).toEqual(['grace'])
    expect(await device.decide()).toMatchObject({ status: 'grace' })
  })
})

test('the new activation stays while the old app is still open', async () => {
  const { after, old, device } = await moved('polar', 'commerce')
  await device.launch()
  await old.elapse(dayMs)
  expect(await device.core.activate(after.licenseKey)).toMatchObject({ ok: true })
  await old.elapse(3 * dayMs)
  await old.quit()
  await device.elapse(dayMs)
  expect(await device.launch()).toMatchObject({ status: 'active', problem: null })
  expect(after.seats()).toHaveLength(1)
})

test.each([
  ['polar', 'lemon-squeezy'],
  ['lemon-squeezy', 'commerce'],
] as const)('an app that returns to %s from %s is active at once', async (from, to) => {
  const { before, old, device } = await moved(from, to)
  await device.launch()
  await device.quit()
  const back = before.device({ store: old.store, secrets: old.secrets })
  await back.launch()
  expect(back.state).toMatchObject({ status: 'active', problem: null })
  expect(before.seats()).toHaveLength(1)
})

test('with a short grace, an answer of the new service entitles nobody once grace is over', async () => {
  const model = createServiceModel(() => device.clock.now())
  const service = model.reachedBy(() => ({ kind: 'served' }))
  const rules = { graceMs: dayMs }
  const old = createTestDevice(null, { service, rules })
  const device: TestDevice = createTestDevice(null, {
    ...old,
    service: { ...service, name: 'keygen' },
    rules,
  })
  const license = model.addLicense(1)
  await old.launch()
  await old.core.activate(license.id)
  await old.quit()
  license.keys = []
  await device.launch()
  await device.elapse(3 * dayMs)
  const statuses = device.states.map(({ status }) => status)
  expect(statuses).toContain('unverified')
  expect(statuses.slice(statuses.indexOf('unverified'))).not.toContain('grace')
})
