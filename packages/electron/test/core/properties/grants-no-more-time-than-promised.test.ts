import type { LicenseService, Outcome } from '@latchkey/services'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { RecordRules as LicensingRules } from '../../../src/core/device-record.ts'
import type { Lease } from '../../../src/core/ports.ts'
import { createFakeDevice } from '../../doubles/fake-device.ts'
import { createTestDevice, dayMs, hourMs, type TestDevice } from '../fixture.ts'
import { createServiceModel, type Fate } from '../service-model.ts'

/** One period of using the app, and what happens to the computer after it. */
export interface Stretch {
  /** The user sets the clock while the app is closed. */
  readonly setClosedMs: number
  readonly runMs: number
  /** The user sets the clock while the app runs. */
  readonly setRunningMs: number
  readonly sleepMs: number
  /** The clock is set while the computer sleeps. */
  readonly setAsleepMs: number
  readonly runAgainMs: number
  readonly ends: 'quit' | 'kill'
  readonly closedMs: number
  /** Whether the service answers once in this period. */
  readonly isAnswered: boolean
}

/** What entitles the device, and how the clock is set. */
export interface UseStory {
  readonly by: 'license' | 'ending-license' | 'lease' | 'trial'
  readonly setBeforeFirstStartMs: number
  /** Repeated until nothing entitles the device anymore. */
  readonly stretches: readonly Stretch[]
}

const yearMs = 365 * dayMs
const minuteMs = hourMs / 60

const jumps = fc.oneof(
  { weight: 4, arbitrary: fc.constant(0) },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      ...[-10 * yearMs, -400 * dayMs, -5 * dayMs, -dayMs, -8 * hourMs, -50 * minuteMs],
      ...[50 * minuteMs, 8 * hourMs, dayMs, 10 * yearMs],
    ),
  },
)
const spans = (most: number) => fc.integer({ min: 0, max: most })

export const useStories: fc.Arbitrary<UseStory> = fc.record({
  by: fc.constantFrom<UseStory['by']>('license', 'ending-license', 'lease', 'trial'),
  setBeforeFirstStartMs: jumps,
  stretches: fc.array(
    fc.record({
      setClosedMs: jumps,
      runMs: fc.integer({ min: 10 * minuteMs, max: 10 * hourMs }),
      setRunningMs: jumps,
      sleepMs: fc.oneof(fc.constant(0), spans(12 * hourMs)),
      setAsleepMs: jumps,
      runAgainMs: spans(3 * hourMs),
      ends: fc.constantFrom<Stretch['ends']>('quit', 'kill'),
      closedMs: spans(6 * dayMs),
      isAnswered: fc.oneof(
        { weight: 8, arbitrary: fc.constant(false) },
        { weight: 1, arbitrary: fc.boolean() },
      ),
    }),
    { minLength: 1, maxLength: 5 },
  ),
})

const rules: LicensingRules = {
  graceMs: 3 * dayMs,
  renewalGraceMs: dayMs,
  recheckMs: 6 * hourMs,
  trialMs: 3 * dayMs,
}
const leaseMs = 2 * dayMs
const licenseEndsInMs = 30 * hourMs

/** The `Date` of an answer has whole seconds. */
const secondMs = 2000
/** A running app reads the clock at least this often. */
const lookMs = hourMs
/** A clock that is behind by at most this and catches up counts as corrected. */
const zoneMistakeMs = dayMs

/**
 * Plays a story.
 *
 * @returns what was granted beyond the promise; nothing when all is well.
 */
