import type { Activation } from '@latchkey/services'
import { describe, expect, test } from 'vitest'
import {
  answerLost,
  createTestDevice,
  dayMs,
  hourMs,
  lost,
  relisted,
  type SceneOptions,
  says,
  scene,
  served,
  unanswered,
} from '../fixture.ts'

test('a key that disappears between list and validation is skipped, and a new seat is used', async () => {
  const { model, license, fates } = await scene({ isActivated: true })
  const [mine] = license.keys
  const reinstalled = createTestDevice(null, {
    service: model.reachedBy((operation) => {
      if (operation === 'validate') model.removeKey(license, mine?.id ?? '')
      return fates[operation]?.shift() ?? served
    }),
  })
  await reinstalled.launch()
  expect(await reinstalled.core.activate(license.id)).toMatchObject({ ok: true, state: { status: 'active' } })
})

test('keys created at the same time are ordered by id in every process', async () => {
  const { model, license, device } = await scene({ isActivated: true })
  const [mine] = license.keys
  const twin = model.addKey(license, mine?.name ?? '')
  Object.assign(twin, { created_at: mine?.created_at })
  const third = model.addKey(license, mine?.name ?? '')
  Object.assign(third, { created_at: mine?.created_at })
  license.keys = [third, twin, ...license.keys.slice(0, 1)]
  await device.core.activate(license.id)
  expect(license.keys).toEqual([mine])
})

test('an unreadable date counts as the oldest', async () => {
  const { model, license, device } = await scene()
  const odd = model.addKey(license, 'Tower')
  Object.assign(odd, { created_at: '2099-02-30T00:00:00.000000Z' })
  await device.core.activate(license.id)
  const [, mine] = license.keys
  expect(await device.core.devices()).toMatchObject({
    devices: [{ label: 'Tower', activatedAt: null }, { label: 'Work laptop' }],
  })
  license.keys = [...license.keys].reverse()
  expect(await device.core.devices()).toMatchObject({
    devices: [{ label: 'Tower' }, { label: 'Work laptop' }],
  })
  // Of this device's two keys, the unreadable one stays.
  Object.assign(odd, { name: mine?.name })
  await device.core.activate(license.id)
  expect(license.keys).toEqual([odd])
})

test('a proxy error after a failed request says nothing about the license', async () => {
  const { license, device, fates } = await scene()
  fates.activate = [answerLost]
  fates.keys = [served, says(404)]
  expect(await device.core.activate(license.id)).toMatchObject({
    problem: { code: 'activation-unconfirmed' },
  })
  expect((await device.recordOnDisk()).wanted).not.toBeNull()
  expect(await device.launch()).toMatchObject({ status: 'active' })
  expect(license.keys).toHaveLength(1)
})

test.each([
  [says(403), 'activation-refused'],
  [lost, 'activation-refused'],
] as const)('a refusal whose reason cannot be determined (%j) is still a refusal', async (fate, code) => {
  const { license, device, fates } = await scene()
  fates.activate = [says(422)]
  fates.keys = [served, fate]
  expect(await device.core.activate(license.id)).toMatchObject({ ok: false, problem: { code } })
  expect((await device.recordOnDisk()).wanted).toBeNull()
})

test.each([
  ['the service itself', true],
  ['a box on the way', false],
] as const)(
  'a list refused with %s is requested later, and then an older key of this device is found',
  async (_what, isJson) => {
    const { model, license, device, fates } = await scene({ isActivated: true })
    const [mine] = license.keys
    await device.core.deactivate()
    model.addKey(license, mine?.name ?? '')
    fates.keys = [says(403, isJson)]
    expect(await device.core.activate(license.id)).toMatchObject({ ok: true })
    await device.launch()
    expect(license.keys).toHaveLength(1)
  },
)

