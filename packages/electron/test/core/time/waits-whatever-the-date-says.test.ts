import { CommerceError } from '@latchkey/commerce'
import { expect, test } from 'vitest'
import type { CommercePort } from '../../../src/core/ports/commerce-port.ts'
import { oldCommercePort } from '../../doubles/old-core-port.ts'
import { createTestDevice, dayMs, minuteMs } from '../fixture.ts'
import { says } from '../scene.ts'
import { createServiceModel, type Fate, type ModelOperation } from '../service-model.ts'

/** A device whose service reports a time that is ahead by `skew.ms`. */
function behindAWrongDate(fates: Partial<Record<ModelOperation, Fate[]>>) {
  const model = createServiceModel(() => device.clock.now())
  const license = model.addLicense(3)
  const skew = { ms: 0 }
  const port = oldCommercePort(
    model.reachedBy((operation) => fates[operation]?.shift() ?? { kind: 'served' }),
  )
  const shifted = (dateMs: number | null): number | null => (dateMs === null ? null : dateMs + skew.ms)
  const shift = async <Answered extends { serverDateMs: number | null }>(
    answer: Promise<Answered>,
  ): Promise<Answered> => {
    const given = await answer
    return { ...given, serverDateMs: shifted(given.serverDateMs) }
  }
  const commerce: CommercePort = {
    keys: (...args) => shift(port.keys(...args)),
    key: (...args) =>
      shift(port.key(...args)).catch((error: unknown) => {
        if (!(error instanceof CommerceError)) throw error
        const { code, status, bodyIsJson, serverDateMs } = error
        throw new CommerceError(code, { status, bodyIsJson, serverDateMs: shifted(serverDateMs) })
      }),
    activate: (...args) => shift(port.activate(...args)),
    validate: (...args) => shift(port.validate(...args)),
    deactivate: (...args) => shift(port.deactivate(...args)),
  }
  const device = createTestDevice(null, { commerce })
  return { model, license, device, skew, commerce }
}

test.each([0, 30, 55, 120])(
  'a Date %i minutes ahead does not end the search for a late activation',
  async (minutes) => {
    const { model, license, device, skew, commerce } = behindAWrongDate({ activate: [{ kind: 'late' }] })
    const { activate } = commerce
    Object.assign(commerce, {
      activate: (...args: Parameters<CommercePort['activate']>) => {
        skew.ms = minutes * minuteMs
        return activate(...args)
      },
    })
    await device.launch()
    expect(await device.core.activate(license.id)).toMatchObject({ ok: false })
    await device.core.deactivate()
    model.deliverLate()
    await device.elapse(minuteMs)
    await device.launch()
    await device.elapse(dayMs)
    expect(license.keys).toHaveLength(0)
  },
)

test.each([0, 30, 120])(
  'a Date %i minutes ahead does not let a late deactivation remove the new activation',
  async (minutes) => {
    const { model, license, device, skew } = behindAWrongDate({ deactivate: [{ kind: 'late' }] })
    await device.launch()
    await device.core.activate(license.id)
    await device.core.deactivate()
    skew.ms = minutes * minuteMs
    await device.core.activate(license.id)
    model.deliverLate()
    await device.launch()
    await device.elapse(dayMs)
    expect(device.state.status).toBe('active')
  },
)

test('a proxy that drops a deactivation and then requires a password releases nothing', async () => {
  const fates: Partial<Record<ModelOperation, Fate[]>> = {}
  const { license, device, commerce } = behindAWrongDate(fates)
  let isBroken = false
  const { deactivate } = commerce
  Object.assign(commerce, {
    deactivate: (...args: Parameters<CommercePort['deactivate']>) => {
      if (!isBroken) return deactivate(...args)
      const answer = { status: 204, bodyIsJson: false, bodyIsEmpty: true }
      return Promise.reject(new CommerceError('unexpected-answer', answer))
    },
  })
  await device.launch()
  await device.core.activate(license.id)
  isBroken = true
  fates.key = [says(407, false)]
  expect(await device.core.deactivate()).toMatchObject({ ok: true, seat: 'freed-later' })
  isBroken = false
  await device.elapse(dayMs)
  expect(license.keys).toHaveLength(0)
})

test.each([
  ['is listed no more', []],
  ['may not be listed', [says(403)]],
] as const)(
  'a completed deactivation counts if a proxy hides the key, and the key %s',
  async (_what, keys) => {
    const fates: Partial<Record<ModelOperation, Fate[]>> = {}
    const { license, device, commerce } = behindAWrongDate(fates)
    const { deactivate } = commerce
    Object.assign(commerce, {
      deactivate: async (...args: Parameters<CommercePort['deactivate']>) => {
        await deactivate(...args)
        throw new CommerceError('unexpected-answer', { status: 204, bodyIsJson: false, bodyIsEmpty: true })
      },
    })
    await device.launch()
    await device.core.activate(license.id)
    fates.key = [says(407, false)]
    fates.keys = [...keys]
    expect(await device.core.deactivate()).toMatchObject({ ok: true, seat: 'freed' })
  },
)
