import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import * as fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import { createFileStore } from '../../src/main/adapters/file-store.ts'
import { createMemoryStore } from '../doubles/memory-store.ts'
import { skipWaitsBeforeRetries } from '../doubles/skip-waits.ts'
import { type Computer, createSurroundings, type Path } from './surroundings.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs: number = 24 * hourMs

/** What happens to a computer and to its clock. */
type Turn =
  /** The app runs. */
  | { readonly do: 'use' | 'sleep' | 'close-for' | 'set-clock'; readonly ms: number }
  | { readonly do: 'restart' }
  /** One answer comes from the healthy service, with this error in its `Date`; `null` for none. */
  | { readonly do: 'ask'; readonly dateErrorMs: number | null }

const spans = fc.constantFrom(
  5 * minuteMs,
  50 * minuteMs,
  3 * hourMs,
  20 * hourMs,
  2 * dayMs,
  9 * dayMs,
  40 * dayMs,
)
const shifts = fc.constantFrom(
  ...[10 * minuteMs, 5 * hourMs, 3 * dayMs, 15 * dayMs, 400 * dayMs, 730 * dayMs, 3650 * dayMs].flatMap(
    (ms) => [-ms, ms],
  ),
)

/** Turns of a user who is always offline. */
const offlineTurns: fc.Arbitrary<readonly Turn[]> = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: fc.record({ do: fc.constant('use'), ms: spans }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('sleep', 'close-for'), ms: spans }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('set-clock'), ms: shifts }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('restart') }) },
  ),
  { minLength: 1, maxLength: 16 },
)

/** Turns of a user whose clock is always right. */
const honestTurns: fc.Arbitrary<readonly Turn[]> = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('use', 'sleep', 'close-for'), ms: spans }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('restart') }) },
  ),
  { minLength: 1, maxLength: 12 },
)

/** Turns of a user who is online, with any time on the clock and at the service. */
const onlineTurns: fc.Arbitrary<readonly Turn[]> = fc.array(
  fc.oneof(
    { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('use', 'sleep', 'close-for'), ms: spans }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('set-clock'), ms: shifts }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('restart') }) },
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constant('ask'),
        dateErrorMs: fc.oneof(fc.constant(0), fc.constant(null), shifts),
      }),
    },
  ),
  { minLength: 1, maxLength: 12 },
)

interface ClockWorld {
  readonly computer: Computer
  readonly licenseKey: string
  /** Time the app ran and was allowed to, since the last definite answer. */
  readonly usedMs: number
  readonly trueMs: number
  /** Whether the service can be reached. */
  isOnline: boolean
  /** How wrong the `Date` of every answer is; `null` for none. */
  dateErrorMs: number | null
  play(turn: Turn): Promise<void>
  /** Lets time pass while the app is running. */
  use(ms: number): Promise<void>
}

/** One computer with files and a clock, and a service. The files are in memory, because real ones are slow. */
async function withClockWorld<Value>(
  options: {
    readonly path: Path
    readonly endsInMs?: number | null
    readonly trialMs?: number
    readonly clockErrorMs?: number
    readonly files?: 'real' | 'memory'
  },
  run: (world: ClockWorld) => Promise<Value>,
): Promise<Value> {
  const root = mkdtempSync(path.join(tmpdir(), 'latchkey-clock-'))
  const surroundings = await createSurroundings(options.path)
  const { service } = surroundings
  const endsInMs = options.endsInMs === undefined ? 400 * dayMs : options.endsInMs
  const license = service.addLicense({
    expiresAtMs: endsInMs === null ? null : surroundings.nowMs + endsInMs,
  })
  let isOnline = true
  let dateErrorMs: number | null = 0
  let usedMs = 0
  service.dialect = {
    ...service.dialect,
    dated: (answer, nowMs) => dated(answer, nowMs),
  }
  function dated<Answer extends { readonly headers: Readonly<Record<string, string>> }>(
    answer: Answer,
    nowMs: number,
  ): Answer {
    if (dateErrorMs === null) return answer
    return { ...answer, headers: { ...answer.headers, date: new Date(nowMs + dateErrorMs).toUTCString() } }
  }
  const { fetch } = service
  service.fetch = async (request) => {
    if (!isOnline) throw new TypeError('net::ERR_INTERNET_DISCONNECTED')
    return fetch(request)
  }
  let installation = 0
  const computer = surroundings.computer({
    rules: { trialMs: options.trialMs ?? 0 },
    startMs: surroundings.nowMs + (options.clockErrorMs ?? 0),
    store: () => {
      installation += 1
      return options.files === 'memory'
        ? createMemoryStore()
        : createFileStore({ directory: () => path.join(root, String(installation)), name: 'license' })
    },
  })

  async function use(ms: number): Promise<void> {
    for (let leftMs = ms; leftMs > 0; ) {
      const stepMs = Math.min(leftMs, 3 * hourMs)
      const wasEntitled = computer.state.entitled
      await surroundings.elapse(stepMs)
      // Entitlement may have ended during a step, so that step isn't counted.
      if (wasEntitled && computer.state.entitled) usedMs += stepMs
      leftMs -= stepMs
    }
  }

  async function ask(errorMs: number | null): Promise<void> {
    const before = dateErrorMs
    dateErrorMs = errorMs
    await computer.core.validate()
    await computer.settled()
    dateErrorMs = before
  }

  try {
    return await run({
      computer,
      licenseKey: license.id,
      get usedMs() {
        return usedMs
      },
      get trueMs() {
        return surroundings.nowMs
      },
      get isOnline() {
        return isOnline
      },
      set isOnline(value) {
        isOnline = value
      },
      get dateErrorMs() {
        return dateErrorMs
      },
      set dateErrorMs(value) {
        dateErrorMs = value
      },
      use,
      async play(turn) {
        switch (turn.do) {
          case 'use':
            return use(turn.ms)
          case 'sleep':
            computer.clock.sleep(turn.ms)
            return
          case 'close-for':
            await computer.quit()
            await surroundings.elapse(turn.ms)
            await computer.launch()
            return
          case 'set-clock':
            computer.clock.jump(turn.ms)
            return
          case 'restart':
            await computer.launch()
            return
          case 'ask':
            await ask(turn.dateErrorMs)
        }
      },
    })
  } finally {
    await computer.quit()
    rmSync(root, { recursive: true, force: true })
  }
}

