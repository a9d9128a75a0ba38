import { describe, expect, test } from 'vitest'
import { reach } from '../../../doubles/app-service.ts'
import { createFakeSecrets } from '../../../doubles/fake-secrets.ts'
import { createMemoryStore } from '../../../doubles/memory-store.ts'
import { createScriptedService, unavailable } from '../../../doubles/scripted-service.ts'
import { createSharedLock } from '../../../doubles/shared-lock.ts'
import { createTestDevice, dayMs, hourMs, minuteMs } from '../../fixture.ts'
import { lost, scene } from '../../scene.ts'

const licenseKey = 'ANY-LICENSE-KEY-1'

test('changing the key in one instance keeps what another instance has activated', async () => {
  const scripted = createScriptedService(true)
  const lock = createSharedLock()
  const shared = { store: createMemoryStore(), secrets: createFakeSecrets(), lock }
  const commerce = reach({ service: scripted.service, fetch })
  const [one, two] = [1, 2].map(() => createTestDevice(null, { ...shared, service: commerce }))
  if (one === undefined || two === undefined) throw new Error('two devices')
  await one.launch()
  scripted.says.list.push(unavailable('network'))
  expect(await one.core.activate(licenseKey)).toMatchObject({ ok: false, state: { license: null } })
  expect(await two.launch()).toMatchObject({ status: 'active' })
  expect(one.state.license).toBeNull()
  expect(await one.core.cancelActivation()).toMatchObject({ status: 'active' })
  await two.core.validate()
  expect(two.state).toMatchObject({ status: 'active', problem: null })
  expect(scripted.activations).toHaveLength(1)
})

test('changing the key while a retry is succeeding keeps the license', async () => {
  const { license, device, fates } = await scene()
  fates.keys = [lost]
  await device.core.activate(license.id)
  const retry = device.core.activate(license.id)
  expect(await device.core.cancelActivation()).toMatchObject({ status: 'active' })
  expect(await retry).toMatchObject({ ok: true })
  expect(license.keys).toHaveLength(1)
})

test('changing the key ends the retries, and frees a seat that a lost answer may have taken', async () => {
  const { license, device, fates, asked } = await scene()
  fates.activate = [{ kind: 'answer-lost' }]
  fates.keys = [{ kind: 'served' }, lost]
  expect(await device.core.activate(license.id)).toMatchObject({ ok: false })
  expect(license.keys).toHaveLength(1)
  expect(await device.core.cancelActivation()).toMatchObject({ status: 'unlicensed', problem: null })
  expect(license.keys).toHaveLength(0)
  asked.length = 0
  await device.elapse(3 * dayMs)
  expect(asked).not.toContain('activate')
  expect(device.state).toMatchObject({ status: 'unlicensed', problem: null })
})

describe('another key that was entered while a license is in use', () => {
  test('without internet, and taken back, is never activated, and the license stays', async () => {
    const { model, license, device, fates, asked } = await scene()
    await device.core.activate(license.id)
    const { activation } = await device.recordOnDisk()
    const other = model.addLicense(1)
    fates.keys = [lost]
    expect(await device.core.activate(other.id)).toMatchObject({ ok: false, state: { status: 'active' } })
    asked.length = 0
    expect(await device.core.cancelActivation()).toMatchObject({ status: 'active', problem: null })
    expect(asked).toEqual([])
    expect(await device.recordOnDisk()).toMatchObject({ activation, wanted: null, owed: [] })
    await device.elapse(3 * dayMs)
    expect(device.state).toMatchObject({ status: 'active', problem: null })
    expect([license.keys.length, other.keys.length]).toEqual([1, 0])
    expect(asked).not.toContain('activate')
  })

  test('and that may have taken a seat, has it freed, and the license stays', async () => {
    const { model, license, device, fates } = await scene()
    await device.core.activate(license.id)
    const other = model.addLicense(1)
    fates.activate = [{ kind: 'answer-lost' }]
    fates.keys = [{ kind: 'served' }, lost, lost]
    expect(await device.core.activate(other.id)).toMatchObject({ ok: false })
    expect(other.keys).toHaveLength(1)
    expect(await device.core.cancelActivation()).toMatchObject({ status: 'active' })
    expect((await device.recordOnDisk()).owed).toMatchObject([{ licenseKey: other.id, activationId: null }])
    await device.elapse(dayMs)
    expect(device.state).toMatchObject({ status: 'active', problem: null })
    expect([license.keys.length, other.keys.length]).toEqual([1, 0])
    await device.elapse(31 * dayMs)
    expect((await device.recordOnDisk()).owed).toEqual([])
  })

  test('more than a day ago, can be taken back, and nothing is left to be asked', async () => {
    const { model, license, device, fates } = await scene()
    await device.core.activate(license.id)
    fates.keys = Array.from({ length: 1000 }, () => lost)
    await device.core.activate(model.addLicense(1).id)
    await device.elapse(2 * dayMs)
    fates.keys = []
    await device.elapse(dayMs)
    expect(device.state.problem?.code).toBe('activation-paused')
    expect(await device.core.cancelActivation()).toMatchObject({ status: 'active', problem: null })
    await device.elapse(dayMs)
    expect(device.state).toMatchObject({ status: 'active', problem: null })
  })

  test.each([
    ['nothing was sent for it', []],
    ['it took a seat, which is freed', [{ kind: 'served' }, lost]],
  ] as const)('and taken back, leaves the license’s own problem, if %s', async (_what, lists) => {
    const { model, license, device, fates } = await scene()
    await device.core.activate(license.id)
    license.isSuspended = true
    expect(await device.core.validate()).toMatchObject({ problem: { code: 'license-suspended' } })
    const other = model.addLicense(1)
    fates.activate = [{ kind: 'answer-lost' }]
    fates.keys = lists.length > 0 ? [...lists] : [lost]
    await device.core.activate(other.id)
    expect(await device.core.cancelActivation()).toMatchObject({ status: 'suspended' })
    await device.elapse(6 * minuteMs)
    expect(device.state).toMatchObject({ status: 'suspended', problem: { code: 'license-suspended' } })
    expect(other.keys).toHaveLength(0)
  })

  test('and taken back, doesn’t shorten the time that the service asked to wait', async () => {
    const { model, license, device, fates, asked } = await scene()
    await device.core.activate(license.id)
    fates.keys = [{ kind: 'status', status: 429, isJson: true, retryAfterMs: 2 * hourMs }]
    await device.core.activate(model.addLicense(1).id)
    await device.core.cancelActivation()
    asked.length = 0
    await device.elapse(hourMs)
    expect(asked).toEqual([])
    await device.elapse(2 * hourMs)
    expect(asked).toEqual(['validate'])
  })

  test('of the same license, and taken back, keeps its seat', async () => {
    const { license, device, fates } = await scene()
    await device.core.activate(license.id)
    fates.keys = [lost]
    expect(await device.core.activate(license.id)).toMatchObject({ ok: false })
    expect(await device.core.cancelActivation()).toMatchObject({ status: 'active', problem: null })
    await device.elapse(3 * dayMs)
    expect(device.state).toMatchObject({ status: 'active', problem: null })
    expect(license.keys).toHaveLength(1)
  })
})

