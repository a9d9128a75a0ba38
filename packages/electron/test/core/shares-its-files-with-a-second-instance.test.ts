import { afterAll, beforeAll, expect, test } from 'vitest'
import { createLicensingSession } from '../../src/core/licensing-session.ts'
import { createFakeClock } from '../doubles/fake-clock.ts'
import { createFakeDevice } from '../doubles/fake-device.ts'
import { createFakeSecrets } from '../doubles/fake-secrets.ts'
import { createMemoryStore } from '../doubles/memory-store.ts'
import { createNetFetchCommerce } from '../doubles/net-fetch-commerce.ts'
import { createRecordingLogger } from '../doubles/recording-logger.ts'
import {
  createTestDevice,
  dayMs,
  defaultRules,
  hourMs,
  startTestService,
  type TestService,
} from './fixture.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.emulator.close())

test('a second instance that only keeps time does not overwrite what the first one activated', async () => {
  const license = service.newLicense()
  const rules = { trialMs: 30 * dayMs }
  const first = createTestDevice(service, { rules })
  const second = createTestDevice(service, { rules, store: first.store, secrets: first.secrets })
  await first.launch()
  await second.launch()
  expect(await first.core.activate(license.id)).toMatchObject({ ok: true })
  await second.elapse(3 * hourMs)
  await first.quit()
  await second.quit()
  expect(await first.launch()).toMatchObject({ status: 'active', entitled: true })
})

test('a trial that a second instance starts, with a slow keychain, does not replace an activation', async () => {
  const license = service.newLicense()
  const rules = { trialMs: 30 * dayMs }
  const slow = createFakeSecrets()
  const { seal } = slow
  let unlock = (): void => {}
  const unlocked = new Promise<void>((resolve) => (unlock = resolve))
  slow.seal = async (text) => {
    await unlocked
    return seal.call(slow, text)
  }
  const first = createTestDevice(service, { rules })
  const second = createTestDevice(service, { rules, store: first.store, secrets: slow })
  await second.decide()
  await first.launch()
  expect(await first.core.activate(license.id)).toMatchObject({ ok: true })
  unlock()
  await second.settled()
  await first.quit()
  await second.quit()
  expect(await first.launch()).toMatchObject({ status: 'active', entitled: true })
})

test('a person’s own deed in the second instance counts, and costs no second seat', async () => {
  const license = service.newLicense({ activation_limit: 1 })
  const first = createTestDevice(service)
  const second = createTestDevice(service, { store: first.store, secrets: first.secrets })
  await first.launch()
  await second.launch()
  await first.core.activate(license.id)
  expect(await second.core.activate(license.id)).toMatchObject({ ok: true, state: { status: 'active' } })
  expect(service.seats(license.id)).toHaveLength(1)
  expect(await first.launch()).toMatchObject({ status: 'active' })
})

test('a sign-out stays while another instance, whose keychain is slow, saves the time', async () => {
  const license = service.newLicense()
  const first = createTestDevice(service)
  await first.core.activate(license.id)
  await first.settled()
  const secrets = createFakeSecrets()
  const second = createTestDevice(service, { store: first.store, secrets })
  await second.launch()

  const { seal } = secrets
  let unlock = (): void => {}
  const asked = new Promise<void>((resolveAsked) => {
    secrets.seal = async function (text) {
      resolveAsked()
      await new Promise<void>((resolve) => {
        unlock = resolve
      })
      return seal.call(this, text)
    }
  })
  const ended = second.core.dispose()
  await asked
  expect(await first.core.deactivate()).toMatchObject({ ok: true })
  unlock()
  await ended
  expect((await first.vaultOnDisk()).activation).toBeNull()
  expect(await first.launch()).toMatchObject({ status: 'unlicensed' })
})

test('an instance alone keeps the time it ran, whoever wrote before it', async () => {
  const license = service.newLicense()
  const first = createTestDevice(service)
  await first.core.activate(license.id)
  await first.quit()
  await first.launch()
  await first.elapse(2 * hourMs)
  first.kill()
  expect((await first.vaultOnDisk()).markMs).toBeGreaterThan(first.clock.now() - 1.5 * hourMs)
})

test('an instance takes over at its next check what another one activated', async () => {
  const rules = { trialMs: 30 * dayMs }
  const first = createTestDevice(service, { rules })
  const second = createTestDevice(service, { rules, store: first.store, secrets: first.secrets })
  await first.launch()
  await second.launch()
  await first.core.activate(service.newLicense().id)
  expect(second.state).toMatchObject({ status: 'trial', license: null })
  await second.elapse(1.2 * dayMs)
  expect(second.state).toMatchObject({ status: 'active', license: { activationUsage: 1 } })
})

