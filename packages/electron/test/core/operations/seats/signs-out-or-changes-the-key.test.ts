import { describe, expect, test } from 'vitest'
import { createFakeSecrets } from '../../../doubles/fake-secrets.ts'
import { createSharedLock } from '../../../doubles/shared-lock.ts'
import {
  always,
  answerLost,
  createTestDevice,
  dayMs,
  hourMs,
  lost,
  minuteMs,
  type Scene,
  says,
  scene,
  served,
  unanswered,
} from '../../fixture.ts'

/** Another instance of the device's app. Its writes fail while `disk.isFull`. */
async function secondInstance({ device: { store, secrets }, service }: Scene) {
  const disk = { isFull: false }
  const second = createTestDevice(null, {
    secrets,
    service,
    store: {
      ...store,
      read: () => store.read(),
      write: async (...args) => (disk.isFull ? { ok: false, code: 'disk-full' } : store.write(...args)),
    },
  })
  await second.launch()
  return { second, disk }
}

test('online, the seat is released immediately, and the next launch sends no request', async () => {
  const { license, device, asked } = await scene({ isActivated: true })
  expect(await device.core.deactivate()).toMatchObject({
    ok: true,
    seat: 'freed',
    state: { status: 'unlicensed', license: null, problem: null, activity: 'idle' },
  })
  expect(license.keys).toEqual([])
  asked.length = 0
  expect((await device.launch()).status).toBe('unlicensed')
  expect(asked).toEqual([])
})

test('a seat that another user of the computer has taken since stays in use', async () => {
  const { model, license, device, service } = await scene({ isActivated: true })
  const other = createTestDevice(null, { service })
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
    const it = await scene({ isActivated: true })
    const { model, license, device } = it
    const bought = which === 'the same license' ? license : model.addLicense(3)
    const { second, disk } = await secondInstance(it)
    disk.isFull = true
    expect(await second.core.deactivate()).toMatchObject({ ok: true })
    await device.elapse(minuteMs)
    expect(await device.core.activate(bought.id)).toMatchObject({ ok: true })
    disk.isFull = false
    await second.elapse(2 * dayMs)
    expect(await device.core.validate()).toMatchObject({ status: 'active', problem: null })
    expect(bought.keys).toHaveLength(1)
    if (bought !== license) expect(license.keys).toEqual([])
  },
)

describe('while the service is unreachable', () => {
  test('the device is locked immediately, and the next launch with a connection releases the seat', async () => {
    const { license, device, fates } = await scene({ isActivated: true, fates: { every: lost } })
    const pending = { status: 'unlicensed', problem: { code: 'deactivation-pending' } }
    expect(await device.core.deactivate()).toMatchObject({ ok: true, seat: 'freed-later', state: pending })
    for (let launch = 0; launch < 3; launch += 1) expect(await device.launch()).toMatchObject(pending)
    expect(license.keys).toHaveLength(1)
    fates.every = served
    expect(await device.launch()).toMatchObject({ status: 'unlicensed', problem: null })
    expect(license.keys).toEqual([])
    expect((await device.recordOnDisk()).owed).toEqual([])
  })

  test('a running app retries soon', async () => {
    const { license, device } = await scene({
      isActivated: true,
      fates: { deactivate: [says(500), says(500)] },
    })
    await device.core.deactivate()
    await device.elapse(30 * minuteMs)
    expect(license.keys).toEqual([])
    expect(device.state.problem).toBeNull()
  })

  test('activating again before the seat is released keeps the key, and it is not released afterwards', async () => {
    const { license, device, fates } = await scene({ seats: 1, isActivated: true, fates: { every: lost } })
    const { keys } = license
    await device.core.deactivate()
    fates.every = served
    expect(await device.core.activate(license.id)).toMatchObject({ ok: true })
    await device.launch()
    await device.elapse(2 * dayMs)
    expect(license.keys).toEqual(keys)
    expect(device.state).toMatchObject({ status: 'active', entitled: true })
  })

  test('a queued release does not release the key of a pending activation', async () => {
    const { license, device, fates } = await scene({ seats: 1, isActivated: true, fates: { every: lost } })
    const { keys } = license
    await device.core.deactivate()
    expect(await device.core.activate(license.id)).toMatchObject({ ok: false, problem: { code: 'offline' } })
    fates.every = served
    // The key is found. It can't be validated yet, but it could be deleted.
    fates.validate = [says(503)]
    await device.launch()
    expect(license.keys).toEqual(keys)
    expect(await device.launch()).toMatchObject({ status: 'active' })
    expect(license.keys).toEqual(keys)
  })

  test('a lost response to the deletion counts as done when the service reports the key as gone', async () => {
    const { device } = await scene({ isActivated: true, fates: { deactivate: [answerLost] } })
    expect(await device.core.deactivate()).toMatchObject({ ok: true, seat: 'freed-later' })
    expect(await device.launch()).toMatchObject({ status: 'unlicensed', problem: null })
    expect((await device.recordOnDisk()).owed).toEqual([])
  })
})

