import { describe, expect, test } from 'vitest'
import type { RecordRules as LicensingRules } from '../../../src/core/device-record.ts'
import type { ActivationRecord } from '../../../src/core/record.ts'
import { pauseBeforeCheckMs } from '../../../src/core/schedule.ts'
import { createTestDevice, dayMs, defaultRules, hourMs, minuteMs, secondMs } from '../fixture.ts'
import { createServiceModel, type Fate, type ModelOperation } from '../service-model.ts'
import { activation, nowMs } from './records.ts'

/** A device with ten hours left on its license. */
async function subscribed(rules: Partial<LicensingRules> = {}, fractionMs = 0) {
  const model = createServiceModel(() => device.clock.now())
  const license = model.addLicense(1)
  const asked: ModelOperation[] = []
  const checkedAtMs: number[] = []
  const fate: { now: Fate } = { now: { kind: 'served' } }
  const service = model.reachedBy((operation) => {
    asked.push(operation)
    checkedAtMs.push(device.elapsedMs())
    return fate.now
  })
  const device = createTestDevice(null, { service, rules })
  // A whole second, because `Date` has no fractions and a check may be repeated within that second.
  license.expiresAtMs = Math.ceil(device.clock.now() / 1000) * 1000 + 10 * hourMs + fractionMs
  await device.core.activate(license.id)
  await device.settled()
  asked.length = 0
  return { device, license, asked, checkedAtMs, fate }
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

  test('and is not renewed has expired, with few checks in its first hour', async () => {
    const { device, asked } = await subscribed()
    await device.elapse(10 * hourMs + 4 * minuteMs)
    expect(device.state).toMatchObject({ status: 'expired', entitled: false })
    expect(asked).toEqual(['validate', 'validate'])
    await device.elapse(56 * minuteMs)
    expect(device.state).toMatchObject({ status: 'expired', entitled: false })
    expect(new Set(asked)).toEqual(new Set(['validate']))
    expect(asked.length).toBeLessThanOrEqual(6)
  })

  test.each([1, 347, 999])(
    '%i ms after a full second has expired three seconds later',
    async (fractionMs) => {
      const { device, asked } = await subscribed({}, fractionMs)
      await device.elapse(10 * hourMs + 3 * secondMs + fractionMs)
      expect(device.state).toMatchObject({
        status: 'expired',
        entitled: false,
        problem: { code: 'license-expired' },
      })
      expect(asked).toEqual(['validate', 'validate'])
    },
  )

  test('right after the user’s own check has expired three seconds later', async () => {
    const { device, asked } = await subscribed({}, 347)
    await device.elapse(10 * hourMs)
    expect(await device.core.validate()).toMatchObject({ status: 'active' })
    await device.elapse(3 * secondMs + 347)
    expect(device.state).toMatchObject({ status: 'expired', entitled: false })
    expect(asked).toEqual(['validate', 'validate', 'validate'])
  })

  test.each([
    ['right after its end', 3 * minuteMs, 4 * minuteMs],
    ['ten minutes after its end', 10 * minuteMs, 15 * minuteMs],
    ['half a day after its end', 12 * hourMs, hourMs],
    ['two days after its end', 2 * dayMs, hourMs],
  ])('and is renewed %s entitles again soon', async (_when, afterMs, lockedMs) => {
    const { device, license } = await subscribed()
    await device.elapse(10 * hourMs + afterMs)
    expect(device.state.status).toBe('expired')
    license.expiresAtMs = device.clock.now() + 30 * dayMs
    await device.elapse(lockedMs)
    expect(device.state).toMatchObject({ status: 'active', entitled: true, problem: null })
  })

  test('and is renewed after a restart entitles again soon, too', async () => {
    const { device, license } = await subscribed()
    await device.elapse(10 * hourMs + 6 * minuteMs)
    expect(await device.launch()).toMatchObject({ status: 'expired' })
    license.expiresAtMs = device.clock.now() + 30 * dayMs
    await device.elapse(10 * minuteMs)
    expect(device.state.status).toBe('active')
  })

  test('and is not renewed is checked less and less often, and after three days only daily', async () => {
    const { device, checkedAtMs } = await subscribed()
    const startMs = device.elapsedMs()
    await device.elapse(10 * hourMs + 3 * dayMs)
    const afterEnd = checkedAtMs.map((atMs) => atMs - startMs - 10 * hourMs).filter((atMs) => atMs >= 0)
    const gaps = afterEnd.slice(1).map((atMs, index) => atMs - (afterEnd[index] ?? 0))
    for (const gap of gaps) expect(gap).toBeGreaterThanOrEqual(5 * minuteMs)
    for (const gap of gaps.slice(5)) expect(gap).toBeGreaterThanOrEqual(45 * minuteMs)
    expect(Math.max(...gaps)).toBeLessThanOrEqual(hourMs)
    expect(afterEnd.length).toBeLessThanOrEqual(100)
    checkedAtMs.length = 0
    await device.elapse(10 * dayMs)
    expect(checkedAtMs.length).toBeLessThanOrEqual(12)
    expect(device.state).toMatchObject({ status: 'expired', entitled: false })
  })

  test.each([
    ['without time for a renewal', { renewalGraceMs: 0 }, 'expired'],
    ['that still covers this build', { releasedAtMs: 0 }, 'active'],
  ])('%s is checked daily as before', async (_what, rules, status) => {
    const { device, asked } = await subscribed(rules)
    await device.elapse(30 * hourMs)
    expect(device.state.status).toBe(status)
    expect(asked.length).toBeLessThanOrEqual(3)
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

describe('an answer that a license has ended', () => {
  const record: ActivationRecord = {
    ...activation,
    verdict: 'expired',
    validAtMs: nowMs - 20 * minuteMs,
  }
  const pauseMs = (expiresAt: string | null, validAtMs = record.validAtMs) =>
    pauseBeforeCheckMs(
      { ...record, validAtMs, license: { ...record.license, expiresAt } },
      { status: 'expired', changesAtMs: null },
      nowMs,
      defaultRules,
    )

  test.each([
    ['half an hour ago', '2029-12-31T23:30:00Z', 30 * minuteMs],
    ['yesterday', '2029-12-31T00:00:00Z', 50 * minuteMs],
    ['just within three days', '2029-12-29T00:00:00.001Z', 50 * minuteMs],
    ['three days ago', '2029-12-29T00:00:00Z', defaultRules.recheckMs],
    ['in a year, by its own date', '2031-01-01', defaultRules.recheckMs],
  ])('%s is checked again in good time', (_when, expiresAt, expectedMs) => {
    expect(pauseMs(expiresAt)).toBe(expectedMs)
  })

  test('but not when counts from the last valid answer, if there was one', () => {
    expect(pauseMs(null)).toBe(20 * minuteMs)
    expect(pauseMs(null, nowMs)).toBe(defaultRules.recheckMs)
  })

  test('is never checked later than the app usually checks', () => {
    const rules = { ...defaultRules, recheckMs: 6 * minuteMs }
    const entitlement = { status: 'expired', changesAtMs: null } as const
    expect(pauseBeforeCheckMs(record, entitlement, nowMs, rules)).toBe(6 * minuteMs)
  })
})
