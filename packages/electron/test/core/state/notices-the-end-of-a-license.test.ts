import type { LicenseFacts } from '@latchkey/services'
import { describe, expect, test } from 'vitest'
import { readLicense } from '../../../src/core/answers.ts'
import type { RecordRules } from '../../../src/core/device-record.ts'
import { wrapCalls } from '../../doubles/with-call.ts'
import {
  always,
  dayMs,
  hourMs,
  lost,
  minuteMs,
  type Scene,
  says,
  scene,
  secondMs,
  served,
} from '../fixture.ts'

const endMs = Date.parse('2026-11-01T12:00:00Z')
const expiresAt = '2026-11-01T12:00:00.000000Z'
const yearMs = 365 * dayMs

/** An active license with that end. */
const facts: LicenseFacts = {
  id: 'license-a',
  status: 'active',
  rawStatus: 'ACTIVE',
  endsAtMs: endMs,
  worksAfterEnd: false,
  seatLimit: 3,
  seatsInUse: 1,
  product: null,
  isTest: null,
  plan: null,
}

const signed = {
  jws: 'signed',
  fingerprint: '0123456789abcdef',
  isEntitled: true,
  hasEnded: false,
  issuedAtMs: endMs,
  expiresAtMs: endMs,
}

describe('a response about a license with an end', () => {
  /** The answer's time and the computer's clock, relative to the end, and whether a lease signs that time. */
  test.each([
    ['before the end', -1, -1, false, 'valid'],
    ['at the very end', 0, 0, false, 'expired'],
    ['after it, and the clock is behind by a day', 0, -dayMs, false, 'expired'],
    ['after it, and the clock says otherwise by more than a day', 400 * dayMs, -dayMs - 1, false, 'valid'],
    ['days after it, and so does the clock', 9 * dayMs, 0, false, 'expired'],
    ['after it, two days ahead of a clock that is right', dayMs + hourMs, -23 * hourMs, false, 'valid'],
    ['after it, a day ahead of the clock', hourMs, -23 * hourMs, false, 'expired'],
    ['after it by a signed time, whatever the clock says', 0, -10 * yearMs, true, 'expired'],
    ['before it by a signed time, whatever the clock says', -1, 2 * yearMs, true, 'valid'],
    ['before it, and the clock is years ahead', -1, 2 * yearMs, false, 'valid'],
    ['at no time it names, and the clock is years ahead', null, 2 * yearMs, false, 'valid'],
    ['at no time it names, and the clock is right', null, -1, false, 'valid'],
  ] as const)('that comes %s', (_when, statedMs, wallMs, isSigned, verdict) => {
    const statedAtMs = statedMs === null ? null : endMs + statedMs
    const lease = isSigned ? { ...signed, license: { expiresAt, plan: null, features: [] } } : null
    const read = (told: Partial<LicenseFacts> = {}) =>
      readLicense({ value: { ...facts, ...told }, serverDateMs: statedAtMs }, null, lease, endMs + wallMs)
        .verdict
    expect(read()).toBe(verdict)
    expect(read({ status: 'suspended' })).toBe('suspended')
    if (!isSigned) expect(read({ endsAtMs: 'never' })).toBe('valid')
    // Not entitled in any case. The most reliable time decides the status.
    const isOver = (statedAtMs ?? endMs + wallMs) >= endMs
    expect(read({ status: 'inactive' })).toBe(isOver ? 'expired' : 'inactive')
  })
})

/** A device whose answers have a wrong `Date` or none, with a license that ends in 300 days. */
async function behindProxy() {
  const proxy: { dateOffMs: number | null } = { dateOffMs: 0 }
  const it: Scene = await scene({
    endsInMs: 300 * dayMs,
    isActivated: true,
    wrap: (service) =>
      wrapCalls(service, async (_operation, send) => {
        const outcome = await send()
        if (outcome.kind === 'unavailable' || outcome.serverDateMs === null) return outcome
        const { dateOffMs } = proxy
        return { ...outcome, serverDateMs: dateOffMs === null ? null : outcome.serverDateMs + dateOffMs }
      }),
  })
  await it.device.settled()
  return { ...it, proxy }
}