test('the check of an instance does not overwrite that another one went on to a new license', async () => {
  const [old, bought] = [service.newLicense(), service.newLicense()]
  const first = createTestDevice(service)
  await first.core.activate(old.id)
  const second = createTestDevice(service, { store: first.store, secrets: first.secrets })
  await second.launch()
  // It frees the key of the old license.
  await first.core.activate(bought.id)
  await second.elapse(1.2 * dayMs)
  expect(second.state).toMatchObject({ status: 'active' })
  await second.quit()
  await first.quit()
  expect(await first.launch()).toMatchObject({ status: 'active', entitled: true })
})

test('an answer that comes after another instance went on to a new license changes nothing', async () => {
  const [old, bought] = [service.newLicense(), service.newLicense()]
  const first = createTestDevice(service)
  await first.core.activate(old.id)
  const second = createTestDevice(service, { store: first.store, secrets: first.secrets })
  await second.launch()
  const { faults } = service.emulator.control
  faults.inject({
    fault: 'delay',
    delayMs: 300,
    licenseId: old.id,
    operation: 'validate',
    when: 'after-acting',
  })
  const checked = second.core.validate()
  await first.core.activate(bought.id)
  await checked
  const { activation } = await first.vaultOnDisk()
  expect(activation).toMatchObject({ licenseId: bought.id, verdict: 'valid' })
})

test('an instance whose file a newer app has written since still notices that its trial is over', async () => {
  const device = createTestDevice(service, { rules: { trialMs: 30 * hourMs } })
  await device.launch()
  device.store.place('newest', '{"version":99}')
  await device.elapse(29 * hourMs)
  expect(device.state).toMatchObject({ status: 'trial', entitled: true })
  await device.elapse(2 * hourMs)
  expect(device.state).toMatchObject({
    status: 'unlicensed',
    entitled: false,
    problem: { code: 'trial-over' },
  })
})

test('an instance whose file a newer app has written since goes on hearing the service, and leaves the file alone', async () => {
  const { id: licenseId } = service.newLicense({ expires_at: null })
  const device = createTestDevice(service)
  await device.launch()
  await device.core.activate(licenseId)
  device.store.place('newest', '{"version":99}')
  service.emulator.control.suspend(licenseId)
  expect(await device.core.validate()).toMatchObject({ status: 'suspended', entitled: false })
  service.emulator.control.reinstate(licenseId)
  await device.elapse(15 * dayMs)
  expect(device.state).toMatchObject({ status: 'active', entitled: true })
  expect(device.store.texts.newest).toBe('{"version":99}')
})

test('what a newer app has written meanwhile is kept when a person does something in the older one', async () => {
  const device = createTestDevice(service)
  await device.launch()
  await device.core.activate(service.newLicense().id)
  device.store.place('newest', '{"version":99}')
  expect(await device.core.deactivate()).toMatchObject({ ok: true })
  expect(device.store.setAsideTexts).toEqual(['{"version":99}'])
  await device.core.activate(service.newLicense().id)
  expect(device.store.setAsideTexts).toHaveLength(1)
})

test('what is done here while the other’s record is being read adds to that record', async () => {
  const store = createMemoryStore()
  const ports = {
    commerce: createNetFetchCommerce({ baseUrl: service.emulator.baseUrl, fetch }),
    store,
    device: createFakeDevice(),
    clock: createFakeClock(),
    secrets: createFakeSecrets(),
    logger: createRecordingLogger(),
  }
  const session = createLicensingSession(ports, defaultRules)
  await session.open()
  const other = createTestDevice(service, { store, secrets: ports.secrets })
  const { id: licenseId } = service.newLicense()
  await other.core.activate(licenseId)
  await other.quit()

  const looking = session.refresh()
  const recorded = session.record({ type: 'trial-started' })
  await looking
  const both = { activation: { licenseId }, trialStartedAtMs: expect.any(Number) }
  expect(session.vault()).toMatchObject(both)
  await recorded
  expect(await other.vaultOnDisk()).toMatchObject(both)
})

test('a sign-out frees the license that another instance went on to, although an answer comes in while that is read', async () => {
  const [old, bought] = [service.newLicense(), service.newLicense()]
  const first = createTestDevice(service)
  await first.core.activate(old.id)
  const secrets = createFakeSecrets()
  const second = createTestDevice(service, { store: first.store, secrets })
  await second.launch()
  const { faults } = service.emulator.control
  faults.inject({
    fault: 'delay',
    delayMs: 200,
    licenseId: old.id,
    operation: 'validate',
    when: 'after-acting',
  })
  const checked = second.core.validate()
  await first.core.activate(bought.id)
  const { open } = secrets
  secrets.open = async function (...sealed) {
    await new Promise((resolve) => setTimeout(resolve, 400))
    return open.apply(this, sealed)
  }
  expect(await second.core.deactivate()).toMatchObject({ ok: true, seat: 'freed' })
  await checked
  expect(service.seats(bought.id)).toEqual([])
  expect(await first.launch()).toMatchObject({ status: 'unlicensed' })
})
