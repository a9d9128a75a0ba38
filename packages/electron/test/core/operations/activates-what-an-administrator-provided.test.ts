import { expect, test } from 'vitest'
import type { ProvidedKey } from '../../../src/core/ports.ts'
import { createMemoryStore } from '../../doubles/memory-store.ts'
import { createSharedLock } from '../../doubles/shared-lock.ts'
import {
  createTestDevice,
  dayMs,
  hourMs,
  minuteMs,
  serviceForTests,
  type TestDevice,
  type TestDeviceOptions,
} from '../fixture.ts'

const service = await serviceForTests()

const source = '/etc/notes/license.json'

/** A computer whose policy file has this text. The text can be replaced while the app runs. */
function provide(text: string | null, options: TestDeviceOptions = {}) {
  const policy: { text: string | null } = { text }
  const findProvided = async (): Promise<ProvidedKey | null> =>
    policy.text === null ? null : { text: policy.text, source }
  return { policy, device: createTestDevice(service, { ...options, findProvided }) }
}

/** Launches the app, and lets the first request be sent. */
async function launch(device: TestDevice) {
  await device.launch()
  await device.elapse(minuteMs)
  return device.state
}

test('activates the provided key by itself, and the next launch sends one request', async () => {
  const license = service.newLicense()
  const { device } = provide(license.id)
  expect(await device.launch()).toMatchObject({ status: 'unlicensed', activity: 'idle' })
  await device.elapse(minuteMs)
  expect(device.state).toMatchObject({ status: 'active', problem: null })
  expect(service.seats(license.id)).toHaveLength(1)
  const before = service.asked(license.id).length
  await launch(device)
  expect(service.asked(license.id).slice(before)).toEqual(['validate'])
})

test('two accounts of one computer take one seat', async () => {
  const license = service.newLicense({ activation_limit: 1 })
  const accounts = [1, 2].map(() => provide(license.id).device)
  for (const account of accounts) expect(await launch(account)).toMatchObject({ status: 'active' })
  expect(service.seats(license.id)).toHaveLength(1)
})

test('a second instance takes no second seat', async () => {
  const license = service.newLicense()
  const shared = { lock: createSharedLock(), store: createMemoryStore() }
  const instances = [1, 2].map(() => provide(license.id, shared).device)
  for (const instance of instances) await instance.decide()
  for (const instance of instances) await instance.elapse(minuteMs)
  for (const { state } of instances) expect(state).toMatchObject({ status: 'active', problem: null })
  expect(service.asked(license.id).filter((line) => line.startsWith('activate'))).toHaveLength(1)
})

test('never replaces what a person entered, and a person may enter another key', async () => {
  const [own, company] = [service.newLicense(), service.newLicense()]
  const { device, policy } = provide(null)
  await device.core.activate(own.id)
  policy.text = company.id
  await launch(device)
  await device.elapse(3 * dayMs)
  expect(service.seats(company.id)).toEqual([])

  const { device: other } = provide(company.id, { device: { machineId: 'machine-a' } })
  await launch(other)
  await other.core.activate(own.id)
  await other.elapse(3 * dayMs)
  expect([service.seats(own.id).length, service.seats(company.id).length]).toEqual([2, 0])

  const { device: waiting, policy: later } = provide(null, { device: { machineId: 'machine-c' } })
  service.control.faults.inject({ fault: 'reset' })
  await waiting.core.activate(own.id)
  later.text = company.id
  service.control.faults.clear()
  await launch(waiting)
  await waiting.elapse(3 * dayMs)
  expect([service.seats(own.id).length, service.seats(company.id).length]).toEqual([3, 0])
})

test('another key in the file replaces the provided one; one that is refused leaves it in use', async () => {
  const [first, full, last] = [
    service.newLicense(),
    service.newLicense({ activation_limit: 1 }),
    service.newLicense(),
  ]
  await createTestDevice(service, { device: { machineId: 'machine-b' } }).core.activate(full.id)
  const { device, policy } = provide(first.id)
  await launch(device)
  policy.text = full.id
  await device.elapse(2 * dayMs)
  expect(device.state).toMatchObject({ status: 'active', license: { maskedKey: masked(first.id) } })
  expect(service.seats(first.id)).toHaveLength(1)
  policy.text = last.id
  await device.elapse(2 * dayMs)
  expect(device.state).toMatchObject({
    status: 'active',
    problem: null,
    license: { maskedKey: masked(last.id) },
  })
  expect([first, full, last].map(({ id }) => service.seats(id).length)).toEqual([0, 1, 1])
})

