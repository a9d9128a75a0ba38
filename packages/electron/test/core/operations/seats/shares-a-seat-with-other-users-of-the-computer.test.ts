import { CommerceError } from '@latchkey/commerce'
import { describe, expect, test } from 'vitest'
import type { Lease } from '../../../../src/core/ports/lease-port.ts'
import { oldCommercePort } from '../../../doubles/old-core-port.ts'
import { createTestDevice, dayMs, hourMs, minuteMs } from '../../fixture.ts'
import { lost, type Scene, says, scene } from '../../scene.ts'
import { createServiceModel } from '../../service-model.ts'

/** A device of which another user deactivated and activated again: its activation has a new ID. */
async function takenOver(): Promise<Scene & { readonly newId: string }> {
  const world = await scene()
  const { license, device } = world
  await device.core.activate(license.id)
  return { ...world, newId: replaceKey(world) }
}

function replaceKey({ model, license }: Scene): string {
  const [{ id: goneId, name } = { id: '', name: '' }] = license.keys
  model.removeKey(license, goneId)
  return model.addKey(license, name).id
}

describe('after another user of the computer deactivated and activated again', () => {
  test('the app keeps running even if no further list can be read', async () => {
    const { license, device, fates, newId } = await takenOver()
    // The first list proves that the old activation is gone, and shows the new one.
    fates.keys = [{ kind: 'served' }, lost, lost, lost]
    expect(await device.core.validate()).toMatchObject({ status: 'active', problem: null })
    expect(await device.vaultOnDisk()).toMatchObject({ activation: { keyId: newId } })
    expect(device.states.map(({ status }) => status)).not.toContain('revoked')
    expect(license.keys).toHaveLength(1)
  })

  test.each([
    ['is lost', lost],
    ['is refused by a proxy', says(404)],
  ])('the app keeps running if the question about the new activation %s', async (_what, fate) => {
    const { license, device, fates } = await takenOver()
    fates.validate = [{ kind: 'served' }, fate]
    expect(await device.core.validate()).toMatchObject({ status: 'grace', entitled: true })
    await device.elapse(10 * minuteMs)
    expect(device.state).toMatchObject({ status: 'active', problem: null })
    expect(device.states.map(({ status }) => status)).not.toContain('revoked')
    expect(license.keys).toHaveLength(1)
  })

  test('a device that was revoked meanwhile is active again, without the problem of before', async () => {
    const world = await scene()
    const { model, license, device } = world
    await device.core.activate(license.id)
    const [{ id: goneId, name } = { id: '', name: '' }] = license.keys
    model.removeKey(license, goneId)
    expect(await device.core.validate()).toMatchObject({
      status: 'revoked',
      problem: { code: 'moved-to-another-device' },
    })
    model.addKey(license, name)
    expect(await device.core.validate()).toMatchObject({ status: 'active', problem: null })
    expect(license.keys).toHaveLength(1)
  })

  test('the new activation is not released by a search for what a lost answer left behind', async () => {
    const world = await scene()
    const { model, license, device, fates } = world
    // The list was unreadable right after the activation, so it must be read again.
    fates.keys = [{ kind: 'served' }, lost]
    await device.core.activate(license.id)
    const [{ id: goneId, name } = { id: '', name: '' }] = license.keys
    model.removeKey(license, goneId)
    fates.keys = [lost]
    expect(await device.core.validate()).toMatchObject({ status: 'revoked' })
    expect((await device.vaultOnDisk()).outbox).toHaveLength(1)
    const { id: newId } = model.addKey(license, name)
    expect(await device.core.validate()).toMatchObject({ status: 'active', problem: null })
    await device.elapse(dayMs)
    expect(license.keys.map(({ id }) => id)).toEqual([newId])
  })

  test('an outdated list with an activation from before doesn’t replace the one in use', async () => {
    const { model, license, device, fates } = await scene()
    fates.keys = [{ kind: 'served' }, lost]
    await device.core.activate(license.id)
    const [mine = model.addKey(license, 'unused')] = license.keys
    const older = {
      ...mine,
      id: `${mine.id.slice(0, -4)}0099`,
      created_at: '2020-01-01T00:00:00.000000Z',
    }
    const shown = oldCommercePort(model.reachedBy(() => ({ kind: 'served' })))
    const launched = createTestDevice(null, {
      store: device.store,
      secrets: device.secrets,
      commerce: { ...shown, keys: async () => ({ value: [older], serverDateMs: Date.now() }) },
    })
    await launched.launch()
    expect(launched.state).toMatchObject({ status: 'active', entitled: true })
    expect(await launched.vaultOnDisk()).toMatchObject({ activation: { keyId: mine.id } })
    expect(license.keys).toEqual([mine])
  })

  test('a second instance of the app that activated again ends the problem here too', async () => {
    const world = await scene()
    const { model, license, device } = world
    await device.core.activate(license.id)
    model.removeKey(license, String(license.keys[0]?.id))
    await device.core.validate()
    const second = createTestDevice(null, {
      commerce: oldCommercePort(model.reachedBy(() => ({ kind: 'served' }))),
      store: device.store,
      secrets: device.secrets,
    })
    expect(await second.core.activate(license.id)).toMatchObject({ ok: true })
    await device.core.devices()
    expect(device.state).toMatchObject({ status: 'active', problem: null })
  })
})

