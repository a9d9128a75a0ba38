import { describe, expect, test } from 'vitest'
import { advanceMark, type HighWaterMark } from '../../../src/core/clock.ts'
import { wrapCalls } from '../../doubles/with-call.ts'
import {
  always,
  dayMs,
  hourMs,
  lost,
  type Scene,
  type SceneOptions,
  says,
  scene,
  served,
  type TestDevice,
} from '../fixture.ts'

const yearMs = 365 * dayMs

const activated = (options: SceneOptions = {}) =>
  scene({ endsInMs: 60 * yearMs, isActivated: true, ...options })

/** An activated device that doesn't reach the service anymore. */
const offline = (options: SceneOptions = {}) => activated({ fates: { every: lost }, ...options })

test('a response without a date uses the local trusted time and starts grace', async () => {
  const { device, fates } = await activated({
    wrap: (service) =>
      wrapCalls(service, async (_operation, send) => ({ ...(await send()), serverDateMs: null })),
  })
  expect(Date.parse(device.state.checkedAt ?? '')).toBeGreaterThan(device.clock.now() - hourMs)
  fates.every = lost
  device.sleep(13 * dayMs)
  expect(await device.launch()).toMatchObject({ status: 'grace', entitled: true })
})

test.each([
  ['a clock a year behind triggers a check, and is no problem', -yearMs, served, 'active', null],
  ['offline with a clock a year behind, the problem is the clock', -yearMs, lost, 'grace', 'clock-behind'],
  ['offline with a clock an hour behind, the problem is the network', -hourMs, lost, 'grace', 'offline'],
  [
    'a server error is reported as such, even if the clock is wrong',
    -yearMs,
    says(503),
    'grace',
    'service-error',
  ],
])('%s', async (_what, byMs, fate, status, code) => {
  const { device, setClock } = await activated({ fates: { validate: [fate] } })
  setClock(byMs)
  expect(await device.decide()).toMatchObject({ status: 'active', entitled: true })
  const state = await device.settled()
  expect([state.status, state.problem?.code ?? null]).toEqual([status, code])
})

test('setting the clock back while the app runs triggers one check within an hour', async () => {
  const { device, asked, setClock } = await activated()
  await device.elapse(hourMs)
  asked.length = 0
  setClock(-2 * dayMs)
  await device.elapse(1.5 * hourMs)
  expect(asked).toEqual(['validate'])
  await device.elapse(6 * hourMs)
  expect(asked).toHaveLength(1)
})

test('a clock a year ahead does not end grace early after the service has sent the time', async () => {
  const { device, fates, setClock } = await activated()
  setClock(yearMs)
  expect(await device.launch()).toMatchObject({ status: 'active' })
  fates.every = lost
  device.sleep(13 * dayMs)
  expect(await device.launch()).toMatchObject({ status: 'grace', entitled: true })
  device.sleep(2 * dayMs)
  expect(await device.launch()).toMatchObject({ status: 'unverified', entitled: false })
})

test('correcting a clock that was a year ahead does not extend grace by that year', async () => {
  const { device, fates, setClock } = await activated()
  setClock(yearMs)
  await device.launch()
  await device.quit()
  setClock(-yearMs)
  fates.every = lost
  device.sleep(20 * dayMs)
  expect(await device.launch()).toMatchObject({ status: 'unverified', entitled: false })
})

test.each<[string, (it: Scene) => Promise<unknown>]>([
  ['the list of devices', ({ device }) => device.core.devices()],
  ['a key that is shown and not validated', ({ device }) => device.core.validate()],
  ['a seat that is freed', ({ device }) => device.core.deactivate()],
  ['an activation', ({ device, model }) => device.core.activate(model.addLicense(1).id)],
])('%s also has the time, and corrects the high-water mark', async (_what, ask) => {
  const it = await activated({ fates: { validate: [says(422)] } })
  const { device, setClock } = it
  setClock(yearMs)
  const drift = () => device.core.diagnose().find((line) => line.startsWith('wall clock against'))
  expect(drift()).toMatch(/: -?\d s$/)
  await ask(it)
  expect(drift()).toMatch(/: 3153\d{4} s$/)
})

