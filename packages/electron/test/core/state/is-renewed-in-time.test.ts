import { describe, expect, test } from 'vitest'
import type { LicensingRules } from '../../../src/core/licensing-core.ts'
import { createTestDevice, dayMs, hourMs, minuteMs } from '../fixture.ts'
import { createServiceModel, type Fate, type ModelOperation } from '../service-model.ts'

/** A device with ten hours left on its license. */
async function subscribed(rules: Partial<LicensingRules> = {}) {
  const model = createServiceModel(() => device.clock.now())
  const license = model.addLicense(1)
  const asked: ModelOperation[] = []
  const fate: { now: Fate } = { now: { kind: 'served' } }
  const commerce = model.reachedBy((operation) => {
    asked.push(operation)
    return fate.now
  })
  const device = createTestDevice(null, { commerce, rules })
  // A whole second, because `Date` has no fractions and a check may be repeated within that second.
  license.expiresAtMs = Math.ceil(device.clock.now() / 1000) * 1000 + 10 * hourMs
  await device.core.activate(license.id)
  await device.settled()
  asked.length = 0
  return { device, license, asked, fate }
}

describe('a license that expires while the app runs', () => {
  test('and was renewed is checked shortly before its end and never expires', async () => {
    const { device, license, asked } = await subscribed()
    await device.elapse(2 * hourMs)
    license.expiresAtMs = device.clock.now() + 30 * dayMs
    await device.elapse(8 * hourMs + 10 * minuteMs)
    expect(device.state).toMatchObject({ status: 'active', entitled: true })
    expect(device.states.map(({ status }) => status)).not.toContain('expired')
    expect(asked).toEqual(['validate'])
  })

  test('and is renewed at the last moment is checked again at its end', async () => {
    const { device, license, asked } = await subscribed()
    await device.elapse(10 * hourMs - 5 * minuteMs)
    expect(asked).toEqual(['validate'])
    license.expiresAtMs = device.clock.now() + 30 * dayMs
    await device.elapse(6 * minuteMs)
    expect(device.state).toMatchObject({ status: 'active', entitled: true })
    expect(asked).toEqual(['validate', 'validate'])
  })

  test('and is not renewed has expired, without repeated checks', async () => {
    const { device, asked } = await subscribed()
    await device.elapse(11 * hourMs)
    expect(device.state).toMatchObject({ status: 'expired', entitled: false })
    expect(asked).toEqual(['validate', 'validate'])
  })
})

describe('a license that ends while the service is unreachable', () => {
  const unreachable = { kind: 'request-lost' } as const

  test('may have been renewed, so the app runs for three days, and the state has the deadline', async () => {
    const { device, license, fate } = await subscribed()
    const endMs = license.expiresAtMs ?? 0
    fate.now = unreachable
    await device.elapse(10 * hourMs + minuteMs)
    expect(device.state).toMatchObject({
      status: 'grace',
      entitled: true,
      graceEndsAt: new Date(endMs + 3 * dayMs).toISOString(),
    })
    await device.elapse(3 * dayMs - hourMs)
    expect(await device.launch()).toMatchObject({ status: 'grace', entitled: true })
    await device.elapse(hourMs)
    expect(device.state).toMatchObject({ status: 'expired', entitled: false })
    expect(await device.launch()).toMatchObject({ status: 'expired', entitled: false })
  })

  test('has three days even if the app was closed at its end', async () => {
    const { device, fate } = await subscribed()
    fate.now = unreachable
    device.sleep(3 * dayMs)
    expect(await device.decide()).toMatchObject({ status: 'grace', entitled: true })
    device.sleep(dayMs)
    expect(await device.decide()).toMatchObject({ status: 'expired', entitled: false })
  })

  test('and was renewed continues automatically when the service is back', async () => {
    const { device, license, fate } = await subscribed()
    fate.now = unreachable
    device.sleep(5 * dayMs)
    expect(await device.launch()).toMatchObject({ status: 'expired', entitled: false })
    license.expiresAtMs = device.clock.now() + 30 * dayMs
    fate.now = { kind: 'served' }
    expect(await device.launch()).toMatchObject({ status: 'active', entitled: true, problem: null })
  })

  test('expires immediately if the service reports it', async () => {
    const { device, fate } = await subscribed()
    fate.now = unreachable
    await device.elapse(11 * hourMs)
    expect(device.state).toMatchObject({ status: 'grace', entitled: true })
    fate.now = { kind: 'served' }
    expect(await device.launch()).toMatchObject({ status: 'expired', entitled: false })
    fate.now = unreachable
    expect(await device.launch()).toMatchObject({ status: 'expired', entitled: false })
  })

  test('is checked right after its end and when the network is back', async () => {
    const { device, asked, fate } = await subscribed()
    fate.now = unreachable
    await device.elapse(10 * hourMs - 6 * minuteMs)
    asked.length = 0
    await device.elapse(7 * minuteMs)
    expect(asked).toContain('validate')
    fate.now = { kind: 'served' }
    device.core.check('online')
    await device.elapse(6 * minuteMs)
    expect(device.state).toMatchObject({ status: 'expired', entitled: false })
  })

  test.each([
    ['has no days for it when the developer gives none', { renewalGraceMs: 0 }, 0],
    [
      'has no more days than grace',
      { graceMs: 2 * dayMs, renewalGraceMs: 30 * dayMs },
      2 * dayMs - 10 * hourMs,
    ],
    ['has as many as the developer gives', { renewalGraceMs: 5 * dayMs }, 5 * dayMs],
  ])('%s', async (_what, rules, lastsMs) => {
    const { device, fate } = await subscribed(rules)
    fate.now = unreachable
    await device.elapse(10 * hourMs + lastsMs - minuteMs)
    expect(device.state).toMatchObject({ entitled: true })
    await device.elapse(2 * minuteMs)
    expect(device.state).toMatchObject({ status: 'expired', entitled: false })
  })
})
