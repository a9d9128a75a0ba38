import { describe, expect, test } from 'vitest'
import { createCheckSchedule, recheckWithinGrace } from '../../../src/core/schedule.ts'
import { createFakeClock } from '../../doubles/fake-clock.ts'
import { always, dayMs, hourMs, lost, minuteMs, says, scene } from '../fixture.ts'

test('after a success, about once a day, up to a tenth earlier or later', async () => {
  const { device, checkedAtMs } = await scene({ isActivated: true })
  await device.elapse(10 * dayMs)
  const gaps = checkedAtMs.map((atMs, index) => atMs - (checkedAtMs[index - 1] ?? 0))
  expect(gaps.length).toBeGreaterThanOrEqual(9)
  for (const gap of gaps) {
    expect(gap).toBeGreaterThanOrEqual(0.9 * dayMs)
    expect(gap).toBeLessThanOrEqual(1.1 * dayMs)
  }
  expect(new Set(gaps.map((gap) => Math.round(gap / minuteMs))).size).toBeGreaterThan(5)
})

test('after failures, sooner, then less often, at most a day apart', async () => {
  const { device, checkedAtMs } = await scene({ isActivated: true, fates: { every: lost } })
  await device.launch()
  checkedAtMs.length = 0
  await device.elapse(6 * dayMs)
  const gaps = checkedAtMs.slice(1).map((atMs, index) => atMs - (checkedAtMs[index] ?? 0))
  expect(checkedAtMs[0]).toBeLessThanOrEqual(5.5 * minuteMs)
  for (const gap of gaps) expect(gap).toBeGreaterThanOrEqual(5 * minuteMs)
  expect(Math.max(...gaps)).toBeLessThanOrEqual(1.1 * dayMs)
  expect(gaps.length).toBeLessThan(20)
  expect(gaps.at(-1)).toBeGreaterThan(dayMs / 2)
})

test('resume and a restored network check immediately, but never twice within five minutes', async () => {
  const { device, checkedAtMs } = await scene({ isActivated: true })
  await device.elapse(hourMs)
  checkedAtMs.length = 0
  for (let second = 0; second < 60; second += 1) {
    device.core.check(second % 2 === 0 ? 'resume' : 'online')
    await device.elapse(10_000)
  }
  expect(checkedAtMs).toHaveLength(3)
  for (const [index, atMs] of checkedAtMs.entries()) {
    expect(atMs - (checkedAtMs[index - 1] ?? -5 * minuteMs)).toBeGreaterThanOrEqual(5 * minuteMs)
  }
})

test('a trigger within five minutes is delayed until they are over', async () => {
  const { device, checkedAtMs } = await scene({ isActivated: true })
  await device.elapse(hourMs)
  await device.core.validate()
  checkedAtMs.length = 0
  device.core.check('resume')
  device.core.check('online')
  await device.settled()
  expect(checkedAtMs).toEqual([])
  await device.elapse(5 * minuteMs)
  expect(checkedAtMs).toHaveLength(1)
  await device.elapse(hourMs)
  expect(checkedAtMs).toHaveLength(1)
})

test('after waking up it checks immediately, even right after the previous check', async () => {
  const { device, checkedAtMs } = await scene({ isActivated: true })
  await device.core.validate()
  checkedAtMs.length = 0
  device.sleep(4 * minuteMs)
  device.core.check('resume')
  await device.settled()
  expect(checkedAtMs).toEqual([])
  device.sleep(20 * dayMs)
  // Only the resume event shows that the computer slept. Otherwise the clock may have been set.
  device.core.check('online')
  expect(await device.settled()).toMatchObject({ status: 'unverified' })
  expect(checkedAtMs).toEqual([])
  device.core.check('resume')
  expect(await device.settled()).toMatchObject({ status: 'active' })
  expect(checkedAtMs).toHaveLength(1)
})

test('a check by the user runs immediately', async () => {
  const { device, checkedAtMs } = await scene({ isActivated: true })
  checkedAtMs.length = 0
  await device.core.validate()
  await device.core.validate()
  expect(checkedAtMs).toHaveLength(2)
})

test('the license in use is checked, however often the user tries to activate another one', async () => {
  const { model, device, fates, checkedAtMs } = await scene({ isActivated: true })
  const other = model.addLicense(1).id
  fates.activate = always(says(503, false))
  checkedAtMs.length = 0
  for (let hour = 0; hour < 30; hour += 0.05) {
    await device.core.activate(other)
    await device.elapse(3 * minuteMs)
  }
  // The first failures are retried soon, and then less often.
  expect(checkedAtMs.length).toBeGreaterThanOrEqual(5)
  expect(checkedAtMs.length).toBeLessThan(20)
})