test('a clock that jumps ahead offline may end grace, until the next response of the service', async () => {
  const { device, fates, setClock } = await offline()
  setClock(yearMs)
  expect(await device.launch()).toMatchObject({ status: 'unverified', entitled: false })
  setClock(-yearMs)
  expect(await device.launch()).toMatchObject({ status: 'unverified', entitled: false })
  fates.every = served
  expect(await device.launch()).toMatchObject({ status: 'active', entitled: true, problem: null })
  fates.every = lost
  device.sleep(13 * dayMs)
  expect(await device.launch()).toMatchObject({ status: 'grace', entitled: true })
})

test('times stored with a clock that was ahead are corrected with it, so grace does not last a year', async () => {
  let hasDate = false
  const { license, device, setClock } = await scene({
    fates: { validate: always(says(503)) },
    wrap: (service) =>
      wrapCalls(service, async (_operation, send) => {
        const outcome = await send()
        return hasDate ? outcome : { ...outcome, serverDateMs: null }
      }),
  })
  setClock(yearMs)
  await device.core.activate(license.id)
  hasDate = true
  // The list is answered, with the time, but the key can't be validated.
  await device.launch()
  await device.core.devices()
  await device.quit()
  device.sleep(15 * dayMs)
  expect(await device.decide()).toMatchObject({ status: 'unverified', entitled: false })
})

describe('the high-water mark', () => {
  const markMs = 1000 * dayMs
  const now = (wallAheadMs: number): HighWaterMark => ({
    atMs: markMs,
    wallMs: markMs + wallAheadMs,
    monotonicMs: 100,
  })
  /** How far the mark moves when the app runs for `runMs` while the wall clock, which is ahead, moves by `movedMs`. */
  const advance = (wallAheadMs: number, movedMs: number, runMs: number): number => {
    const reading = { wallMs: markMs + wallAheadMs + movedMs, monotonicMs: 100 + runMs }
    const mark = advanceMark(now(wallAheadMs), reading)
    expect(mark).toMatchObject(reading)
    return mark.atMs - markMs
  }
  const minuteMs = hourMs / 60

  test.each([
    ['runs with the monotonic clock while the wall clock stands', 0, 0, hourMs, hourMs],
    ['goes on with the wall clock while the computer sleeps', 0, 20 * dayMs, hourMs, 20 * dayMs],
    ['follows a wall clock that is set ahead', 0, yearMs, hourMs, yearMs],
    ['never runs backwards, not even when the monotonic clock does', 0, -50, -50, 0],
    ['only runs while the wall clock is set back', 0, -10 * yearMs, hourMs, hourMs],
    ['goes on with a wall clock that is years behind', -10 * yearMs, dayMs, hourMs, dayMs],
    ['runs while a clock that is behind stands', -10 * yearMs, 0, hourMs, hourMs],
    ['goes on with a clock that catches up by itself', -10 * dayMs, 20 * dayMs, 0, 20 * dayMs],
    [
      'takes a clock that was years behind and put right as it is',
      -10 * yearMs,
      10 * yearMs + dayMs,
      0,
      dayMs,
    ],
    ['leaves out a clock put forward that is still behind', -10 * yearMs, 9 * yearMs, hourMs, hourMs],
    [
      'goes on with a clock that is behind for as long as a computer is off',
      -yearMs,
      30 * dayMs,
      0,
      30 * dayMs,
    ],
    ['and no longer', -yearMs, 30 * dayMs + 1, 0, 0],
    ['is not driven ahead by a system with the wrong time zone', -dayMs, dayMs + hourMs, 0, hourMs],
    ['nor by one that catches up to the moment', -8 * hourMs, 8 * hourMs, 0, 0],
    ['but by time that passes before that', -8 * hourMs, 8 * hourMs - 1, 0, 8 * hourMs - 1],
    ['keeps what it knows of a clock that leads through small corrections', yearMs, -minuteMs, 0, 0],
    ['and through corrections of an hour', yearMs, minuteMs - hourMs, minuteMs, minuteMs],
    ['goes on with a clock that leads', yearMs, 20 * dayMs, 0, 20 * dayMs],
    ['believes a clock that led and was set back as it is', yearMs, 30 * dayMs - yearMs, 0, 30 * dayMs],
    ['and one set back beyond that not at all', yearMs, -2 * yearMs, hourMs, hourMs],
  ])('%s', (_what, wallAheadMs, movedMs, runMs, expectedMs) => {
    expect(advance(wallAheadMs, movedMs, runMs)).toBe(expectedMs)
  })
})