describe('a paying customer keeps running', () => {
  test('on a computer two years ahead whose responses have no date', async () => {
    const { device, proxy, fates, setClock } = await behindProxy()
    proxy.dateOffMs = null
    setClock(2 * yearMs)
    expect(await device.launch()).toMatchObject({ status: 'active', entitled: true })
    fates.validate = always(lost)
    device.sleep(13 * dayMs)
    expect(await device.launch()).toMatchObject({ status: 'grace', entitled: true })
    device.sleep(2 * dayMs)
    expect(await device.launch()).toMatchObject({ status: 'unverified', entitled: false })
  })

  test('and is checked again within the hour until the times agree', async () => {
    const { device, proxy, asked, setClock } = await behindProxy()
    proxy.dateOffMs = null
    setClock(2 * yearMs)
    await device.launch()
    for (let hour = 0; hour < 5; hour += 1) {
      asked.length = 0
      await device.elapse(hourMs)
      expect(asked.length).toBeGreaterThanOrEqual(1)
      expect(asked.length).toBeLessThanOrEqual(2)
    }
    proxy.dateOffMs = 0
    await device.elapse(hourMs)
    asked.length = 0
    await device.elapse(12 * hourMs)
    expect(asked).toEqual([])
    expect(device.state).toMatchObject({ status: 'active', entitled: true })
  })

  test.each([
    ['400 days ahead', 400],
    ['200 days ahead', 200],
    ['400 days behind', -400],
  ])('during the grace period, and no longer, after one response dated %s', async (_what, days) => {
    const { device, proxy, fates } = await behindProxy()
    await device.elapse(dayMs)
    proxy.dateOffMs = days * dayMs
    await device.core.devices()
    fates.validate = always(lost)
    await device.quit()
    const { activation } = await device.recordOnDisk()
    // Only an answer that confirms the license moves the time forward.
    const validAtMs = (activation?.validAtMs ?? 0) - Math.min(days, 0) * dayMs
    device.sleep(validAtMs + 14 * dayMs - hourMs - device.clock.now())
    expect(await device.launch()).toMatchObject({ status: 'grace', entitled: true })
    device.sleep(2 * hourMs)
    expect(await device.launch()).toMatchObject({ status: 'unverified', entitled: false })
  })

  test.each([400, -400])('when a `Date` that was wrong by %i days is correct again', async (days) => {
    const { device, proxy, fates } = await behindProxy()
    proxy.dateOffMs = days * dayMs
    await device.core.devices()
    await device.quit()
    proxy.dateOffMs = 0
    fates.validate = always(says(503))
    await device.launch()
    await device.core.devices()
    await device.quit()
    expect(await device.launch()).toMatchObject({ status: 'grace', entitled: true })
  })
})

test('an expired license has expired on a computer whose clock is almost right', async () => {
  const { device, license, setClock } = await behindProxy()
  license.expiresAtMs = device.clock.now() - hourMs
  setClock(-20 * hourMs)
  expect(await device.launch()).toMatchObject({ status: 'expired', entitled: false })
})

/** A device with ten hours left on its license. */
async function subscribed(rules: Partial<RecordRules> = {}, fractionMs = 0) {
  const it = await scene({ rules, endsInMs: 10 * hourMs + fractionMs, isActivated: true })
  await it.device.settled()
  it.asked.length = 0
  return it
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

  test('and is not renewed is checked less and less often, and after three days only daily', async () => {
    const { device, checkedAtMs } = await subscribed()
    const startMs = device.clock.monotonic()
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
  test('may have been renewed, so the app runs for three days, and the state has the deadline', async () => {
    const { device, license, fates } = await subscribed()
    const endMs = license.expiresAtMs ?? 0
    fates.every = lost
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
    const { device, fates } = await subscribed()
    fates.every = lost
    device.sleep(3 * dayMs)
    expect(await device.decide()).toMatchObject({ status: 'grace', entitled: true })
    device.sleep(dayMs)
    expect(await device.decide()).toMatchObject({ status: 'expired', entitled: false })
  })

  test('and was renewed continues automatically when the service is back', async () => {
    const { device, license, fates } = await subscribed()
    fates.every = lost
    device.sleep(5 * dayMs)
    expect(await device.launch()).toMatchObject({ status: 'expired', entitled: false })
    license.expiresAtMs = device.clock.now() + 30 * dayMs
    fates.every = served
    expect(await device.launch()).toMatchObject({ status: 'active', entitled: true, problem: null })
  })

  test('has ended at the next launch if there is no grace', async () => {
    const { device, fates } = await subscribed({ graceMs: 0 })
    fates.every = lost
    device.sleep(11 * hourMs)
    expect(await device.decide()).toMatchObject({ status: 'expired', entitled: false })
  })

  test('expires immediately if the service reports it', async () => {
    const { device, fates } = await subscribed()
    fates.every = lost
    await device.elapse(11 * hourMs)
    expect(device.state).toMatchObject({ status: 'grace', entitled: true })
    fates.every = served
    expect(await device.launch()).toMatchObject({ status: 'expired', entitled: false })
    fates.every = lost
    expect(await device.launch()).toMatchObject({ status: 'expired', entitled: false })
  })

  test('is checked right after its end and when the network is back', async () => {
    const { device, asked, fates } = await subscribed()
    fates.every = lost
    await device.elapse(10 * hourMs - 6 * minuteMs)
    asked.length = 0
    await device.elapse(7 * minuteMs)
    expect(asked).toContain('validate')
    fates.every = served
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
    const { device, fates } = await subscribed(rules)
    fates.every = lost
    await device.elapse(10 * hourMs + lastsMs - minuteMs)
    expect(device.state).toMatchObject({ entitled: true })
    await device.elapse(2 * minuteMs)
    expect(device.state).toMatchObject({ status: 'expired', entitled: false })
  })
})

async function licensed(endsInDays: number | null, renewalNoticeDays = 7) {
  const it = await scene({
    rules: { renewalNoticeMs: renewalNoticeDays * dayMs },
    endsInMs: endsInDays === null ? null : endsInDays * dayMs,
    isActivated: true,
  })
  return { ...it, endsSoon: () => it.device.state.license?.endsSoon }
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
    fates.validate = always(lost)
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
