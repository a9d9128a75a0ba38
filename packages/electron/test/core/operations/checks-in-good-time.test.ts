import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type CheckSchedule, createCheckSchedule, recheckWithinGrace } from '../../../src/core/schedule.ts'
import { createFakeClock, type FakeClock } from '../../doubles/fake-clock.ts'
import { createTestDevice, dayMs, hourMs, minuteMs, type TestDevice } from '../fixture.ts'
import { createServiceModel, type Fate } from '../service-model.ts'

/** A device that records the minute of each check. */
interface Scene {
  readonly device: TestDevice
  readonly minutes: number[]
  fate: Fate
}

async function activated(): Promise<Scene> {
  const model = createServiceModel(() => scene.device.clock.now())
  const minutes: number[] = []
  const service = model.reachedBy((operation) => {
    if (operation === 'validate') minutes.push(scene.device.clock.monotonic() / minuteMs)
    return scene.fate
  })
  const scene: Scene = { device: createTestDevice(null, { service }), minutes, fate: { kind: 'served' } }
  await scene.device.launch()
  await scene.device.core.activate(model.addLicense(1).id)
  return scene
}

const failing: Fate = { kind: 'request-lost' }

test('after a success, about once a day, up to a tenth earlier or later', async () => {
  const { device, minutes } = await activated()
  await device.elapse(10 * dayMs)
  const gaps = minutes.map((minute, index) => minute - (minutes[index - 1] ?? 0))
  expect(gaps.length).toBeGreaterThanOrEqual(9)
  for (const gap of gaps) {
    expect(gap).toBeGreaterThanOrEqual(0.9 * 24 * 60)
    expect(gap).toBeLessThanOrEqual(1.1 * 24 * 60)
  }
  expect(new Set(gaps.map((gap) => Math.round(gap))).size).toBeGreaterThan(5)
})

test('after failures, sooner, then less often, at most a day apart', async () => {
  const scene = await activated()
  scene.fate = failing
  await scene.device.launch()
  scene.minutes.length = 0
  await scene.device.elapse(6 * dayMs)
  const gaps = scene.minutes.slice(1).map((minute, index) => minute - (scene.minutes[index] ?? 0))
  expect(scene.minutes[0]).toBeLessThanOrEqual(5.5)
  for (const gap of gaps) expect(gap).toBeGreaterThanOrEqual(5)
  expect(Math.max(...gaps)).toBeLessThanOrEqual(1.1 * 24 * 60)
  expect(gaps.length).toBeLessThan(20)
  expect(gaps.at(-1)).toBeGreaterThan(12 * 60)
})

test('resume and a restored network check immediately, but never twice within five minutes', async () => {
  const { device, minutes } = await activated()
  await device.elapse(hourMs)
  minutes.length = 0
  for (let second = 0; second < 60; second += 1) {
    device.core.check(second % 2 === 0 ? 'resume' : 'online')
    await device.elapse(10_000)
  }
  expect(minutes).toHaveLength(3)
  for (const [index, minute] of minutes.entries()) {
    expect(minute - (minutes[index - 1] ?? -5)).toBeGreaterThanOrEqual(5)
  }
})

test('a trigger within five minutes is delayed until they are over', async () => {
  const { device, minutes } = await activated()
  await device.elapse(hourMs)
  await device.core.validate()
  minutes.length = 0
  device.core.check('resume')
  device.core.check('online')
  await device.settled()
  expect(minutes).toEqual([])
  await device.elapse(5 * minuteMs)
  expect(minutes).toHaveLength(1)
  await device.elapse(hourMs)
  expect(minutes).toHaveLength(1)
})

test('after waking up it checks immediately, even right after the previous check', async () => {
  const { device, minutes } = await activated()
  await device.core.validate()
  minutes.length = 0
  device.sleep(4 * minuteMs)
  device.core.check('resume')
  await device.settled()
  expect(minutes).toEqual([])
  device.sleep(20 * dayMs)
  // Only the resume event shows that the computer slept. Otherwise the clock may have been set.
  device.core.check('online')
  expect(await device.settled()).toMatchObject({ status: 'unverified' })
  expect(minutes).toEqual([])
  device.core.check('resume')
  expect(await device.settled()).toMatchObject({ status: 'active' })
  expect(minutes).toHaveLength(1)
})