describe('behind a gateway that signs that the activation is gone', () => {
  /** A device with leases. Its list isn't signed. */
  async function leased(): Promise<Scene> {
    const world = await scene()
    const { model, license, asked, fates } = world
    const commerce = oldCommercePort(
      model.reachedBy((operation) => {
        asked.push(operation)
        return fates[operation]?.shift() ?? { kind: 'served' }
      }),
    )
    const { fingerprint } = await world.device.device.identify(null)
    const lease = (): Lease => ({
      jws: 'signed',
      fingerprint,
      isEntitled: true,
      hasEnded: false,
      issuedAtMs: Date.now(),
      expiresAtMs: Date.now() + 30 * dayMs,
      license: { expiresAt: null, plan: null, features: [] },
    })
    const device = createTestDevice(null, {
      commerce: {
        ...commerce,
        activate: async (id, name) => ({ ...(await commerce.activate(id, name)), lease: lease() }),
        validate: async (id, keyId) => ({ ...(await commerce.validate(id, keyId)), lease: lease() }),
      },
      leases: { verify: lease },
    })
    await device.core.activate(license.id)
    return { ...world, device }
  }

  test('the app keeps running if the list can’t be read just then, and finds the new activation in it', async () => {
    const world = await leased()
    const { device, fates } = world
    const newId = replaceKey(world)
    fates.keys = [lost]
    expect(await device.core.validate()).toMatchObject({ status: 'grace', entitled: true })
    await device.elapse(hourMs)
    expect(device.state).toMatchObject({ status: 'active', problem: null })
    expect(await device.vaultOnDisk()).toMatchObject({ activation: { keyId: newId } })
  })

  test('a device that was released is revoked a day later if the list can never be read', async () => {
    const { model, license, device, fates } = await leased()
    model.removeKey(license, String(license.keys[0]?.id))
    fates.keys = Array.from({ length: 100 }, () => lost)
    await device.core.validate()
    await device.elapse(20 * hourMs)
    expect(device.state).toMatchObject({ entitled: true })
    await device.elapse(2 * dayMs)
    expect(device.state).toMatchObject({ status: 'revoked' })
  })

  test('a device that was released is revoked at once if the list is there, or is never shown', async () => {
    for (const fate of [{ kind: 'served' } as const, says(403)]) {
      const { model, license, device, fates } = await leased()
      model.removeKey(license, String(license.keys[0]?.id))
      fates.keys = [fate]
      expect(await device.core.validate()).toMatchObject({ status: 'revoked' })
    }
  })
})

