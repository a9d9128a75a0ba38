import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { advanceMark, type HighWaterMark } from '../../../src/core/clock.ts'
import {
  createTestDevice,
  dayMs,
  hourMs,
  startTestService,
  type TestDevice,
  type TestService,
} from '../fixture.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
beforeEach(() => service.emulator.control.reset())
afterAll(() => service.emulator.close())

const faults = () => service.emulator.control.faults
const yearMs = 365 * dayMs

async function activated(): Promise<{ device: TestDevice; licenseId: string }> {
  const { id: licenseId } = service.newLicense({ expires_at: '2090-01-01T00:00:00.000000Z' })
  const device = createTestDevice(service)
  await device.launch()
  await device.core.activate(licenseId)
  return { device, licenseId }
}

test('setting the clock back does not extend grace', async () => {
  const { device, licenseId } = await activated()
  faults().inject({ fault: 'reset', licenseId })
  device.sleep(13 * dayMs)
  expect(await device.launch()).toMatchObject({ status: 'grace' })
  device.clock.jump(-13 * dayMs)
  await device.launch()
  await device.elapse(2 * dayMs)
  expect(device.state).toMatchObject({ status: 'unverified', entitled: false })
})

test('a response without a date uses the local trusted time and starts grace', async () => {
  faults().inject({ fault: 'date-missing' })
  const { device, licenseId } = await activated()
  expect(Date.parse(device.state.checkedAt ?? '')).toBeGreaterThan(device.clock.now() - hourMs)
  faults().inject({ fault: 'reset', licenseId })
  device.sleep(13 * dayMs)
  expect(await device.launch()).toMatchObject({ status: 'grace', entitled: true })
})

test('a clock that is behind never locks the app and triggers a check', async () => {
  const { device } = await activated()
  device.clock.jump(-yearMs)
  expect(await device.decide()).toMatchObject({ status: 'active', entitled: true })
  expect(await device.settled()).toMatchObject({ status: 'active', entitled: true, problem: null })
})

test('offline with a clock that is behind, the problem is the clock', async () => {
  const { device, licenseId } = await activated()
  faults().inject({ fault: 'reset', licenseId })
  device.clock.jump(-yearMs)
  expect(await device.launch()).toMatchObject({
    status: 'grace',
    entitled: true,
    problem: { code: 'clock-behind', isRetryable: true },
  })
})

test('offline with a clock that is an hour behind, the problem is the network', async () => {
  const { device, licenseId } = await activated()
  faults().inject({ fault: 'reset', licenseId })
  device.clock.jump(-hourMs)
  expect(await device.launch()).toMatchObject({ status: 'grace', problem: { code: 'offline' } })
})

test('a server error is reported as such, even if the clock is wrong', async () => {
  const { device, licenseId } = await activated()
  faults().inject({ fault: 'status', status: 503, licenseId })
  device.clock.jump(-yearMs)
  expect(await device.launch()).toMatchObject({ status: 'grace', problem: { code: 'service-error' } })
})

test('setting the clock back while the app runs triggers one check within an hour', async () => {
  const { device, licenseId } = await activated()
  await device.elapse(hourMs)
  const before = service.asked(licenseId).length
  device.clock.jump(-2 * dayMs)
  await device.elapse(1.5 * hourMs)
  expect(service.asked(licenseId).slice(before)).toEqual(['validate'])
  await device.elapse(6 * hourMs)
  expect(service.asked(licenseId)).toHaveLength(before + 1)
})

test('a clock a year ahead does not end grace early after the service has sent the time', async () => {
  const { device, licenseId } = await activated()
  device.clock.jump(yearMs)
  expect(await device.launch()).toMatchObject({ status: 'active' })
  faults().inject({ fault: 'reset', licenseId })
  device.sleep(13 * dayMs)
  expect(await device.launch()).toMatchObject({ status: 'grace', entitled: true })
  device.sleep(2 * dayMs)
  expect(await device.launch()).toMatchObject({ status: 'unverified', entitled: false })
})