test('a check by the user runs immediately', async () => {
  const { device, minutes } = await activated()
  minutes.length = 0
  await device.core.validate()
  await device.core.validate()
  expect(minutes).toHaveLength(2)
})

test('the license in use is checked, however often the user tries to activate another one', async () => {
  const model = createServiceModel(() => device.clock.now())
  let validations = 0
  let isDown = false
  const service = model.reachedBy((operation): Fate => {
    if (operation === 'validate') validations += 1
    return operation === 'activate' && isDown
      ? { kind: 'status', status: 503, isJson: false }
      : { kind: 'served' }
  })
  const device = createTestDevice(null, { service })
  await device.launch()
  await device.core.activate(model.addLicense(1).id)
  const other = model.addLicense(1).id
  isDown = true
  validations = 0
  for (let hour = 0; hour < 30; hour += 0.05) {
    await device.core.activate(other)
    await device.elapse(3 * minuteMs)
  }
  // The first failures are retried soon, and then less often.
  expect(validations).toBeGreaterThanOrEqual(5)
  expect(validations).toBeLessThan(20)
})

interface ScheduleScene {
  readonly asked: CheckSchedule
  readonly clock: FakeClock
  readonly checks: () => number
}

function schedule(): ScheduleScene {
  const clock = createFakeClock()
  let checks = 0
  const asked = createCheckSchedule(clock, dayMs, () => {
    checks += 1
  })
  return { asked, clock, checks: () => checks }
}

describe('Retry-After', () => {
  let scene = schedule()
  beforeEach(() => {
    scene = schedule()
  })
  afterEach(() => expect(scene.clock.waiting.length).toBeLessThanOrEqual(1))

  test('is respected, even if the network returns in the meantime', async () => {
    const { asked, clock, checks } = scene
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
    const { asked, clock, checks } = scene
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

  test('before the first check counts as one', async () => {
    const { asked, checks } = schedule()
    asked.settled(failed, undefined, false)
    asked.request('launch')
    expect(checks()).toBe(0)
  })
})

describe('a schedule', () => {
  test('checks at launch immediately, and for other triggers exactly five minutes later', async () => {
    const { asked, clock, checks } = schedule()
    asked.request('launch')
    expect(checks()).toBe(1)
    asked.request('resume')
    expect(checks()).toBe(1)
    await clock.advance(5 * minuteMs - 1)
    expect(checks()).toBe(1)
    await clock.advance(1)
    expect(checks()).toBe(2)
  })

  test('skips the launch check if another trigger has already checked', async () => {
    const byPerson = schedule()
    byPerson.asked.settled(null)
    byPerson.asked.request('launch')
    expect(byPerson.checks()).toBe(0)
    const byNetwork = schedule()
    byNetwork.asked.request('online')
    byNetwork.asked.request('launch')
    expect(byNetwork.checks()).toBe(1)
    await byNetwork.clock.advance(10 * minuteMs)
    expect(byNetwork.checks()).toBe(1)
  })

  test('keeps an earlier check and moves a later one forward', async () => {
    const { asked, clock, checks } = schedule()
    asked.request('launch')
    asked.settled(null)
    await clock.advance(minuteMs)
    asked.request('resume')
    asked.request('online')
    expect(clock.waiting).toEqual([4 * minuteMs])
    await clock.advance(4 * minuteMs)
    expect(checks()).toBe(2)
  })

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

  test('sends nothing after it is stopped', async () => {
    const { asked, clock, checks } = schedule()
    asked.stop()
    asked.settled(null)
    asked.request('launch')
    asked.request('resume')
    await clock.advance(10 * dayMs)
    expect(checks()).toBe(0)
    expect(clock.waiting).toEqual([])
  })
})

test('the state contains the time of the next attempt, at most a day away', async () => {
  const scene = await activated()
  const { device } = scene
  for (const retryAfterMs of [60_000, 3650 * dayMs]) {
    scene.fate = { kind: 'status', status: 429, isJson: true, retryAfterMs }
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