test.each([
  ['cannot be looked up afterwards', [served, lost, lost]],
  ['cannot be looked up at all', [says(403), lost]],
] as const)('a seat behind a proxy that refused and that %s is freed later', async (_, keys) => {
  const { license, device, fates } = await scene()
  fates.activate = [{ kind: 'status-after', status: 403 }]
  fates.keys = [...keys]
  expect(await device.core.activate(license.id)).toMatchObject({ problem: { code: 'unauthorized' } })
  expect(license.keys).toHaveLength(1)
  await device.elapse(hourMs)
  expect(license.keys).toEqual([])
})

test('an empty list, which may be a proxy’s, does not end the search for the seat of a lost answer', async () => {
  let isEmptied = false
  const { license, device } = await scene({
    fates: { activate: [answerLost], keys: [served, lost, lost] },
    wrap: (service) => relisted(service, (list) => (isEmptied ? { activations: [], isWhole: true } : list)),
  })
  await device.core.activate(license.id)
  await device.core.deactivate()
  isEmptied = true
  await device.elapse(2 * dayMs)
  expect(license.keys).toHaveLength(1)
  isEmptied = false
  await device.elapse(2 * dayMs)
  expect(license.keys).toEqual([])
})

test('a refusal has no reason if the key that should explain it is gone', async () => {
  const { model, license, device, fates } = await scene()
  model.addKey(license, 'Tower')
  fates.activate = [says(422)]
  fates.validate = [says(404)]
  fates.key = [says(404)]
  expect(await device.core.activate(license.id)).toMatchObject({ problem: { code: 'activation-refused' } })
})

test('of two queued releases by name, the failed one stays queued', async () => {
  const { model, license, device, fates } = await scene()
  fates.activate = [answerLost]
  fates.keys = [served, lost]
  await device.core.activate(license.id)
  const [mine] = license.keys
  model.addKey(license, mine?.name ?? '')
  fates.deactivate = [served, lost]
  expect(await device.core.deactivate()).toMatchObject({ seat: 'freed-later' })
  expect(license.keys).toHaveLength(1)
  await device.launch()
  expect(license.keys).toHaveLength(0)
})

describe('ids in another letter case in the list than in other responses', () => {
  const upper = (activation: Activation): Activation => ({ ...activation, id: activation.id.toUpperCase() })
  const place = (options: SceneOptions, change = upper) =>
    scene({
      ...options,
      wrap: (service) =>
        relisted(service, ({ activations, ...list }) => ({ ...list, activations: activations.map(change) })),
    })

  test('a device never releases its own seat', async () => {
    const { license, device } = await place({ isActivated: true })
    expect(await device.core.activate(license.id)).toMatchObject({ ok: true })
    for (let launch = 0; launch < 3; launch += 1) {
      expect(await device.launch()).toMatchObject({ status: 'active' })
    }
    expect(license.keys).toHaveLength(1)
    expect((await device.recordOnDisk()).owed).toEqual([])
  })

  test('a device that chooses its oldest key keeps it', async () => {
    const { license, device } = await place({ fates: unanswered() })
    await device.core.activate(license.id)
    await device.core.activate(license.id)
    expect(await device.launch()).toMatchObject({ status: 'active' })
    await device.elapse(dayMs)
    expect(license.keys).toHaveLength(1)
  })

  test('this device is recognized in the list, and releasing it deactivates it', async () => {
    const { license, device } = await place({ isActivated: true }, (one) => ({
      ...upper(one),
      fingerprint: null,
    }))
    const listed = await device.core.devices()
    expect(listed).toMatchObject({ ok: true, devices: [{ isThisDevice: true }] })
    const [mine] = listed.ok ? listed.devices : []
    expect(await device.core.releaseDevice(mine?.id ?? '')).toEqual({ ok: true })
    expect(device.state.status).toBe('unlicensed')
    expect(license.keys).toEqual([])
  })

  test('a key that is listed in another letter case is not gone', async () => {
    const { device } = await place({
      isActivated: true,
      fates: { validate: [says(404)], key: [says(404)] },
    })
    expect(await device.launch()).toMatchObject({ status: 'grace', problem: { code: 'unconfirmed' } })
  })
})
