import { describe, expect, test } from 'vitest'
import { wrapCalls } from '../../doubles/with-call.ts'
import { answerLost, lost, minuteMs, type Scene, says, scene, served } from '../fixture.ts'
import type { Fate } from '../service-model.ts'

const late: Fate = { kind: 'late' }

test('an activation that arrives after the retry that replaced it costs no second seat', async () => {
  const { model, license, device, fates } = await scene()
  fates.activate = [late]
  expect(await device.core.activate(license.id)).toMatchObject({ ok: false, problem: { code: 'timeout' } })
  expect(await device.core.activate(license.id)).toMatchObject({ ok: true })
  model.deliverLate()
  expect(license.keys).toHaveLength(2)
  expect(await device.launch()).toMatchObject({ status: 'active' })
  expect(license.keys).toHaveLength(1)
  expect(await device.launch()).toMatchObject({ status: 'active', problem: null })
})

test('an activation that arrives after deactivating is found and released', async () => {
  const { model, license, device } = await scene({ fates: { activate: [late] } })
  await device.core.activate(license.id)
  expect(await device.core.deactivate()).toMatchObject({ ok: true, seat: 'freed' })
  model.deliverLate()
  expect(license.keys).toHaveLength(1)
  await device.elapse(30 * minuteMs)
  expect(license.keys).toHaveLength(0)
  expect(device.state).toMatchObject({ status: 'unlicensed', problem: null })
})

test('a computer that slept while it waited searches for a late activation as long as any other', async () => {
  const it: Scene = await scene({
    fates: { activate: [late] },
    wrap: (service) =>
      wrapCalls(service, (operation, send) => {
        if (operation === 'activate') it.device.sleep(20 * minuteMs)
        return send()
      }),
  })
  const { model, license, device } = it
  await device.core.activate(license.id)
  await device.core.deactivate()
  model.deliverLate()
  expect(license.keys).toHaveLength(1)
  await device.elapse(30 * minuteMs)
  expect(license.keys).toHaveLength(0)
})

test.each([
  ['its retry was refused', 422, [], 'activation-refused'],
  ['the license seemed gone', 404, [says(404)], 'license-not-found'],
])('an activation that arrives after %s is found and released', async (_what, status, keys, code) => {
  const { model, license, device, fates } = await scene({ fates: { activate: [late, says(status)] } })
  await device.core.activate(license.id)
  fates.keys = keys
  expect(await device.core.activate(license.id)).toMatchObject({ problem: { code } })
  model.deliverLate()
  await device.elapse(30 * minuteMs)
  expect(license.keys).toHaveLength(0)
})

test('after nothing can arrive anymore, launches send one request again', async () => {
  const { device, license } = await scene({ fates: { activate: [late] } })
  await device.core.activate(license.id)
  await device.core.activate(license.id)
  expect((await device.recordOnDisk()).owed).toHaveLength(1)
  await device.elapse(30 * minuteMs)
  expect((await device.recordOnDisk()).owed).toEqual([])
})

test('activating again continues the search for the seat of an earlier request', async () => {
  const { model, license, device, fates } = await scene({ fates: { activate: [late] } })
  await device.core.activate(license.id)
  fates.keys = [lost]
  expect(await device.core.deactivate()).toMatchObject({ seat: 'freed-later' })
  fates.keys = [lost]
  expect(await device.core.activate(license.id)).toMatchObject({ ok: false })
  model.deliverLate()
  expect(await device.launch()).toMatchObject({ status: 'active' })
  expect(license.keys).toHaveLength(1)
})

test('deactivating, activating and deactivating while unreachable forgets no seat', async () => {
  const { model, license, device, fates } = await scene({ fates: { activate: [late] } })
  await device.core.activate(license.id)
  fates.keys = [lost, lost, lost]
  await device.core.deactivate()
  await device.core.activate(license.id)
  await device.core.deactivate()
  model.deliverLate()
  expect(license.keys).toHaveLength(1)
  await device.launch()
  expect(license.keys).toHaveLength(0)
})

test('a key that appears on a device that was moved away is released, not used', async () => {
  const { model, license, device } = await scene({ fates: { activate: [late] } })
  await device.core.activate(license.id)
  await device.core.activate(license.id)
  model.removeKey(license, license.keys[0]?.id ?? '')
  expect(await device.launch()).toMatchObject({ status: 'revoked' })
  model.deliverLate()
  expect(await device.launch()).toMatchObject({ status: 'revoked', entitled: false })
  expect(license.keys).toHaveLength(0)
})

test('a seat whose list was unreadable after the activation is resolved at the next launch', async () => {
  const { model, license, device, fates } = await scene()
  fates.keys = [served, lost]
  expect(await device.core.activate(license.id)).toMatchObject({ ok: true, state: { problem: null } })
  const [mine] = license.keys
  model.addKey(license, mine?.name ?? '')
  await device.launch()
  expect(license.keys).toEqual([mine])
})