describe('an activation whose answer was lost, while the list couldn’t be read,', () => {
  /** Another user of the computer activated 31 days ago. Then the answer to this user's activation is lost. */
  async function lostActivation({ isDelivered = true, isDated = true, hasAges = true, aheadMs = 0 } = {}) {
    const fates: Scene['fates'] = { keys: [lost], activate: [isDelivered ? { kind: 'answer-lost' } : lost] }
    const refused = { status: 403, bodyIsJson: true, serverDateMs: null }
    let isListed = false
    const model = createServiceModel(() => mine.clock.now() - aheadMs)
    const commerce = oldCommercePort(
      model.reachedBy((operation) => fates[operation]?.shift() ?? { kind: 'served' }),
    )
    const mine = createTestDevice(null, {
      commerce: {
        ...commerce,
        async keys(id) {
          // Nothing has told the time when the activation is sent.
          if (!isListed) {
            isListed = true
            throw new CommerceError('unauthorized', refused)
          }
          const answer = await commerce.keys(id)
          const value = hasAges ? answer.value : answer.value.map((key) => ({ ...key, created_at: '' }))
          return { ...answer, value, ...(!isDated && { serverDateMs: null }) }
        },
      },
    })
    mine.clock.jump(aheadMs)
    const license = model.addLicense(3)
    const { fingerprint } = await mine.device.identify(null)
    const other = model.addKey(license, `Desk [${fingerprint}]`)
    mine.clock.jump(31 * dayMs)
    await mine.launch()
    await mine.core.activate(license.id)
    expect(license.keys).toHaveLength(isDelivered ? 2 : 1)
    return { mine, license, fates, other: other.id }
  }

  async function canceled(options: Parameters<typeof lostActivation>[0] = {}) {
    const { mine, license, other } = await lostActivation(options)
    await mine.core.cancelActivation()
    await mine.elapse(dayMs)
    expect((await mine.vaultOnDisk()).outbox).toEqual([])
    return { left: license.keys.map(({ id }) => id), other }
  }

  test('frees its own seat when it is canceled, and not the one that another user took long before', async () => {
    const { left, other } = await canceled()
    expect(left).toEqual([other])
  })

  test('frees nothing when it is canceled and took no seat', async () => {
    const { left, other } = await canceled({ isDelivered: false })
    expect(left).toEqual([other])
  })

  test('frees its own seat even if the clock was a year ahead', async () => {
    const { left, other } = await canceled({ aheadMs: 365 * dayMs })
    expect(left).toEqual([other])
  })

  test.each([
    ['when it was made', { isDated: false }],
    ['when the seats were taken', { hasAges: false }],
  ])(
    'frees every seat of the computer when it is canceled and the list doesn’t say %s',
    async (_what, options) => {
      const { left } = await canceled(options)
      expect(left).toEqual([])
    },
  )

  test('gives way to the seat that another user took long before, when it is repeated', async () => {
    const { mine, license, fates, other } = await lostActivation()
    fates.keys = [says(403)]
    expect(await mine.core.activate(license.id)).toMatchObject({ ok: true })
    await mine.elapse(dayMs)
    expect(mine.state).toMatchObject({ status: 'active', problem: null })
    expect(license.keys.map(({ id }) => id)).toEqual([other])
  })
})

test.each([404, 422])(
  'an activation that is refused with %d, like its list, costs no seat that another user took long before',
  async (status) => {
    const { device, license, model, fates } = await scene()
    const { fingerprint } = await device.device.identify(null)
    const other = model.addKey(license, `Desk [${fingerprint}]`)
    await device.elapse(31 * dayMs)
    fates.keys = [says(status)]
    fates.activate = [says(status)]
    expect(await device.core.activate(license.id)).toMatchObject({ ok: false })
    // The search for what the refused request may have taken reads the list a day later.
    await device.elapse(2 * dayMs)
    await device.launch()
    expect((await device.vaultOnDisk()).outbox).toEqual([])
    expect(license.keys.map(({ id }) => id)).toEqual([other.id])
  },
)
