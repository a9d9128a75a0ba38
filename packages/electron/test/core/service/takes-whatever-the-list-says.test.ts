import { expect, test } from 'vitest'
import { createTestDevice, hourMs } from '../fixture.ts'
import { lost, says, scene } from '../scene.ts'

test('a key that disappears between list and validation is skipped, and a new seat is used', async () => {
  const { model, license, device, fates } = await scene()
  await device.core.activate(license.id)
  const [mine] = license.keys
  const reinstalled = createTestDevice(null, {
    service: model.reachedBy((operation) => {
      if (operation === 'validate') model.removeKey(license, mine?.id ?? '')
      return fates[operation]?.shift() ?? { kind: 'served' }
    }),
  })
  await reinstalled.launch()
  expect(await reinstalled.core.activate(license.id)).toMatchObject({ ok: true, state: { status: 'active' } })
})

test('keys created at the same time are ordered by id in every process', async () => {
  const { model, license, device } = await scene()
  await device.core.activate(license.id)
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
  fates.activate = [{ kind: 'answer-lost' }]
  fates.keys = [{ kind: 'served' }, says(404)]
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
  fates.keys = [{ kind: 'served' }, fate]
  expect(await device.core.activate(license.id)).toMatchObject({ ok: false, problem: { code } })
  expect((await device.recordOnDisk()).wanted).toBeNull()
})

test.each([
  ['the service itself', true],
  ['a box on the way', false],
] as const)(
  'a list refused with %s is requested later, and then an older key of this device is found',
  async (_what, isJson) => {
    const { model, license, device, fates } = await scene()
    await device.core.activate(license.id)
    const [mine] = license.keys
    await device.core.deactivate()
    model.addKey(license, mine?.name ?? '')
    fates.keys = [says(403, isJson)]
    expect(await device.core.activate(license.id)).toMatchObject({ ok: true })
    await device.launch()
    expect(license.keys).toHaveLength(1)
  },
)

test.each([true, false])(
  'without a list, activation works but adoption does not (JSON: %j)',
  async (isJson) => {
    const { license, device, fates } = await scene()
    fates.keys = [says(404, isJson), says(404, isJson)]
    expect(await device.core.activate(license.id)).toMatchObject({
      ok: true,
      state: { status: 'active', problem: { code: 'adoption-unavailable' } },
    })
    expect(await device.launch()).toMatchObject({ status: 'active', problem: null })
    expect((await device.recordOnDisk()).owed).toEqual([])
  },
)

test.each([
  ['the service', true, 'license-not-found', 'unlicensed'],
  // A proxy may have sent it after the service acted.
  ['somebody on the way', false, 'unexpected-answer', 'active'],
] as const)('an activation answered with 404 by %s', async (_who, isJson, code, later) => {
  const { license, device, fates } = await scene()
  fates.activate = [says(404, isJson)]
  expect(await device.core.activate(license.id)).toMatchObject({ ok: false, problem: { code } })
  expect(await device.launch()).toMatchObject({ status: later })
})

test.each([
  ['cannot be looked up afterwards', [{ kind: 'served' }, lost, lost]],
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

test('a lost response whose outcome cannot be checked is unconfirmed', async () => {
  const { license, device, fates } = await scene()
  fates.activate = [lost]
  fates.keys = [{ kind: 'served' }, says(403)]
  expect(await device.core.activate(license.id)).toMatchObject({
    problem: { code: 'activation-unconfirmed' },
  })
  expect((await device.recordOnDisk()).wanted).not.toBeNull()
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
  fates.activate = [{ kind: 'answer-lost' }]
  fates.keys = [{ kind: 'served' }, lost]
  await device.core.activate(license.id)
  const [mine] = license.keys
  model.addKey(license, mine?.name ?? '')
  fates.deactivate = [{ kind: 'served' }, lost]
  expect(await device.core.deactivate()).toMatchObject({ seat: 'freed-later' })
  expect(license.keys).toHaveLength(1)
  await device.launch()
  expect(license.keys).toHaveLength(0)
})

test('own keys without a date are ordered by id', async () => {
  const { model, license, device } = await scene()
  await device.core.activate(license.id)
  const [mine] = license.keys
  const twin = model.addKey(license, mine?.name ?? '')
  for (const key of [mine, twin]) Object.assign(key ?? {}, { created_at: null })
  expect(await device.core.activate(license.id)).toMatchObject({ ok: true })
  expect(license.keys).toEqual([mine])
})