test('a seat that can’t be freed yet is freed later, and until then that is the problem', async () => {
  const { license, device, fates } = await scene()
  fates.activate = [{ kind: 'answer-lost' }]
  fates.keys = [{ kind: 'served' }, lost, lost]
  await device.core.activate(license.id)
  expect(await device.core.cancelActivation()).toMatchObject({ problem: { code: 'deactivation-pending' } })
  await device.elapse(dayMs)
  expect(license.keys).toHaveLength(0)
})

test('without a pending activation there is nothing to cancel, and nothing is sent', async () => {
  const { license, device, asked } = await scene()
  expect(await device.core.cancelActivation()).toMatchObject({ status: 'unlicensed' })
  await device.core.activate(license.id)
  asked.length = 0
  expect(await device.core.cancelActivation()).toMatchObject({ status: 'active' })
  expect(asked).toEqual([])
})

test.each(['cancelActivation', 'deactivate'] as const)(
  '%s() that is saved late drops no activation that another instance has requested since',
  async (verb) => {
    const { model, license, device, fates } = await scene()
    const bought = model.addLicense(3)
    fates.activate = [{ kind: 'answer-lost' }]
    fates.keys = [{ kind: 'served' }, lost, lost]
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
      service: model.reachedBy(() => lost),
    })
    await second.launch()
    isFull = true
    await second.core[verb]()
    expect(second.state).toMatchObject({ status: 'unlicensed' })
    await device.core.activate(bought.id)
    isFull = false
    await second.elapse(hourMs)
    expect(await device.recordOnDisk()).toMatchObject({ wanted: { licenseKey: bought.id } })
    expect(await device.core.validate()).toMatchObject({ status: 'active', problem: null })
    expect(bought.keys).toHaveLength(1)
  },
)

test('canceling an activation changes no record that was copied from another device', async () => {
  const secrets = createFakeSecrets({ tier: 'plain' })
  const store = createMemoryStore()
  const service = createScriptedService(true)
  const commerce = reach({ service: service.service, fetch })
  const shared = { store, secrets, service: commerce }
  const one = createTestDevice(null, { ...shared, device: { machineId: 'machine-one' } })
  service.says.list = Array.from({ length: 9 }, () => unavailable('network'))
  await one.core.activate(licenseKey)
  await one.quit()
  expect(await one.recordOnDisk()).toMatchObject({ activation: null, wanted: { licenseKey: licenseKey } })
  const copied = store.texts.newest
  const two = createTestDevice(null, { ...shared, device: { machineId: 'machine-two' } })
  const { identify } = two.device
  let answer = (): void => {}
  const asked = new Promise<void>((resolve) => {
    answer = resolve
  })
  two.device.identify = async (randomId) => {
    await asked
    return identify.call(two.device, randomId)
  }
  await two.decide()
  const canceled = two.core.cancelActivation()
  for (let turn = 0; turn < 20; turn += 1) await new Promise<void>((resolve) => setImmediate(resolve))
  answer()
  await canceled
  expect(store.setAsideTexts).toEqual([copied])
})

test('canceling an activation never throws into the app', async () => {
  const { license, device, fates } = await scene()
  fates.keys = [lost]
  await device.core.activate(license.id)
  device.device.identify = () => Promise.reject(new Error('broken'))
  const { core } = device
  await core.dispose()
  expect(await core.cancelActivation()).toMatchObject({ status: 'unlicensed' })
})