const isLong = process.env['LATCHKEY_LONG'] === '1'
const seed = Number(process.env['LATCHKEY_SEED'] ?? 20_261_121)
const graceMs = 14 * dayMs
/** A running app saves the mark and reads the time at least once an hour. */
const toleranceMs = 2 * hourMs

/** Setting the clock back before every launch gains nothing. */
async function setBackDaily(world: ClockWorld): Promise<void> {
  for (let day = 0; day < 30 && world.computer.state.entitled; day += 1) {
    await world.play({ do: 'set-clock', ms: -dayMs })
    await world.play({ do: 'restart' })
    await world.play({ do: 'use', ms: 15 * hourMs })
  }
}

async function check(
  arbitrary: fc.Arbitrary<readonly Turn[]>,
  holds: (turns: readonly Turn[]) => Promise<void>,
): Promise<void> {
  await fc.assert(fc.asyncProperty(arbitrary, holds), {
    numRuns: isLong ? 1000 : 4,
    seed,
    endOnFailure: false,
  })
}

beforeEach(skipWaitsBeforeRetries)

describe.each<Path>(['direct', 'leases'])('%s', (path) => {
  test('offline, no clock extends use beyond grace', () =>
    check(offlineTurns, (turns) =>
      withClockWorld({ path, files: 'memory' }, async (world) => {
        await world.computer.launch()
        await world.computer.core.activate(world.licenseKey)
        expect(world.computer.state.status).toBe('active')
        world.isOnline = false
        for (const turn of turns) await world.play(turn)
        await setBackDaily(world)
        expect(world.usedMs).toBeLessThanOrEqual(graceMs + toleranceMs)
        expect(world.computer.state.entitled).toBe(false)
        world.isOnline = true
        await world.play({ do: 'ask', dateErrorMs: 0 })
        expect(world.computer.state.status).toBe('active')
      }),
    ))

  test('offline with a correct clock, grace lasts as long as configured', () =>
    check(honestTurns, (turns) =>
      withClockWorld({ path, files: 'memory' }, async (world) => {
        await world.computer.launch()
        await world.computer.core.activate(world.licenseKey)
        const startMs = world.computer.clock.now()
        world.isOnline = false
        for (const turn of turns) {
          await world.play(turn)
          await world.computer.settled()
          const goneMs = world.computer.clock.now() - startMs
          const about = `after ${goneMs / hourMs} hours`
          if (goneMs < graceMs - toleranceMs)
            expect([about, world.computer.state.entitled]).toEqual([about, true])
          if (goneMs <= graceMs + toleranceMs) continue
          await world.computer.launch()
          expect([about, world.computer.state.status]).toEqual([about, 'unverified'])
        }
      }),
    ))

  test('online, neither the clock nor a wrong date of the service locks out a device', () =>
    check(onlineTurns, (turns) =>
      withClockWorld({ path, files: 'memory', endsInMs: 100 * 365 * dayMs }, async (world) => {
        await world.computer.launch()
        await world.computer.core.activate(world.licenseKey)
        for (const turn of turns) await world.play(turn)
        await world.play({ do: 'restart' })
        await world.play({ do: 'ask', dateErrorMs: 0 })
        expect(world.computer.state.status).toBe('active')
      }),
    ))
})

