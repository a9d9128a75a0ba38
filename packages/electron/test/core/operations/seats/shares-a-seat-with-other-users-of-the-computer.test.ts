import { describe, expect, test } from 'vitest'
import type { Lease } from '../../../../src/core/ports.ts'
import { createFakeDevice } from '../../../doubles/fake-device.ts'
import { refusal, unavailable } from '../../../doubles/scripted-service.ts'
import { wrapCalls } from '../../../doubles/with-call.ts'
import {
  answerLost,
  createTestDevice,
  dayMs,
  hourMs,
  lost,
  minuteMs,
  relisted,
  type Scene,
  says,
  scene,
  served,
} from '../../fixture.ts'

/** A device of which another user deactivated and activated again: its activation has a new ID. */
async function takenOver(): Promise<Scene & { readonly newId: string }> {
  const it = await scene({ isActivated: true })
  return { ...it, newId: replaceKey(it) }
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
    fates.keys = [served, lost, lost, lost]
    expect(await device.core.validate()).toMatchObject({ status: 'active', problem: null })
    expect(await device.recordOnDisk()).toMatchObject({ activation: { activationId: newId } })
    expect(device.states.map(({ status }) => status)).not.toContain('revoked')
    expect(license.keys).toHaveLength(1)
  })

  test.each([
    ['is lost', lost],
    ['is refused by a proxy', says(404)],
  ])('the app keeps running if the question about the new activation %s', async (_what, fate) => {
    const { license, device, fates } = await takenOver()
    fates.validate = [served, fate]
    expect(await device.core.validate()).toMatchObject({ status: 'grace', entitled: true })
    await device.elapse(10 * minuteMs)
    expect(device.state).toMatchObject({ status: 'active', problem: null })
    expect(device.states.map(({ status }) => status)).not.toContain('revoked')
    expect(license.keys).toHaveLength(1)
  })

  test('a device that was revoked meanwhile is active again, without the problem of before', async () => {
    const { model, license, device } = await scene({ isActivated: true })
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

  test('an outdated list with an activation from before doesn’t replace the one in use', async () => {
    const { license, device, service } = await scene({ fates: { keys: [served, lost] } })
    await device.core.activate(license.id)
    const { keys } = license
    const launched = createTestDevice(null, {
      store: device.store,
      secrets: device.secrets,
      service: relisted(service, ({ activations, isWhole }) => ({
        activations: activations.map((one) => ({
          ...one,
          id: `${one.id.slice(0, -4)}0099`,
          createdAtMs: Date.parse('2020-01-01'),
        })),
        isWhole,
      })),
    })
    await launched.launch()
    expect(launched.state).toMatchObject({ status: 'active', entitled: true })
    expect((await launched.recordOnDisk()).activation?.activationId).toBe(keys[0]?.id)
    expect(license.keys).toEqual(keys)
  })

  test('a second instance of the app that activated again ends the problem here too', async () => {
    const { model, license, device, service } = await scene({ isActivated: true })
    model.removeKey(license, String(license.keys[0]?.id))
    await device.core.validate()
    const second = createTestDevice(null, { service, store: device.store, secrets: device.secrets })
    expect(await second.core.activate(license.id)).toMatchObject({ ok: true })
    await device.core.devices()
    expect(device.state).toMatchObject({ status: 'active', problem: null })
  })
})

describe('behind a gateway that signs that the activation is gone', () => {
  /** A device with leases. Its list isn't signed. */
  async function leased(): Promise<Scene> {
    const { fingerprint } = await createFakeDevice().identify(null)
    const lease = (): Lease => ({
      jws: 'signed',
      fingerprint,
      isEntitled: true,
      hasEnded: false,
      issuedAtMs: Date.now(),
      expiresAtMs: Date.now() + 30 * dayMs,
      license: { expiresAt: null, plan: null, features: [] },
    })
    return scene({
      isActivated: true,
      leases: { verify: lease },
      wrap: (reached) =>
        wrapCalls(reached, async (operation, send) => {
          const outcome = await send()
          // The gateway signs that an activation is gone.
          const isGone =
            operation === 'showActivation' && outcome.kind === 'unavailable' && outcome.cause === 'not-found'
          if (isGone) return refusal('unknown-activation')
          return outcome.kind === 'answer' && operation !== 'listActivations'
            ? { ...outcome, proof: 'signed' }
            : outcome
        }),
    })
  }

  test('the app keeps running if the list can’t be read just then, and finds the new activation in it', async () => {
    const it = await leased()
    const { device, fates } = it
    const newId = replaceKey(it)
    fates.keys = [lost]
    expect(await device.core.validate()).toMatchObject({ status: 'grace', entitled: true })
    await device.elapse(hourMs)
    expect(device.state).toMatchObject({ status: 'active', problem: null })
    expect(await device.recordOnDisk()).toMatchObject({ activation: { activationId: newId } })
  })

  test('a device that was released is revoked at once if the list is there, or is never shown', async () => {
    for (const fate of [served, says(403)]) {
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
    let lists = 0
    const it = await scene({
      fates: { activate: [isDelivered ? answerLost : lost], keys: [served, lost] },
      wrap: (reached) => {
        const aged = relisted(reached, ({ activations, isWhole }) => ({
          activations: hasAges ? activations : activations.map((one) => ({ ...one, createdAtMs: null })),
          isWhole,
        }))
        return wrapCalls(aged, async (operation, send) => {
          const outcome = await send()
          if (operation !== 'listActivations') return outcome
          lists += 1
          // Nothing has told the time when the activation is sent.
          if (lists === 1) return unavailable('access-denied', { httpStatus: 403, bodyIsJson: true })
          return isDated ? outcome : { ...outcome, serverDateMs: null }
        })
      },
    })
    const { model, license, fates, device: mine } = it
    it.setClock(aheadMs)
    const { fingerprint } = await mine.device.identify(null)
    const other = model.addKey(license, `Desk [${fingerprint}]`)
    mine.clock.jump(31 * dayMs)
    await mine.launch()
    await mine.core.activate(license.id)
    expect(license.keys).toHaveLength(isDelivered ? 2 : 1)
    return { mine, license, fates, other: other.id }
  }

  test.each([
    ['its own seat, and not the one that another user took long before', {}, true],
    ['nothing when it took no seat', { isDelivered: false }, true],
    ['its own seat even if the clock was a year ahead', { aheadMs: 365 * dayMs }, true],
    ['its own seat even if no answer says the time', { isDated: false }, true],
    ['every seat of the computer if the list doesn’t say when they were taken', { hasAges: false }, false],
  ])('frees %s, when it is canceled', async (_what, options, isOtherKept) => {
    const { mine, license, other } = await lostActivation(options)
    await mine.core.cancelActivation()
    await mine.elapse(dayMs)
    expect((await mine.recordOnDisk()).owed).toEqual([])
    expect(license.keys.map(({ id }) => id)).toEqual(isOtherKept ? [other] : [])
  })

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
    expect((await device.recordOnDisk()).owed).toEqual([])
    expect(license.keys.map(({ id }) => id)).toEqual([other.id])
  },
)
