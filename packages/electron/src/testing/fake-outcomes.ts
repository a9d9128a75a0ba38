import { checkOptions } from '@latchkey/commerce/options'
import * as z from 'zod/mini'
import { type OfflineProblemCode, offlineProblemMessages } from '../shared/offline-problem.ts'
import { type ProblemCode, problemMessages } from '../shared/problem.ts'
import type { Device, FreedSeat } from '../shared/results.ts'
import { date, type FakeState, oneOf, stateSchema } from './fake-state.ts'

/**
 * The outcome of the next call of a method, for {@link FakeControls.script}. A problem code makes the call fail with
 * that problem. Without one, the call succeeds as the default says.
 */
export interface FakeOutcomes {
  /** @default 'activated', or `empty-text` for blank text */
  readonly activate: 'activated' | ProblemCode
  /** @default 'activated', or `not-activated` without a license */
  readonly reactivate: 'activated' | ProblemCode
  /** @default a request of made-up text */
  readonly createOfflineRequest: 'created' | ProblemCode
  /** @default 'activated' */
  readonly activateOffline: 'activated' | OfflineProblemCode | ProblemCode
  /** @default 'freed', or `not-activated` without a license */
  readonly deactivate: FreedSeat | ProblemCode
  /** The state after the check. @default the state before it */
  readonly validate: FakeState
  /** @default only this device, or `not-activated` without a license */
  readonly devices: readonly Device[] | ProblemCode
  /** @default 'released', or `device-not-found` for a device that was not listed */
  readonly releaseDevice: 'released' | ProblemCode
  /** The report's text. @default 'A report of a fake Licensing.' */
  readonly diagnose: string
}

/** A method whose outcome a test can choose. */
export type FakeVerb = keyof FakeOutcomes

/** The chosen outcomes that no call has used yet, per method in the order they were set. */
export interface FakeScript {
  add<Verb extends FakeVerb>(verb: Verb, outcome: FakeOutcomes[Verb]): void
  take<Verb extends FakeVerb>(verb: Verb): FakeOutcomes[Verb] | undefined
}

const device = z.strictObject({
  id: z.string(),
  label: z.string(),
  activatedAt: date,
  isThisDevice: z.optional(z.boolean()),
} satisfies Record<keyof Device, unknown>)

const freedSeats: readonly string[] = ['freed', 'freed-later', 'not-freed'] satisfies FreedSeat[]
const problemCodes = Object.keys(problemMessages)

/** The outcomes of each method. */
const outcomes: { readonly [Verb in FakeVerb]: z.ZodMiniType } = {
  activate: oneOf(['activated', ...problemCodes]),
  reactivate: oneOf(['activated', ...problemCodes]),
  createOfflineRequest: oneOf(['created', ...problemCodes]),
  activateOffline: oneOf(['activated', ...Object.keys(offlineProblemMessages), ...problemCodes]),
  deactivate: oneOf([...freedSeats, ...problemCodes]),
  validate: stateSchema,
  devices: z.union([z.array(device), oneOf(problemCodes)]),
  releaseDevice: oneOf(['released', ...problemCodes]),
  diagnose: z.string(),
}

/** Whether `deactivate` succeeds with this outcome. */
export function isFreedSeat(outcome: FreedSeat | ProblemCode): outcome is FreedSeat {
  return freedSeats.includes(outcome)
}

export function createFakeScript(): FakeScript {
  const queues: { [Verb in FakeVerb]: FakeOutcomes[Verb][] } = {
    activate: [],
    reactivate: [],
    createOfflineRequest: [],
    activateOffline: [],
    deactivate: [],
    validate: [],
    devices: [],
    releaseDevice: [],
    diagnose: [],
  }
  return {
    add(verb, outcome) {
      checkOptions('script', oneOf(Object.keys(outcomes)), verb)
      checkOptions(`script of ${verb}`, outcomes[verb], outcome)
      queues[verb].push(outcome)
    },
    take: (verb) => queues[verb].shift(),
  }
}