describe('a license that ends in a year', () => {
  const errors: readonly (readonly [name: string, clockErrorMs: number, dateErrorMs: number | null])[] = [
    ['a clock two years ahead and no date', 730 * dayMs, null],
    ['a clock two years ahead and the right date', 730 * dayMs, 0],
    ['a clock ten years behind and no date', -3650 * dayMs, null],
    ['a right clock and a date 400 days ahead', 0, 400 * dayMs],
    ['a right clock and a date 400 days behind', 0, -400 * dayMs],
  ]
  test.each(errors)('lets a customer in who is online with %s', (_name, clockErrorMs, dateErrorMs) =>
    withClockWorld({ path: 'direct', endsInMs: 365 * dayMs, clockErrorMs }, async (world) => {
      await world.computer.launch()
      world.dateErrorMs = dateErrorMs
      await world.computer.core.activate(world.licenseKey)
      expect(world.computer.state.entitled).toBe(true)
      await world.play({ do: 'ask', dateErrorMs })
      expect(world.computer.state.entitled).toBe(true)
      await world.play({ do: 'restart' })
      await world.use(3 * hourMs)
      expect(world.computer.state.entitled).toBe(true)
    }),
  )

  test('ends when the service reports its end', () =>
    withClockWorld({ path: 'direct', endsInMs: 2 * dayMs }, async (world) => {
      await world.computer.launch()
      await world.computer.core.activate(world.licenseKey)
      await world.play({ do: 'close-for', ms: 3 * dayMs })
      expect(world.computer.state.status).toBe('expired')
    }))
})

test('a trial lasts as long as configured, however the clock is set', () =>
  check(offlineTurns, (turns) =>
    withClockWorld({ path: 'direct', files: 'memory', trialMs: 14 * dayMs }, async (world) => {
      world.isOnline = false
      await world.computer.launch()
      expect(world.computer.state.status).toBe('trial')
      for (const turn of turns) await world.play(turn)
      await setBackDaily(world)
      expect(world.usedMs).toBeLessThanOrEqual(14 * dayMs + toleranceMs)
      expect(world.computer.state.entitled).toBe(false)
    }),
  ))

test('a trial that starts on a clock a year ahead lasts two weeks once the clock is set right', () =>
  withClockWorld({ path: 'direct', trialMs: 14 * dayMs, clockErrorMs: 365 * dayMs }, async (world) => {
    world.isOnline = false
    await world.computer.launch()
    await world.play({ do: 'set-clock', ms: -365 * dayMs })
    for (let day = 0; day < 60; day += 1) {
      await world.play({ do: 'use', ms: hourMs })
      await world.play({ do: 'close-for', ms: 23 * hourMs })
      if (!world.computer.state.entitled) {
        expect([13, 14, 15]).toContain(day)
        return
      }
    }
    expect.unreachable('the trial never ended')
  }))

describe.each([
  ['grace', 0],
  ['a trial', 14 * dayMs],
])('%s, used an hour a day', (_name, trialMs) => {
  const isTrial = trialMs > 0
  test.each<Path>(isTrial ? ['direct'] : ['direct', 'leases'])(
    '%s: is over in time though the clock was set once',
    (path) =>
      fc.assert(
        fc.asyncProperty(
          fc.constantFrom(-3650, -400, -15, -1, 0, 1, 13).map((days) => days * dayMs),
          fc.integer({ min: 0, max: 12 }),
          async (shiftMs, setOnDay) =>
            withClockWorld({ path, files: 'memory', trialMs }, async (world) => {
              await world.computer.launch()
              if (!isTrial) await world.computer.core.activate(world.licenseKey)
              expect(world.computer.state.entitled).toBe(true)
              world.isOnline = false
              let day = 0
              for (; day < 40 && world.computer.state.entitled; day += 1) {
                if (day === setOnDay) await world.play({ do: 'set-clock', ms: shiftMs })
                await world.play({ do: 'use', ms: hourMs })
                await world.play({ do: 'close-for', ms: 23 * hourMs })
              }
              // At most the night in which the clock is set may be lost.
              expect(day).toBeLessThanOrEqual(16)
              if (shiftMs <= 0) expect(day).toBeGreaterThanOrEqual(13)
            }),
        ),
        { numRuns: isLong ? 84 : 4, seed, endOnFailure: false },
      ),
  )
})