describe('setting the clock back gives no extra time', () => {
  /** On how many days the app can be used for an hour. If it is killed, it ends before it saves on its own. */
  async function daysOfUse(device: TestDevice, end: 'quit' | 'kill', most = 60): Promise<number> {
    const useMs = end === 'quit' ? hourMs : hourMs - 600_000
    for (let days = 0; days < most; days += 1) {
      await device.launch()
      const { entitled } = device.state
      await device.elapse(useMs)
      if (!entitled || !device.state.entitled) return days
      if (end === 'quit') await device.quit()
      else device.kill()
      device.sleep(dayMs - useMs)
    }
    return most
  }

  test.each([
    ['ten years', -10 * yearMs, 'quit'],
    ['ten years, by somebody who always kills the app', -10 * yearMs, 'kill'],
    ['a week', -7 * dayMs, 'quit'],
    ['30 years, before there were licenses', -30 * yearMs, 'kill'],
  ] as const)('set back by %s and used an hour a day, grace lasts for 14 days', async (_what, byMs, end) => {
    const { device, setClock } = await offline()
    setClock(byMs)
    expect(await daysOfUse(device, end)).toBe(14)
  })

  test('even if the app quits within the hour each time', async () => {
    const { device, setClock } = await offline({ rules: { graceMs: 3 * hourMs } })
    setClock(-yearMs)
    const useMs = (5 / 6) * hourMs
    let count = 0
    for (; count < 10 && (await device.launch()).entitled; count += 1) {
      await device.elapse(useMs)
      // As Electron quits: nothing is awaited.
      device.core.finish()
      device.kill()
      setClock(-useMs)
    }
    expect(count * useMs).toBeLessThan(4 * hourMs)
  })
})

test('the time is saved every hour, also while nothing else happens', async () => {
  const { device } = await scene({ rules: { trialMs: 14 * dayMs } })
  await device.elapse(5.5 * hourMs)
  expect((await device.recordOnDisk()).clock.markMs).toBeGreaterThanOrEqual(device.clock.now() - hourMs)
})

test('a computer whose clock resets to 2015 loses no grace when the clock is corrected', async () => {
  const { device, setClock } = await offline()
  const inTheYears = Date.now() - Date.parse('2015-01-01T00:00:00Z')
  for (let day = 0; day < 13; day += 1) {
    setClock(-inTheYears)
    expect(await device.launch()).toMatchObject({ status: 'grace', problem: { code: 'clock-behind' } })
    await device.elapse(hourMs)
    setClock(inTheYears)
    await device.elapse(hourMs)
    await device.quit()
    device.sleep(22 * hourMs)
  }
  expect(await device.launch()).toMatchObject({ status: 'grace', entitled: true })
  device.sleep(2 * dayMs)
  expect(await device.launch()).toMatchObject({ status: 'unverified', entitled: false })
})

test('a dual-boot computer whose systems disagree on the time zone loses no grace', async () => {
  const { device, setClock } = await offline()
  for (let day = 0; day < 12; day += 1) {
    setClock((day % 2 === 0 ? 1 : -1) * 8 * hourMs)
    expect(await device.launch()).toMatchObject({ status: 'grace', entitled: true })
    await device.elapse(hourMs)
    await device.quit()
    device.sleep(23 * hourMs)
  }
  expect(await device.launch()).toMatchObject({ status: 'grace', entitled: true })
})