test('if keys cannot be listed, a second click after a lost response is resolved when they can be', async () => {
  const { license, device, fates } = await scene()
  const forbidden: Fate = { kind: 'status', status: 403, isJson: true }
  fates.keys = [forbidden, forbidden, forbidden]
  fates.activate = [answerLost]
  expect(await device.core.activate(license.id)).toMatchObject({ ok: false })
  expect(await device.core.activate(license.id)).toMatchObject({ ok: true })
  // A known and accepted cost if listing is refused.
  expect(license.keys).toHaveLength(2)
  expect(await device.launch()).toMatchObject({ status: 'active' })
  expect(license.keys).toHaveLength(1)
})

describe('an older key of this device that another process has made', () => {
  async function withOlderKey() {
    const it = await scene({ fates: { keys: [served, lost] } })
    const { model, license, device } = it
    const older = model.addKey(license, 'made elsewhere')
    await device.core.activate(license.id)
    const mine = license.keys.find((key) => key !== older)
    Object.assign(older, { name: mine?.name })
    const heldId = async () => (await device.recordOnDisk()).activation?.activationId
    return { ...it, older, mine, heldId }
  }

  test('is validated before it replaces the current one', async () => {
    const { license, device, fates, older, mine, heldId } = await withOlderKey()
    fates.validate = [lost]
    await device.launch()
    expect(await heldId()).toBe(mine?.id)
    await device.launch()
    expect(await heldId()).toBe(older.id)
    expect(license.keys).toEqual([older])
    expect(device.state).toMatchObject({ status: 'active', entitled: true })
  })

  test('and that is gone does not affect the current one', async () => {
    const { license, device, fates, mine, heldId } = await withOlderKey()
    fates.validate = [says(404)]
    fates.key = [says(404)]
    await device.launch()
    expect(await heldId()).toBe(mine?.id)
    expect(license.keys).toContain(mine)
  })
})

describe('a deactivation that arrives late, after the user activated again,', () => {
  test('does not remove the new activation', async () => {
    const { model, license, device, fates } = await scene({ isActivated: true })
    fates.deactivate = [late]
    expect(await device.core.deactivate()).toMatchObject({ ok: true, seat: 'freed-later' })
    expect(await device.core.activate(license.id)).toMatchObject({ ok: true, state: { status: 'active' } })
    model.deliverLate()
    expect(await device.launch()).toMatchObject({ status: 'active', entitled: true })
    expect(license.keys).toHaveLength(1)
    expect((await device.recordOnDisk()).owed).toEqual([])
  })

  test('does not remove it if the app was killed before the response', async () => {
    const it: Scene = await scene({
      isActivated: true,
      fates: { deactivate: [late] },
      wrap: (service) =>
        wrapCalls(service, (operation, send) => {
          if (operation === 'deactivate' && it.fates.deactivate?.length === 1) it.device.kill()
          return send()
        }),
    })
    const { model, license, device, fates } = it
    void device.core.deactivate()
    await expect.poll(() => fates.deactivate).toEqual([])
    await device.decide()
    expect(await device.core.activate(license.id)).toMatchObject({ ok: true })
    model.deliverLate()
    expect(await device.launch()).toMatchObject({ status: 'active', entitled: true })
    expect(license.keys).toHaveLength(1)
  })

  test('is awaited if the seat cannot be released immediately, and the remaining key is adopted', async () => {
    const { model, license, device, fates } = await scene({ isActivated: true })
    const before = [...license.keys]
    fates.deactivate = [late, says(503)]
    await device.core.deactivate()
    expect(await device.core.activate(license.id)).toMatchObject({
      ok: false,
      problem: { code: 'activation-unconfirmed' },
    })
    expect(await device.launch()).toMatchObject({ entitled: false })
    await device.elapse(30 * minuteMs)
    expect(device.state).toMatchObject({ status: 'active', entitled: true })
    model.deliverLate()
    expect(await device.launch()).toMatchObject({ status: 'active', entitled: true })
    expect(license.keys).toEqual(before)
  })

  test('is not awaited if it was refused', async () => {
    const { license, device, fates } = await scene({ isActivated: true })
    const before = [...license.keys]
    fates.deactivate = [says(403)]
    await device.core.deactivate()
    expect((await device.recordOnDisk()).owed).toMatchObject([
      { licenseKey: license.id, activationId: before[0]?.id },
    ])
    expect(await device.core.activate(license.id)).toMatchObject({ ok: true })
    expect(license.keys).toEqual(before)
  })

  test('stays pending if its retry is refused', async () => {
    const { model, license, device, fates } = await scene({ isActivated: true })
    fates.deactivate = [late, says(403)]
    await device.core.deactivate()
    expect(await device.core.activate(license.id)).toMatchObject({ ok: false })
    model.deliverLate()
    expect(license.keys).toEqual([])
    expect(await device.core.activate(license.id)).toMatchObject({ ok: true })
    expect(await device.launch()).toMatchObject({ status: 'active', entitled: true })
    expect(license.keys).toHaveLength(1)
  })
})
