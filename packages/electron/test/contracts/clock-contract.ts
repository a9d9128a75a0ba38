import { describe, expect, test } from 'vitest'
import type { ClockPort } from '../../src/core/ports.ts'

/** A clock under test, and how time passes on it. */
export interface ClockUnderTest {
  readonly clock: ClockPort
  readonly elapse: (ms: number) => Promise<void>
}

/** What every clock promises. */
export function describeClockContract(name: string, make: () => ClockUnderTest): void {
  describe(`the clock port, as ${name} keeps it`, () => {
    test('the wall clock advances while time passes', async () => {
      const { clock, elapse } = make()
      const before = clock.now()
      await elapse(20)
      expect(clock.now()).toBeGreaterThan(before)
    })

    test('monotonic time never runs backwards', async () => {
      const { clock, elapse } = make()
      const before = clock.monotonic()
      expect(clock.monotonic()).toBeGreaterThanOrEqual(before)
      await elapse(20)
      expect(clock.monotonic()).toBeGreaterThan(before)
    })

    test('random numbers are in [0, 1) and vary', () => {
      const { clock } = make()
      const drawn = Array.from({ length: 200 }, () => clock.random())
      expect(drawn.every((number) => number >= 0 && number < 1)).toBe(true)
      expect(new Set(drawn).size).toBeGreaterThan(100)
    })

    test('a timer calls back exactly once, and never synchronously', async () => {
      const { clock, elapse } = make()
      let calls = 0
      clock.after(0, () => {
        calls += 1
      })
      expect(calls).toBe(0)
      await elapse(30)
      await elapse(30)
      expect(calls).toBe(1)
    })

    test('a cancelled timer stays silent, however often it is cancelled', async () => {
      const { clock, elapse } = make()
      let calls = 0
      const cancel = clock.after(5, () => {
        calls += 1
      })
      cancel()
      cancel()
      await elapse(40)
      expect(calls).toBe(0)
    })

    test('cancelling a timer that has fired leaves the others alone', async () => {
      const { clock, elapse } = make()
      const calls: string[] = []
      const cancelFirst = clock.after(0, () => calls.push('first'))
      await elapse(20)
      clock.after(5, () => calls.push('second'))
      cancelFirst()
      await elapse(40)
      expect(calls).toEqual(['first', 'second'])
    })

    test.each([2 ** 31 - 1, 2 ** 31, 90 * 86_400_000])(
      'a delay of %d ms is not cut to nothing',
      async (delayMs) => {
        const { clock, elapse } = make()
        let calls = 0
        const cancel = clock.after(delayMs, () => {
          calls += 1
        })
        await elapse(40)
        cancel()
        expect(calls).toBe(0)
      },
    )
  })
}
