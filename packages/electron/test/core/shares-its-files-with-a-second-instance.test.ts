import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDevice, dayMs, hourMs, startTestService, type TestService } from './fixture.ts'

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

test('an instance whose file another one has written since still notices that its trial is over', async () => {
  const rules = { trialMs: 30 * hourMs }
  const first = createTestDevice(service, { rules })
  const second = createTestDevice(service, { rules, store: first.store, secrets: first.secrets })
  await first.launch()
  await second.launch()
  await first.core.activate(service.newLicense().id)
  await second.elapse(29 * hourMs)
  expect(second.state).toMatchObject({ status: 'trial', entitled: true })
  await second.elapse(2 * hourMs)
  expect(second.state).toMatchObject({
    status: 'unlicensed',
    entitled: false,
    problem: { code: 'trial-over' },
  })
})
