import { expect, test } from 'vitest'
import { createFakeSecrets } from '../../doubles/fake-secrets.ts'
import { createMemoryStore } from '../../doubles/memory-store.ts'
import {
  createTestDevice,
  dayMs,
  hourMs,
  scene,
  serviceForTests,
  type TestDeviceOptions,
} from '../fixture.ts'

const service = await serviceForTests()

const trial: TestDeviceOptions = { rules: { trialMs: 7 * dayMs } }

test('starts at the first launch without the service, with its end in the state', async () => {
  const device = createTestDevice(service, trial)
  const startMs = device.clock.now()
  expect(await device.decide()).toEqual({
    ...device.state,
    status: 'trial',
    entitled: true,
    trialEndsAt: new Date(startMs + 7 * dayMs).toISOString(),
  })
})

test('does not start, and nothing is written or sent, where only the status is read', async () => {
  const asked = service.control.requests().length
  const device = createTestDevice(service, trial)
  expect(await device.core.read()).toMatchObject({ status: 'unlicensed' })
  await device.elapse(dayMs)
  await device.quit()
  expect(device.store.texts.newest).toBeNull()
  expect(service.control.requests()).toHaveLength(asked)
  expect(await device.decide()).toMatchObject({ status: 'trial' })
})

test('continues after restarts and ends on time while the app runs', async () => {
  const { device } = await scene(trial)
  device.sleep(5 * dayMs)
  expect(await device.launch()).toMatchObject({ status: 'trial', entitled: true })
  await device.elapse(2 * dayMs + hourMs)
  expect(device.state).toMatchObject({
    status: 'unlicensed',
    entitled: false,
    problem: { code: 'trial-over' },
  })
  expect(await device.decide()).toMatchObject({ status: 'unlicensed', problem: { code: 'trial-over' } })
})

test('that started before the computer was identified is kept', async () => {
  const device = createTestDevice(service, trial)
  const { identify } = device.device
  device.device.identify = () => new Promise(() => {})
  const first = await device.decide()
  await expect.poll(() => device.store.writes).toBe(1)
  device.device.identify = identify
  const second = await device.launch()
  expect(second).toMatchObject({ status: 'trial', problem: null })
  expect(second).toMatchObject({ trialEndsAt: first.status === 'trial' ? first.trialEndsAt : 'no trial' })
})

test('that is over stays over if the clock is set back, however short the app ran', async () => {
  const { device } = await scene(trial)
  device.sleep(8 * dayMs)
  expect(await device.launch()).toMatchObject({ status: 'unlicensed', problem: { code: 'trial-over' } })
  device.kill()
  device.clock.jump(-8 * dayMs)
  expect(await device.launch()).toMatchObject({ status: 'unlicensed', problem: { code: 'trial-over' } })
})

test('ends with an activation, and deactivating does not start a second one', async () => {
  const { license, device } = await scene(trial)
  expect(await device.core.activate(license.id)).toMatchObject({ ok: true, state: { status: 'active' } })
  device.sleep(8 * dayMs)
  await device.launch()
  expect(await device.core.deactivate()).toMatchObject({ state: { status: 'unlicensed' } })
})

test('does not start on a device with a license', async () => {
  const { device } = await service.activated()
  await device.quit()
  const updated = createTestDevice(service, { ...trial, store: device.store, secrets: device.secrets })
  expect(await updated.launch()).toMatchObject({ status: 'active' })
  expect((await updated.recordOnDisk()).trial).toBeNull()
})

test('does not replace a license that the keychain cannot open now', async () => {
  const { device } = await service.activated({}, trial)
  await device.quit()
  device.secrets.locked = true
  expect(await device.launch()).toMatchObject({
    status: 'unlicensed',
    problem: { code: 'store-undecryptable' },
  })
  await device.quit()
  device.secrets.locked = false
  expect(await device.launch()).toMatchObject({ status: 'active', entitled: true })
  expect(device.store.setAsideTexts).toEqual([])
})

test('starts again if the file is permanently damaged, and the file is set aside', async () => {
  const store = createMemoryStore({ newest: '{"version', lastGood: '' })
  const device = createTestDevice(service, { ...trial, store, secrets: createFakeSecrets() })
  expect(await device.launch()).toMatchObject({ status: 'trial', problem: { code: 'store-unreadable' } })
  expect(store.setAsideTexts).toContain('{"version')
})

test('does not last forever if the clock was years ahead at the first launch, after a response with the time', async () => {
  const license = service.newLicense()
  const device = createTestDevice(service, trial)
  device.clock.jump(3650 * dayMs)
  await device.launch()
  service.control.faults.inject({ fault: 'status', status: 409, operation: 'activate' })
  await device.core.activate(license.id)
  expect(device.state).toMatchObject({ status: 'trial' })
  device.sleep(8 * dayMs)
  expect(await device.launch()).toMatchObject({ status: 'unlicensed' })
})

test('does not replace a license whose files another program has locked at launch', async () => {
  const { device } = await service.activated({ activation_limit: 1 }, trial)
  await device.quit()
  const { read } = device.store
  const held = { found: 'fault', fault: 'out-of-reach' } as const
  device.store.read = () => ({ newest: held, lastGood: held })
  expect(await device.decide()).toMatchObject({ status: 'unlicensed', problem: { code: 'unexpected' } })
  await device.settled()
  device.store.read = read
  await device.core.validate()
  expect(device.state).toMatchObject({ status: 'active', entitled: true, problem: null })
  expect(device.store.setAsideTexts).toEqual([])
})
