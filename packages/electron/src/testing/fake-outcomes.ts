import { type OfflineProblemCode, offlineProblemMessages } from '../shared/offline-problem.ts'
import { type ProblemCode, problemMessages } from '../shared/problem.ts'
import type { Device, FreedSeat } from '../shared/results.ts'
import { checkDates, checkFields, checkName } from './check-names.ts'
import { checkState, type FakeState } from './fake-state.ts'

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

/** The texts that a method takes besides the codes of problems. */
type OwnOutcome<Verb extends FakeVerb> = Exclude<
  Extract<FakeOutcomes[Verb], string>,
  ProblemCode | OfflineProblemCode
>

/** The methods with an outcome, and how each can succeed. */
const successes: { readonly [Verb in FakeVerb]: Readonly<Record<OwnOutcome<Verb>, true>> } = {
  activate: { activated: true },
  reactivate: { activated: true },
  createOfflineRequest: { created: true },
  activateOffline: { activated: true },
  deactivate: { freed: true, 'freed-later': true, 'not-freed': true },
  validate: {},
  devices: {},
  releaseDevice: { released: true },
  diagnose: {},
}

const deviceFields = Object.keys({
  id: true,
  label: true,
  activatedAt: true,
  isThisDevice: true,
} satisfies Record<keyof Device, true>)

/** Whether `deactivate` succeeds with this outcome. */
export function isFreedSeat(outcome: FreedSeat | ProblemCode): outcome is FreedSeat {
  return Object.keys(successes.deactivate).includes(outcome)
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
      checkName('script', verb, 'one of its methods', Object.keys(successes))
      checkOutcome(verb, outcome)
      queues[verb].push(outcome)
    },
    take: (verb) => queues[verb].shift(),
  }
}

/** @throws TypeError if the method has no such outcome. */
function checkOutcome(verb: FakeVerb, outcome: unknown): void {
  if (verb === 'validate') checkState('script', outcome)
  else if (verb === 'diagnose') checkReport(outcome)
  else if (verb === 'devices' && Array.isArray(outcome)) for (const device of outcome) checkDevice(device)
  else checkName('script', outcome, `an outcome of ${verb}`, outcomeNames(verb))
}

function checkDevice(device: unknown): void {
  if (typeof device !== 'object' || device === null)
    throw new TypeError("script: a device is an object, such as { id: '1', label: 'Studio' }")
  checkFields('script', device, 'a field of a device', deviceFields)
  const { id, label }: { id?: unknown; label?: unknown } = device
  if (typeof id !== 'string' || typeof label !== 'string')
    throw new TypeError('script: id and label of a device are texts')
  checkDates('script', device, ['activatedAt'])
}

function checkReport(outcome: unknown): void {
  if (typeof outcome !== 'string') throw new TypeError('script: the outcome of diagnose is a text')
}

function outcomeNames(verb: FakeVerb): readonly string[] {
  const offlineCodes = verb === 'activateOffline' ? Object.keys(offlineProblemMessages) : []
  return [...Object.keys(successes[verb]), ...offlineCodes, ...Object.keys(problemMessages)]
}
