import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createFakeSecrets } from '../../doubles/fake-secrets.ts'
import { createTestDevice, dayMs, hourMs, startTestService, type TestService } from '../fixture.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.emulator.close())

test('a second instance that only saves the time does not overwrite the activation of the first one', async () => {
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

test('a trial started by a second instance with a slow keychain does not replace an activation', async () => {
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

test('an action of the user in the second instance counts, and costs no second seat', async () => {
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

test('a deactivation is kept while another instance with a slow keychain saves the time', async () => {
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
  expect((await first.recordOnDisk()).activation).toBeNull()
  expect(await first.launch()).toMatchObject({ status: 'unlicensed' })
})

test('a single instance saves its elapsed time, even after a write of another one', async () => {
  const license = service.newLicense()
  const first = createTestDevice(service)
  await first.core.activate(license.id)
  await first.quit()
  await first.launch()
  await first.elapse(2 * hourMs)
  first.kill()
  expect((await first.recordOnDisk()).clock.markMs).toBeGreaterThan(first.clock.now() - 1.5 * hourMs)
})

test('an instance loads the activation of another one at its next check', async () => {
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

test('an instance loads the activation of another one as soon as its window gets the focus, without a request', async () => {
  const license = service.newLicense()
  const first = createTestDevice(service)
  const second = createTestDevice(service, { store: first.store, secrets: first.secrets })
  await first.launch()
  await second.launch()
  await first.core.activate(license.id)
  const asked = service.asked(license.id)
  second.core.refresh()
  await expect.poll(() => second.state).toMatchObject({ status: 'active', entitled: true })
  expect(service.asked(license.id)).toEqual(asked)
})

describe('app data that is deleted under the running app', () => {
  async function reset() {
    const license = service.newLicense()
    const device = createTestDevice(service)
    await device.core.activate(license.id)
    await device.settled()
    device.store.place('newest', null)
    device.store.place('lastGood', null)
    return { license, device }
  }

  test('is not written again by checks, nor when the app quits', async () => {
    const { device } = await reset()
    await device.core.validate()
    await device.elapse(2 * dayMs)
    expect(device.state).toMatchObject({ status: 'active' })
    device.core.finish()
    await device.quit()
    expect(device.store.texts).toEqual({ newest: null, lastGood: null })
    expect(await device.launch()).toMatchObject({ status: 'unlicensed', problem: null })
  })

  test('is written again when the user activates', async () => {
    const { device, license } = await reset()
    expect(await device.core.activate(license.id)).toMatchObject({ ok: true })
    await device.quit()
    expect(await device.launch()).toMatchObject({ status: 'active' })
    expect(service.seats(license.id)).toHaveLength(1)
  })
})

test('the check of an instance does not overwrite a new license of another one', async () => {
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

test('a response after another instance activated a new license changes nothing', async () => {
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
  const { activation } = await first.recordOnDisk()
  expect(activation).toMatchObject({ licenseKey: bought.id, verdict: 'valid' })
})

test('an instance still notices the end of its trial after a newer app wrote the file', async () => {
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

test('an instance keeps checking after a newer app wrote the file, and does not change the file', async () => {
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

test('a file written by a newer app is kept when the user acts in the older one', async () => {
  const device = createTestDevice(service)
  await device.launch()
  await device.core.activate(service.newLicense().id)
  device.store.place('newest', '{"version":99}')
  expect(await device.core.deactivate()).toMatchObject({ ok: true })
  expect(device.store.setAsideTexts).toEqual(['{"version":99}'])
  await device.core.activate(service.newLicense().id)
  expect(device.store.setAsideTexts).toHaveLength(1)
})

test('a deactivation releases the new license of another instance, even if a response arrives in the meantime', async () => {
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