test('correcting a clock that was a year ahead does not extend grace by that year', async () => {
  const { device, licenseId } = await activated()
  device.clock.jump(yearMs)
  await device.launch()
  await device.quit()
  device.clock.jump(-yearMs)
  faults().inject({ fault: 'reset', licenseId })
  device.sleep(20 * dayMs)
  expect(await device.launch()).toMatchObject({ status: 'unverified', entitled: false })
})

test.each([
  ['the list of devices', (device: TestDevice) => device.core.devices()],
  ['a key that is shown and not validated', (device: TestDevice) => device.core.validate()],
  ['a seat that is freed', (device: TestDevice) => device.core.deactivate()],
  [
    'an activation',
    (device: TestDevice) => {
      faults().inject({ fault: 'status', status: 403, operation: 'keys' })
      return device.core.activate(service.newLicense().id)
    },
  ],
])('%s also has the time, and corrects the high-water mark', async (_what, ask) => {
  const { device, licenseId } = await activated()
  faults().inject({ fault: 'status', status: 422, operation: 'validate', licenseId })
  device.clock.jump(yearMs)
  const drift = () => device.core.diagnose().find((line) => line.startsWith('wall clock against'))
  expect(drift()).toMatch(/: -?\d s$/)
  await ask(device)
  expect(drift()).toMatch(/: 3153\d{4} s$/)
})

test('a clock that jumps ahead offline may end grace, until the next response of the service', async () => {
  const { device, licenseId } = await activated()
  faults().inject({ fault: 'reset', licenseId })
  device.clock.jump(yearMs)
  expect(await device.launch()).toMatchObject({ status: 'unverified', entitled: false })
  device.clock.jump(-yearMs)
  expect(await device.launch()).toMatchObject({ status: 'unverified', entitled: false })
  faults().clear()
  expect(await device.launch()).toMatchObject({ status: 'active', entitled: true, problem: null })
  faults().inject({ fault: 'reset', licenseId })
  device.sleep(13 * dayMs)
  expect(await device.launch()).toMatchObject({ status: 'grace', entitled: true })
})

test('times stored with a clock that was ahead are corrected with it, so grace does not last a year', async () => {
  const { id: licenseId } = service.newLicense({ expires_at: null })
  const device = createTestDevice(service)
  device.clock.jump(yearMs)
  faults().inject({ fault: 'date-missing', licenseId })
  await device.core.activate(licenseId)
  faults().clear()
  // The list is answered, with the time, but the key can't be validated.
  faults().inject({ fault: 'status', status: 503, operation: 'validate', licenseId })
  await device.launch()
  await device.core.devices()
  await device.quit()
  device.sleep(15 * dayMs)
  expect(await device.decide()).toMatchObject({ status: 'unverified', entitled: false })
})

