import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import type { ClockPort } from '../../../src/core/ports.ts'
import { createSystemClock } from '../../../src/main/adapters/time.ts'
import { createFakeClock } from '../../doubles/fake-clock.ts'

/** A clock, and how time passes on it. */
interface ClockUnderTest {
  readonly clock: ClockPort
  readonly elapse: (ms: number) => Promise<void>
}

const clocks: Readonly<Record<string, () => ClockUnderTest>> = {
  'this process': () => ({
    clock: createSystemClock(),
    elapse: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  }),
  'the fake clock of other tests'() {
    const clock = createFakeClock()
    return { clock, elapse: clock.advance }
  },
}

describe.each(Object.entries(clocks))('the clock of %s', (_name, make) => {
  test('runs forward, on the wall and monotonically', async () => {
    const { clock, elapse } = make()
    const before = { wallMs: clock.now(), monotonicMs: clock.monotonic() }
    expect(clock.monotonic()).toBeGreaterThanOrEqual(before.monotonicMs)
    await elapse(20)
    expect(clock.now()).toBeGreaterThan(before.wallMs)
    expect(clock.monotonic()).toBeGreaterThan(before.monotonicMs)
  })

  test('draws random numbers that are in [0, 1) and vary', () => {
    const { clock } = make()
    const drawn = Array.from({ length: 200 }, () => clock.random())
    expect(drawn.every((number) => number >= 0 && number < 1)).toBe(true)
    expect(new Set(drawn).size).toBeGreaterThan(100)
  })

  test('calls a timer back exactly once, never synchronously, and not if it was canceled', async () => {
    const { clock, elapse } = make()
    const calls: string[] = []
    const cancelFired = clock.after(0, () => calls.push('first'))
    const cancel = clock.after(5, () => calls.push('canceled'))
    cancel()
    cancel()
    expect(calls).toEqual([])
    await elapse(30)
    clock.after(5, () => calls.push('second'))
    cancelFired()
    await elapse(40)
    expect(calls).toEqual(['first', 'second'])
  })

  test.each([2 ** 31 - 1, 2 ** 31, 90 * 86_400_000])('cuts no delay of %d ms to nothing', async (delayMs) => {
    const { clock, elapse } = make()
    let calls = 0
    const cancel = clock.after(delayMs, () => {
      calls += 1
    })
    await elapse(40)
    cancel()
    expect(calls).toBe(0)
  })
})

test('a waiting check keeps no process alive', async () => {
  const clockModule = path.resolve(import.meta.dirname, '../../../src/main/adapters/time.ts')
  const script = `
    const { createSystemClock } = await import(${JSON.stringify(clockModule)})
    createSystemClock().after(3_600_000, () => {})
    createSystemClock().after(90 * 86_400_000, () => {})
    process.stdout.write('done')
  `
  const ended = promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
    timeout: 100_000,
  })
  expect((await ended).stdout).toBe('done')
})