test('a key that is already gone counts as released', async () => {
  const { license, device } = await scene({ isActivated: true })
  license.keys = []
  expect(await device.core.deactivate()).toMatchObject({ ok: true, seat: 'freed' })
})

test('a seat that cannot be released does not block another one', async () => {
  const { model, device } = await scene({
    isActivated: true,
    fates: { deactivate: [says(500), says(500), says(500)] },
  })
  const other = model.addLicense(1)
  await device.core.deactivate()
  await device.core.activate(other.id)
  expect(await device.core.deactivate()).toMatchObject({ ok: true })
  expect(other.keys).toEqual([])
  expect((await device.recordOnDisk()).owed).toHaveLength(1)
})

test('changing the key in one instance keeps what another instance has activated', async () => {
  const lock = createSharedLock()
  const { license, device: one, service } = await scene({ lock, fates: { keys: [lost] } })
  const two = createTestDevice(null, { service, lock, store: one.store, secrets: one.secrets })
  expect(await one.core.activate(license.id)).toMatchObject({ ok: false, state: { license: null } })
  expect(await two.launch()).toMatchObject({ status: 'active' })
  expect(one.state.license).toBeNull()
  expect(await one.core.cancelActivation()).toMatchObject({ status: 'active' })
  await two.core.validate()
  expect(two.state).toMatchObject({ status: 'active', problem: null })
  expect(license.keys).toHaveLength(1)
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
  const { license, device, asked } = await scene({ fates: unanswered() })
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
    const { model, license, device, fates, asked } = await scene({ isActivated: true })
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
    const { model, license, device, fates } = await scene({ isActivated: true })
    const other = model.addLicense(1)
    fates.activate = [answerLost]
    fates.keys = [served, lost, lost]
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
    const { model, device, fates } = await scene({ isActivated: true })
    fates.keys = always(lost)
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
    ['it took a seat, which is freed', [served, lost]],
  ] as const)('and taken back, leaves the license’s own problem, if %s', async (_what, lists) => {
    const { model, license, device, fates } = await scene({ isActivated: true })
    license.isSuspended = true
    expect(await device.core.validate()).toMatchObject({ problem: { code: 'license-suspended' } })
    const other = model.addLicense(1)
    fates.activate = [answerLost]
    fates.keys = lists.length > 0 ? [...lists] : [lost]
    await device.core.activate(other.id)
    expect(await device.core.cancelActivation()).toMatchObject({ status: 'suspended' })
    await device.elapse(6 * minuteMs)
    expect(device.state).toMatchObject({ status: 'suspended', problem: { code: 'license-suspended' } })
    expect(other.keys).toHaveLength(0)
  })

  test('and taken back, doesn’t shorten the time that the service asked to wait', async () => {
    const { model, device, fates, asked } = await scene({ isActivated: true })
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
    const { license, device, fates } = await scene({ isActivated: true })
    fates.keys = [lost]
    expect(await device.core.activate(license.id)).toMatchObject({ ok: false })
    expect(await device.core.cancelActivation()).toMatchObject({ status: 'active', problem: null })
    await device.elapse(3 * dayMs)
    expect(device.state).toMatchObject({ status: 'active', problem: null })
    expect(license.keys).toHaveLength(1)
  })
})

test('a seat that can’t be freed yet is freed later, and until then that is the problem', async () => {
  const { license, device } = await scene({ fates: { ...unanswered(), keys: [served, lost, lost] } })
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
    const it = await scene({ fates: unanswered() })
    const { model, license, device, fates } = it
    const bought = model.addLicense(3)
    await device.core.activate(license.id)
    fates.every = lost
    const { second, disk } = await secondInstance(it)
    disk.isFull = true
    await second.core[verb]()
    expect(second.state).toMatchObject({ status: 'unlicensed' })
    await device.core.activate(bought.id)
    disk.isFull = false
    await second.elapse(hourMs)
    expect(await device.recordOnDisk()).toMatchObject({ wanted: { licenseKey: bought.id } })
    fates.every = served
    expect(await device.core.validate()).toMatchObject({ status: 'active', problem: null })
    expect(bought.keys).toHaveLength(1)
  },
)

test('canceling an activation changes no record that was copied from another device', async () => {
  const {
    license,
    device: { core, store, secrets, quit },
    service,
  } = await scene({
    secrets: createFakeSecrets({ tier: 'plain' }),
    device: { machineId: 'machine-one' },
    fates: { every: lost },
  })
  await core.activate(license.id)
  await quit()
  const copied = store.texts.newest
  const two = createTestDevice(null, { service, store, secrets, device: { machineId: 'machine-two' } })
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