describe('time zones and daylight saving', () => {
  afterEach(() => {
    vi.unstubAllEnvs()
  })

  test('have no effect on the state or the high-water mark', async () => {
    const seen: unknown[] = []
    // Covers both daylight saving changes, in time zones that are as far apart as possible.
    for (const zone of [
      'UTC',
      'Pacific/Kiritimati',
      'Pacific/Niue',
      'Europe/Berlin',
      'Australia/Lord_Howe',
    ]) {
      vi.stubEnv('TZ', zone)
      const outcomes: unknown[] = []
      for (const start of ['2026-03-29T00:59:59Z', '2026-10-25T00:30:00Z', '2026-10-24T15:00:00Z']) {
        const reading = { wallMs: Date.parse(start), monotonicMs: 5 }
        const later = { wallMs: reading.wallMs + 2 * hourMs, monotonicMs: 5 + 2 * hourMs }
        outcomes.push(advanceMark({ ...reading, atMs: reading.wallMs }, later).atMs)
      }
      const { device } = await activated()
      const { status, entitled } = await device.launch()
      const hours = new Date(Date.parse('2026-07-01T00:00:00Z')).getHours()
      outcomes.push(status, entitled)
      seen.push(outcomes)
      zonesSeen.add(hours)
    }
    expect(new Set(seen.map((outcomes) => JSON.stringify(outcomes))).size).toBe(1)
    // Proves that the time zones took effect.
    expect(zonesSeen.size).toBeGreaterThan(3)
  })
  const zonesSeen = new Set<number>()
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
    const { device, licenseId } = await activated()
    faults().inject({ fault: 'reset', licenseId })
    device.clock.jump(byMs)
    expect(await daysOfUse(device, end)).toBe(14)
  })

  test('even if it is set back every week', async () => {
    const { device, licenseId } = await activated()
    faults().inject({ fault: 'reset', licenseId })
    let days = 0
    for (let week = 0; week < 4; week += 1) {
      device.clock.jump(-yearMs)
      days += await daysOfUse(device, 'quit', 7)
    }
    // Each time, the hours since the app last ran aren't seen.
    expect(days).toBeGreaterThanOrEqual(14)
    expect(days).toBeLessThanOrEqual(18)
  })

  test('even if the app quits within the hour each time', async () => {
    const { id: licenseId } = service.newLicense()
    const device = createTestDevice(service, { rules: { graceMs: 3 * hourMs } })
    await device.launch()
    await device.core.activate(licenseId)
    faults().inject({ fault: 'reset', licenseId })
    device.clock.jump(-yearMs)
    const useMs = (5 / 6) * hourMs
    let count = 0
    for (; count < 10 && (await device.launch()).entitled; count += 1) {
      await device.elapse(useMs)
      // As Electron quits: nothing is awaited.
      device.core.finish()
      device.kill()
      device.clock.jump(-useMs)
    }
    expect(count * useMs).toBeLessThan(4 * hourMs)
  })

  test('even if it is set ahead and back again', async () => {
    const { device, licenseId } = await activated()
    faults().inject({ fault: 'reset', licenseId })
    device.clock.jump(10 * dayMs)
    await device.launch()
    await device.quit()
    device.clock.jump(-10 * dayMs)
    expect(await daysOfUse(device, 'quit')).toBeLessThanOrEqual(4)
  })

  test('a 14-day trial that began on a clock a year ahead lasts 14 days', async () => {
    for (const end of ['quit', 'kill'] as const) {
      const device = createTestDevice(service, { rules: { trialMs: 14 * dayMs } })
      device.clock.jump(yearMs)
      await device.launch()
      await device.quit()
      device.clock.jump(-yearMs)
      expect(await daysOfUse(device, end)).toBe(14)
      expect(device.state).toMatchObject({ status: 'unlicensed', problem: { code: 'trial-over' } })
    }
  })
})

test('the time is saved every hour, however often the network changes', async () => {
  const device = createTestDevice(service, { rules: { trialMs: 14 * dayMs } })
  await device.launch()
  for (let minutes = 0; minutes < 300; minutes += 20) {
    device.core.check('online')
    await device.elapse(hourMs / 3)
  }
  expect((await device.recordOnDisk()).clock.markMs).toBeGreaterThanOrEqual(device.clock.now() - hourMs)
})

test('a computer whose clock resets to 2015 loses no grace when the clock is corrected', async () => {
  const { device, licenseId } = await activated()
  faults().inject({ fault: 'reset', licenseId })
  const inTheYears = Date.now() - Date.parse('2015-01-01T00:00:00Z')
  for (let day = 0; day < 13; day += 1) {
    device.clock.jump(-inTheYears)
    expect(await device.launch()).toMatchObject({ status: 'grace', problem: { code: 'clock-behind' } })
    await device.elapse(hourMs)
    device.clock.jump(inTheYears)
    await device.elapse(hourMs)
    await device.quit()
    device.sleep(22 * hourMs)
  }
  expect(await device.launch()).toMatchObject({ status: 'grace', entitled: true })
  device.sleep(2 * dayMs)
  expect(await device.launch()).toMatchObject({ status: 'unverified', entitled: false })
})

test('a dual-boot computer whose systems disagree on the time zone loses no grace', async () => {
  const { device, licenseId } = await activated()
  faults().inject({ fault: 'reset', licenseId })
  for (let day = 0; day < 12; day += 1) {
    device.clock.jump((day % 2 === 0 ? 1 : -1) * 8 * hourMs)
    expect(await device.launch()).toMatchObject({ status: 'grace', entitled: true })
    await device.elapse(hourMs)
    await device.quit()
    device.sleep(23 * hourMs)
  }
  expect(await device.launch()).toMatchObject({ status: 'grace', entitled: true })
})