export async function playUse({
  by,
  setBeforeFirstStartMs,
  stretches,
}: UseStory): Promise<readonly string[]> {
  let realMs = Date.parse('2026-11-01T12:00:00Z')
  const { model, device, answers } = await computer(by, () => realMs)
  const violations: string[] = []
  // Since the last valid answer, or since the trial began.
  let sinceMs = realMs
  let promisedMs = 0
  let usedMs = 0
  // Time that can't be proven: the app was closed or asleep while the clock was set.
  let hiddenMs = 0
  // Time run since the record was last saved, and whether the clock was set since.
  let unsavedMs = 0
  let isSetUnsaved = false
  let writes = 0

  function isPromised(): void {
    sinceMs = realMs
    usedMs = 0
    hiddenMs = device.clock.now() < realMs ? zoneMistakeMs : 0
    promisedMs = Math.min(...promises())
  }

  function promises(): readonly number[] {
    if (by === 'trial') return [rules.trialMs]
    const expiresAtMs = model.licenses[0]?.expiresAtMs ?? null
    // The service reported it as valid after its end, so the clock of this computer contradicts it.
    const endsInMs =
      expiresAtMs === null || realMs >= expiresAtMs ? Number.POSITIVE_INFINITY : expiresAtMs - realMs
    return [
      rules.graceMs,
      endsInMs + rules.renewalGraceMs,
      by === 'lease' ? leaseMs : Number.POSITIVE_INFINITY,
    ]
  }

  function set(ms: number): void {
    if (ms === 0) return
    noteWrites()
    hiddenMs += zoneMistakeMs
    isSetUnsaved = true
    device.clock.jump(ms)
  }

  function unwatched(ms: number): void {
    realMs += ms
    device.sleep(ms)
    if (isSetUnsaved) hiddenMs += ms
  }

  async function run(ms: number): Promise<void> {
    for (let leftMs = ms; leftMs > 0; ) {
      const stepMs = Math.min(leftMs, Math.max(1, device.clock.waiting[0] ?? leftMs))
      if (device.state.entitled) usedMs += stepMs
      unsavedMs += stepMs
      realMs += stepMs
      leftMs -= stepMs
      await device.elapse(stepMs)
      look('running')
    }
  }

  function noteWrites(): void {
    if (device.store.writes > writes) {
      unsavedMs = 0
      isSetUnsaved = false
    }
    writes = device.store.writes
  }

  function look(when: string): void {
    noteWrites()
    if (!device.state.entitled) return
    if (usedMs > promisedMs + secondMs + lost)
      violations.push(`${when}: used for ${usedMs} of ${promisedMs} ms`)
    const lastedMs = realMs - sinceMs
    if (lastedMs > promisedMs + hiddenMs + lookMs + secondMs + lost) {
      violations.push(`${when}: lasted for ${lastedMs} of ${promisedMs} ms, ${hiddenMs} ms of them hidden`)
    }
  }
  let lost = 0

  async function answered(): Promise<void> {
    answers.fate = { kind: 'served' }
    const state = by === 'trial' ? device.state : await device.core.validate()
    answers.fate = { kind: 'request-lost' }
    if (by !== 'trial' && state.status === 'active') isPromised()
  }

  set(setBeforeFirstStartMs)
  await device.launch()
  if (by !== 'trial') {
    answers.fate = { kind: 'served' }
    await device.core.activate(String(model.licenses[0]?.id))
    answers.fate = { kind: 'request-lost' }
  }
  isPromised()

  let wasEntitled = true
  // Without an answer, a device that isn't entitled stays that way.
  for (let count = 0; count < 60 && violations.length === 0 && wasEntitled; count += 1) {
    wasEntitled = count < 3
    for (const stretch of stretches) {
      if (count > 0 || stretch !== stretches[0]) await device.launch()
      look('launched')
      wasEntitled ||= device.state.entitled
      await run(stretch.runMs)
      set(stretch.setRunningMs)
      if (stretch.isAnswered && count < 3) await answered()
      set(stretch.setAsleepMs)
      unwatched(stretch.sleepMs)
      device.core.check('resume')
      await device.settled()
      noteWrites()
      await run(stretch.runAgainMs)
      if (stretch.ends === 'quit') {
        await device.quit()
        isSetUnsaved = false
      } else {
        device.kill()
        lost += unsavedMs
        if (unsavedMs > lookMs + secondMs) violations.push(`nothing was saved for ${unsavedMs} ms`)
      }
      unsavedMs = 0
      set(stretch.setClosedMs)
      unwatched(stretch.closedMs)
    }
  }
  return violations
}

/** A computer with a clock of its own, and a service with the right one. */
async function computer(by: UseStory['by'], realMs: () => number) {
  const model = createServiceModel(realMs)
  const license = model.addLicense(1)
  if (by === 'ending-license') license.expiresAtMs = realMs() + licenseEndsInMs
  const answers: { fate: Fate } = { fate: { kind: 'request-lost' } }
  const service = model.reachedBy(() => answers.fate)
  const { fingerprint } = await createFakeDevice().identify(null)
  const leases = new Map<string, Lease>()

  function signed<Value>(outcome: Outcome<Value>): Outcome<Value> {
    if (outcome.kind !== 'answer') return outcome
    const jws = `lease ${leases.size}`
    const issuedAtMs = Math.floor(realMs() / 1000) * 1000
    leases.set(jws, {
      jws,
      fingerprint,
      isEntitled: true,
      hasEnded: false,
      issuedAtMs,
      expiresAtMs: issuedAtMs + leaseMs,
      license: { expiresAt: null, plan: null, features: [] },
    })
    return { ...outcome, proof: jws }
  }

  const signing: LicenseService = {
    ...service,
    capabilities: { ...service.capabilities, signsItsAnswers: true },
    activate: async (request, call) => signed(await service.activate(request, call)),
    validate: async (request, call) => signed(await service.validate(request, call)),
  }
  const options = {
    rules: { ...rules, trialMs: by === 'trial' ? rules.trialMs : 0 },
    ...(by === 'lease'
      ? {
          service: signing,
          leases: { verify: (jws: string) => leases.get(jws) ?? null, verifyOffline: () => null },
        }
      : { service }),
  }
  const device: TestDevice = createTestDevice(null, options)
  device.clock.jump(realMs() - device.clock.now())
  return { model, device, answers }
}

const numRuns = process.env['LATCHKEY_LONG'] === '1' ? 2_000 : 40
const seed = Number(process.env['LATCHKEY_SEED'] ?? 20_261_101)

// Known and accepted, see docs/security.md: setting the clock hides time in which the app was closed or asleep, and
// killing it hides the time since the record was last saved. All other time of use counts.
test('no clock setting lets the app run longer without a response than allowed', async () => {
  const property = fc.asyncProperty(useStories, async (story) => {
    expect(await playUse(story)).toEqual([])
  })
  await fc.assert(property, { numRuns, seed, endOnFailure: true })
})