function schedule() {
  const clock = createFakeClock()
  let checks = 0
  const asked = createCheckSchedule(clock, dayMs, () => {
    checks += 1
  })
  return { asked, clock, checks: () => checks }
}

describe('Retry-After', () => {
  test('is respected, even if the network returns in the meantime', async () => {
    const { asked, clock, checks } = schedule()
    asked.request('launch')
    asked.settled({ code: 'rate-limited', retryAfterMs: 2 * hourMs })
    await clock.advance(hourMs)
    asked.request('online')
    await clock.advance(hourMs - minuteMs)
    expect(checks()).toBe(1)
    await clock.advance(15 * minuteMs)
    expect(checks()).toBe(2)
  })

  test('of a year is limited to a day', async () => {
    const { asked, clock, checks } = schedule()
    asked.request('launch')
    asked.settled({ code: 'rate-limited', retryAfterMs: 365 * dayMs })
    await clock.advance(dayMs)
    expect(checks()).toBe(2)
  })
})

describe('a failed attempt to activate', () => {
  const failed = { code: 'service-error' } as const

  test('brings the next check forward, and later attempts don’t move it', async () => {
    const { asked, clock, checks } = schedule()
    asked.request('launch')
    asked.settled(null)
    await clock.advance(hourMs)
    asked.settled(failed, undefined, false)
    const [waitMs = 0] = clock.waiting
    expect(waitMs).toBeLessThan(6 * minuteMs)
    await clock.advance(4 * minuteMs)
    asked.settled(failed, undefined, false)
    asked.settled(null, undefined, false)
    expect(clock.waiting).toEqual([waitMs - 4 * minuteMs])
    await clock.advance(2 * minuteMs)
    expect(checks()).toBe(2)
  })

  test('doesn’t make later checks rarer', async () => {
    const { asked, clock } = schedule()
    for (let attempt = 0; attempt < 20; attempt += 1) asked.settled(failed, undefined, false)
    asked.settled(failed)
    expect(clock.waiting[0]).toBeLessThan(12 * minuteMs)
  })

  test('is followed by a check when the service asked for it, even if the network returns sooner', async () => {
    const { asked, clock, checks } = schedule()
    asked.settled({ code: 'rate-limited', retryAfterMs: 2 * hourMs }, undefined, false)
    asked.settled(failed, undefined, false)
    asked.request('online')
    clock.sleep(hourMs)
    asked.request('resume')
    await clock.advance(2 * hourMs - minuteMs)
    expect(checks()).toBe(0)
    asked.request('online')
    await clock.advance(minuteMs)
    expect(checks()).toBe(1)
  })
})

describe('a schedule', () => {
  test('checks at an end at once, but not twice within five minutes, and not after a failure', async () => {
    const { asked, clock, checks } = schedule()
    asked.request('launch')
    asked.settled(null)
    asked.request('end')
    expect(checks()).toBe(2)
    asked.settled(null)
    asked.request('end')
    expect(checks()).toBe(2)
    await clock.advance(5 * minuteMs)
    expect(checks()).toBe(3)
    asked.settled({ code: 'offline' })
    await clock.advance(minuteMs)
    asked.request('end')
    expect(checks()).toBe(3)
  })
})

test('the state contains the time of the next attempt, at most a day away', async () => {
  const { device, fates } = await scene({ isActivated: true })
  for (const retryAfterMs of [60_000, 3650 * dayMs]) {
    fates.validate = [{ kind: 'status', status: 429, isJson: true, retryAfterMs }]
    await device.core.validate()
    const { problem } = device.state
    const waitMs = Date.parse(problem?.retryAt ?? '') - Date.parse(problem?.occurredAt ?? '')
    expect(waitMs).toBe(Math.min(retryAfterMs, dayMs))
  }
})

test.each([
  ['a day of fourteen', dayMs, 14 * dayMs, dayMs],
  ['a week of fourteen days', 7 * dayMs, 14 * dayMs, 7 * dayMs],
  ['a week of seven days', 7 * dayMs, 7 * dayMs, 3.5 * dayMs],
  ['a day of one minute', dayMs, minuteMs, 6 * minuteMs],
  ['five minutes of one minute', 5 * minuteMs, minuteMs, 5 * minuteMs],
  ['a day, without grace', dayMs, 0, dayMs],
])('checks at least twice within grace: %s', (_, recheckMs, graceMs, expectedMs) => {
  expect(recheckWithinGrace(recheckMs, graceMs)).toBe(expectedMs)
})