test('what a person deactivated comes back only with another key', async () => {
  const [first, next] = [service.newLicense(), service.newLicense()]
  const { device, policy } = provide(first.id)
  await launch(device)
  await device.core.deactivate()
  policy.text = null
  await launch(device)
  policy.text = first.id
  await device.elapse(3 * dayMs)
  expect(await launch(device)).toMatchObject({ status: 'unlicensed' })
  expect(service.seats(first.id)).toEqual([])
  policy.text = next.id
  expect(await launch(device)).toMatchObject({ status: 'active' })
})

test('what was given back for now comes back at the next launch', async () => {
  const license = service.newLicense()
  const { device } = provide(license.id)
  await launch(device)
  await device.core.deactivate(false)
  expect(service.seats(license.id)).toEqual([])
  expect(await launch(device)).toMatchObject({ status: 'active' })
})

test('a person who deactivates an own license does not get the provided one in its place', async () => {
  const [own, company] = [service.newLicense(), service.newLicense()]
  const { device } = provide(company.id)
  await device.core.activate(own.id)
  await device.core.deactivate()
  await device.elapse(3 * dayMs)
  expect(service.seats(company.id)).toEqual([])
})

test('the 51st of 50 is told where the key came from at every launch, asks twice a day, and is activated when a seat is free', async () => {
  const license = service.newLicense({ activation_limit: 1 })
  const other = createTestDevice(service, { device: { machineId: 'machine-c' } })
  await other.core.activate(license.id)
  const { device } = provide(license.id)
  const told = { status: 'unlicensed', problem: { code: 'no-seat-left', source } }
  expect(await launch(device)).toMatchObject(told)
  const asked = service.asked(license.id).length
  for (const _launch of [1, 2, 3]) expect(await launch(device)).toMatchObject(told)
  await device.elapse(6 * hourMs)
  expect(service.asked(license.id)).toHaveLength(asked)
  await other.core.deactivate()
  await device.elapse(2 * dayMs)
  expect(device.state).toMatchObject({ status: 'active', problem: null })
})

test.each([
  ['without a license key in it', 'not a license key', 'no-license-key'],
  ['that holds two', `${crypto.randomUUID()} ${crypto.randomUUID()}`, 'several-license-keys'],
  ['that the service does not know', crypto.randomUUID(), 'license-not-found'],
])('a provided key %s is a problem that names its source', async (_what, text, code) => {
  const { device } = provide(text)
  expect(await launch(device)).toMatchObject({ status: 'unlicensed', problem: { code, source } })
  expect(await launch(device)).toMatchObject({ problem: { code, source } })
  // A command that only reads the state says so, too.
  await device.quit()
  const { device: same } = provide(text, { store: device.store, secrets: device.secrets })
  expect(await same.core.read()).toMatchObject({ problem: { code, source } })
})

test('without a network at the first start, it goes on for days without anyone', async () => {
  const license = service.newLicense()
  const { device } = provide(license.id)
  const { faults } = service.control
  faults.inject({ fault: 'reset', licenseId: license.id })
  expect(await launch(device)).toMatchObject({ status: 'unlicensed', problem: { code: 'offline', source } })
  await device.elapse(2 * dayMs)
  faults.clear()
  await device.elapse(dayMs)
  expect(device.state).toMatchObject({ status: 'active', problem: null })
  expect(service.seats(license.id)).toHaveLength(1)
})

test('a canceled activation stays canceled', async () => {
  const license = service.newLicense()
  const { device } = provide(license.id)
  const { faults } = service.control
  faults.inject({ fault: 'reset', licenseId: license.id })
  await launch(device)
  await device.core.cancelActivation()
  faults.clear()
  await device.elapse(2 * dayMs)
  expect(service.seats(license.id)).toEqual([])
})

function masked(licenseKey: string): string {
  return `${licenseKey.slice(0, 4)}••••${licenseKey.slice(-4)}`
}

test('a computer that was set up from another one activates with it by itself, with a seat of its own', async () => {
  const license = service.newLicense({ activation_limit: 2 })
  const { device } = provide(license.id)
  await launch(device)
  await device.quit()
  const { device: copy } = provide(license.id, {
    store: createMemoryStore({ ...device.store.texts }),
    secrets: device.secrets,
    device: { machineId: 'machine-two' },
  })
  await launch(copy)
  await copy.elapse(dayMs)
  expect(copy.state).toMatchObject({ status: 'active' })
  expect(service.seats(license.id)).toHaveLength(2)
})
