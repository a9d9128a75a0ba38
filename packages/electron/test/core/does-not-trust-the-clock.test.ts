import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { advanceMark, anchorMark, type HighWaterMark, isClockBehind } from '../../src/core/high-water-mark.ts'
import {
  createTestDevice,
  dayMs,
  hourMs,
  startTestService,
  type TestDevice,
  type TestService,
} from './fixture.ts'

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

test('turning the clock back buys no grace', async () => {
  const { device, licenseId } = await activated()
  faults().inject({ fault: 'reset', licenseId })
  device.sleep(13 * dayMs)
  expect(await device.launch()).toMatchObject({ status: 'grace' })
  device.clock.jump(-13 * dayMs)
  await device.launch()
  await device.elapse(2 * dayMs)
  expect(device.state).toMatchObject({ status: 'unverified', entitled: false })
})

test('an answer that names no time is read by the time known here, and starts grace like any other', async () => {
  faults().inject({ fault: 'date-missing' })
  const { device, licenseId } = await activated()
  expect(Date.parse(device.state.checkedAt ?? '')).toBeGreaterThan(device.clock.now() - hourMs)
  faults().inject({ fault: 'reset', licenseId })
  device.sleep(13 * dayMs)
  expect(await device.launch()).toMatchObject({ status: 'grace', entitled: true })
})

test('a clock found behind never locks, and asks for a check that clears it up', async () => {
  const { device } = await activated()
  device.clock.jump(-yearMs)
  expect(await device.decide()).toMatchObject({ status: 'active', entitled: true })
  expect(await device.settled()).toMatchObject({ status: 'active', entitled: true, problem: null })
})

test('offline with the clock behind, the problem names the clock', async () => {
  const { device, licenseId } = await activated()
  faults().inject({ fault: 'reset', licenseId })
  device.clock.jump(-yearMs)
  expect(await device.launch()).toMatchObject({
    status: 'grace',
    entitled: true,
    problem: { code: 'clock-behind', isRetryable: true },
  })
})

test('a service that has trouble is told as that, wherever the clock stands', async () => {
  const { device, licenseId } = await activated()
  faults().inject({ fault: 'status', status: 503, licenseId })
  device.clock.jump(-yearMs)
  expect(await device.launch()).toMatchObject({ status: 'grace', problem: { code: 'service-error' } })
})

test('a clock set back while the app runs asks for one check within the hour', async () => {
  const { device, licenseId } = await activated()
  await device.elapse(hourMs)
  const before = service.asked(licenseId).length
  device.clock.jump(-2 * dayMs)
  await device.elapse(1.5 * hourMs)
  expect(service.asked(licenseId).slice(before)).toEqual(['validate'])
  await device.elapse(6 * hourMs)
  expect(service.asked(licenseId)).toHaveLength(before + 1)
})

test('a clock a year ahead ends no grace early once the service has named the time', async () => {
  const { device, licenseId } = await activated()
  device.clock.jump(yearMs)
  expect(await device.launch()).toMatchObject({ status: 'active' })
  faults().inject({ fault: 'reset', licenseId })
  device.sleep(13 * dayMs)
  expect(await device.launch()).toMatchObject({ status: 'grace', entitled: true })
  device.sleep(2 * dayMs)
  expect(await device.launch()).toMatchObject({ status: 'unverified', entitled: false })
})

test('a clock that led a year and was then put right does not stretch grace by that year', async () => {
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
])('%s names the time as well: the mark comes back to it', async (_what, ask) => {
  const { device, licenseId } = await activated()
  faults().inject({ fault: 'status', status: 422, operation: 'validate', licenseId })
  device.clock.jump(yearMs)
  const drift = () => device.core.diagnose().find((line) => line.startsWith('wall clock against'))
  expect(drift()).toMatch(/: -?\d s$/)
  await ask(device)
  expect(drift()).toMatch(/: 3153\d{4} s$/)
})

test('a clock that jumps ahead offline may end grace, and one answer of the service brings all back', async () => {
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

test('what was remembered under a clock that led is brought back with it: grace lasts no year', async () => {
  const { id: licenseId } = service.newLicense({ expires_at: null })
  const device = createTestDevice(service)
  device.clock.jump(yearMs)
  faults().inject({ fault: 'date-missing', licenseId })
  await device.core.activate(licenseId)
  faults().clear()
  // The list is answered, with the time; the key itself cannot be validated.
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

  test('change nothing: neither state nor mark depends on the zone of the process', async () => {
    const seen: unknown[] = []
    // Across the hour that does not exist, and the one that exists twice, in zones as far apart as they come.
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
        const mark = anchorMark(reading, Date.parse(start))
        const later = { wallMs: reading.wallMs + 2 * hourMs, monotonicMs: 5 + 2 * hourMs }
        outcomes.push(advanceMark(mark, later).atMs, isClockBehind(mark, later))
      }
      const { device } = await activated()
      const { status, entitled } = await device.launch()
      const hours = new Date(Date.parse('2026-07-01T00:00:00Z')).getHours()
      outcomes.push(status, entitled)
      seen.push(outcomes)
      zonesSeen.add(hours)
    }
    expect(new Set(seen.map((outcomes) => JSON.stringify(outcomes))).size).toBe(1)
    // Proof that the zones took effect at all.
    expect(zonesSeen.size).toBeGreaterThan(3)
  })
  const zonesSeen = new Set<number>()
})

describe('the high-water mark', () => {
  const mark: HighWaterMark = { atMs: 1000 * dayMs, monotonicMs: 100, wallAheadMs: 0 }
  const at = (wallMs: number, runMs: number) => ({ wallMs, monotonicMs: 100 + runMs })

  test('runs with the monotonic clock while the wall clock stands or falls back', () => {
    expect(advanceMark(mark, at(1000 * dayMs, hourMs)).atMs).toBe(1000 * dayMs + hourMs)
    expect(advanceMark(mark, at(1 * dayMs, hourMs)).atMs).toBe(1000 * dayMs + hourMs)
  })

  test('follows the wall clock when that is ahead', () => {
    expect(advanceMark(mark, at(1002 * dayMs, hourMs)).atMs).toBe(1002 * dayMs)
  })

  test('never runs backwards, not even when the monotonic clock does', () => {
    expect(advanceMark(mark, at(0, -50)).atMs).toBe(mark.atMs)
  })

  test('keeps what it knows of a clock that leads through small corrections', () => {
    const ahead = { ...mark, wallAheadMs: yearMs }
    const corrected = advanceMark(ahead, at(mark.atMs + yearMs - hourMs / 2, 0))
    expect(corrected).toMatchObject({ atMs: mark.atMs, wallAheadMs: yearMs })
  })

  test('believes a clock that was set back as it is', () => {
    const ahead = { ...mark, wallAheadMs: yearMs }
    const putRight = advanceMark(ahead, at(mark.atMs + 30 * dayMs, 0))
    expect(putRight).toMatchObject({ atMs: mark.atMs + 30 * dayMs, wallAheadMs: 0 })
  })

  test('is an hour ahead before a clock counts as behind', () => {
    expect(isClockBehind(mark, at(mark.atMs - hourMs, 0))).toBe(false)
    expect(isClockBehind(mark, at(mark.atMs - hourMs - 1, 0))).toBe(true)
  })

  test('goes where the service says, also back', () => {
    expect(anchorMark(at(5000, 0), 3000)).toEqual({ atMs: 3000, monotonicMs: 100, wallAheadMs: 2000 })
    expect(anchorMark(at(3000, 0), 5000)).toEqual({ atMs: 5000, monotonicMs: 100, wallAheadMs: 0 })
  })
})
