import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import * as fc from 'fast-check'
import { createFileStore } from '../../src/main/adapters/file-store.ts'
import { createMemoryStore } from '../doubles/memory-store.ts'
import type { Computer } from './computer.ts'
import { createSurroundings, type Path } from './surroundings.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
export const dayMs: number = 24 * hourMs

/** What happens to a computer and to its clock. */
export type Turn =
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
export const offlineTurns: fc.Arbitrary<readonly Turn[]> = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: fc.record({ do: fc.constant('use'), ms: spans }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('sleep', 'close-for'), ms: spans }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('set-clock'), ms: shifts }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('restart') }) },
  ),
  { minLength: 1, maxLength: 16 },
)

/** Turns of a user whose clock is always right. */
export const honestTurns: fc.Arbitrary<readonly Turn[]> = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('use', 'sleep', 'close-for'), ms: spans }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('restart') }) },
  ),
  { minLength: 1, maxLength: 12 },
)

/** Turns of a user who is online, with any time on the clock and at the service. */
export const onlineTurns: fc.Arbitrary<readonly Turn[]> = fc.array(
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

export interface ClockWorld {
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
export async function withClockWorld<Value>(
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
