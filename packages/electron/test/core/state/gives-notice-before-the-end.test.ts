import { describe, expect, test } from 'vitest'
import { createTestDevice, dayMs, hourMs, type TestDevice } from '../fixture.ts'
import { lost, type Scene } from '../scene.ts'
import { createServiceModel } from '../service-model.ts'

async function licensed(endsInDays: number | null, renewalNoticeDays = 7) {
  const fates: Scene['fates'] = {}
  const model = createServiceModel(() => device.clock.now())
  const service = model.reachedBy((operation) => fates[operation]?.shift() ?? { kind: 'served' })
  const rules = { renewalNoticeMs: renewalNoticeDays * dayMs }
  const device: TestDevice = createTestDevice(null, { service, rules })
  const license = model.addLicense(3)
  await device.launch()
  if (endsInDays !== null) license.expiresAtMs = device.clock.now() + endsInDays * dayMs
  await device.core.activate(license.id)
  return { license, device, fates, endsSoon: () => device.state.license?.endsSoon }
}

describe('the end of a license', () => {
  test('is near from seven days before it until it is reached', async () => {
    const { device, license, endsSoon } = await licensed(10)
    expect(endsSoon()).toBe(false)
    await device.elapse(3 * dayMs - hourMs)
    expect(endsSoon()).toBe(false)
    await device.elapse(2 * hourMs)
    expect(device.state).toMatchObject({ status: 'active', license: { endsSoon: true } })
    license.status = 'ENDED'
    await device.elapse(7 * dayMs)
    expect(device.state).toMatchObject({ entitled: false, license: { endsSoon: false } })
  })

  test('is published on time without a check', async () => {
    const { device, endsSoon } = await licensed(7.5)
    const published = device.states.length
    await device.elapse(dayMs / 2 + hourMs)
    expect(endsSoon()).toBe(true)
    expect(device.states.slice(published).some(({ license }) => license?.endsSoon === true)).toBe(true)
  })

  test('is no longer near after a renewal', async () => {
    const { device, license, endsSoon } = await licensed(5)
    expect(endsSoon()).toBe(true)
    license.expiresAtMs = device.clock.now() + 365 * dayMs
    await device.core.validate()
    expect(endsSoon()).toBe(false)
  })

  test('is checked before the notice, so that a renewed license shows none', async () => {
    const { device, license, endsSoon } = await licensed(7.2)
    license.expiresAtMs = device.clock.now() + 365 * dayMs
    await device.elapse(dayMs / 4)
    expect(endsSoon()).toBe(false)
  })

  test('is also shown offline', async () => {
    const { device, fates, endsSoon } = await licensed(8)
    fates.validate = Array.from({ length: 50 }, () => lost)
    await device.elapse(2 * dayMs)
    expect(device.state.status).toBe('grace')
    expect(endsSoon()).toBe(true)
  })

  test.each([
    ['that has none', null, 7],
    ['where the app wants no notice', 1, 0],
  ])('is never near for a license %s', async (_what, endsInDays, noticeDays) => {
    const { endsSoon } = await licensed(endsInDays, noticeDays)
    expect(endsSoon()).toBe(false)
  })
})
