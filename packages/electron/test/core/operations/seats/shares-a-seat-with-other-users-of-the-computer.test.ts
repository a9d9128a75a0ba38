import type { LicenseService, Outcome } from '@latchkey/services'
import { describe, expect, test } from 'vitest'
import type { Lease } from '../../../../src/core/ports.ts'
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
    expect(await device.recordOnDisk()).toMatchObject({ activation: { activationId: newId } })
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

  test('an outdated list with an activation from before doesn’t replace the one in use', async () => {
    const { model, license, device, fates } = await scene()
    fates.keys = [{ kind: 'served' }, lost]
    await device.core.activate(license.id)
    const [mine = model.addKey(license, 'unused')] = license.keys
    const older = {
      id: `${mine.id.slice(0, -4)}0099`,
      deviceName: 'Work laptop',
      createdAtMs: Date.parse('2020-01-01'),
    }
    const { fingerprint } = await device.device.identify(null)
    const shown = model.reachedBy(() => ({ kind: 'served' }))
    const outdated = { activations: [{ ...older, fingerprint }], isWhole: true }
    const launched = createTestDevice(null, {
      store: device.store,
      secrets: device.secrets,
      service: {
        ...shown,
        listActivations: async () => ({
          kind: 'answer',
          value: outdated,
          serverDateMs: Date.now(),
          proof: null,
        }),
      },
    })
    await launched.launch()
    expect(launched.state).toMatchObject({ status: 'active', entitled: true })
    expect(await launched.recordOnDisk()).toMatchObject({ activation: { activationId: mine.id } })
    expect(license.keys).toEqual([mine])
  })

  test('a second instance of the app that activated again ends the problem here too', async () => {
    const world = await scene()
    const { model, license, device } = world
    await device.core.activate(license.id)
    model.removeKey(license, String(license.keys[0]?.id))
    await device.core.validate()
    const second = createTestDevice(null, {
      service: model.reachedBy(() => ({ kind: 'served' })),
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
    const reached = model.reachedBy((operation) => {
      asked.push(operation)
      return fates[operation]?.shift() ?? { kind: 'served' }
    })
    const signed = <Value>(outcome: Outcome<Value>): Outcome<Value> =>
      outcome.kind === 'answer' ? { ...outcome, proof: 'signed' } : outcome
    const gone = {
      kind: 'refusal',
      reason: 'unknown-activation',
      license: null,
      leftoverActivationId: null,
      httpStatus: 404,
      serverDateMs: null,
    } as const
    const gateway: LicenseService = {
      ...reached,
      activate: async (request) => signed(await reached.activate(request)),
      validate: async (request) => signed(await reached.validate(request)),
      // The gateway signs that an activation is gone.
      showActivation: async (request) => {
        const outcome = await reached.showActivation?.(request)
        return outcome?.kind === 'unavailable' && outcome.cause === 'not-found' ? gone : (outcome ?? gone)
      },
    }
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
      service: gateway,
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
    expect(await device.recordOnDisk()).toMatchObject({ activation: { activationId: newId } })
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
    const refused = {
      kind: 'unavailable',
      cause: 'access-denied',
      httpStatus: 403,
      retryAfterMs: null,
      serverDateMs: null,
      bodyIsJson: true,
      mayHaveActed: false,
      detail: null,
    } as const
    let isListed = false
    const model = createServiceModel(() => mine.clock.now() - aheadMs)
    const reached = model.reachedBy((operation) => fates[operation]?.shift() ?? { kind: 'served' })
    const mine = createTestDevice(null, {
      service: {
        ...reached,
        async listActivations(request) {
          // Nothing has told the time when the activation is sent.
          if (!isListed) {
            isListed = true
            return refused
          }
          const answer = await reached.listActivations?.(request)
          if (answer?.kind !== 'answer') return answer ?? refused
          const { activations, isWhole } = answer.value
          const listed = hasAges ? activations : activations.map((one) => ({ ...one, createdAtMs: null }))
          return {
            ...answer,
            value: { activations: listed, isWhole },
            ...(!isDated && { serverDateMs: null }),
          }
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
    expect((await mine.recordOnDisk()).owed).toEqual([])
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

  test('frees its own seat even if no answer says the time', async () => {
    const { left, other } = await canceled({ isDated: false })
    expect(left).toEqual([other])
  })

  test('frees every seat of the computer when it is canceled and the list doesn’t say when they were taken', async () => {
    const { left } = await canceled({ hasAges: false })
    expect(left).toEqual([])
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
