import * as fc from 'fast-check'
import type { Fate } from '../service-model.ts'

/** The two processes of one device, with separate files, like two users of a computer. */
export type Who = 'one' | 'two'

/** What a killed process still completes: nothing, half of a write, or everything in progress. */
export type Survival = 'nothing' | 'half' | 'all'

/** One event, caused by the user, a process, the vendor or chance. */
export type Action =
  | {
      readonly do: 'launch' | 'cancel' | 'deactivate' | 'validate' | 'devices' | 'wake' | 'quit'
      readonly who: Who
    }
  /** The service doesn't know license 2. */
  | { readonly do: 'activate'; readonly who: Who; readonly license: 0 | 1 | 2 }
  | { readonly do: 'kill'; readonly who: Who; readonly survives: Survival }
  | { readonly do: 'elapse'; readonly ms: number }
  /** The user sets the wall clock. */
  | { readonly do: 'set-clock'; readonly who: Who; readonly ms: number }
  | { readonly do: 'disk'; readonly who: Who; readonly works: boolean }
  | { readonly do: 'vendor'; readonly license: 0 | 1; readonly change: VendorChange }
  /** Late requests arrive. */
  | { readonly do: 'arrive' }

export type VendorChange =
  | 'expire-soon'
  | 'suspend'
  | 'expire'
  | 'close'
  | 'reinstate'
  | 'release-this-device'
  | 'fill'
  | 'empty'

/** An action, and how far running operations get before the next one. */
export interface Step {
  readonly action: Action
  /** How many turns are taken. 99 means until nothing is in progress. */
  readonly turns: number
}

/** All random choices of one run. */
export interface Story {
  /** Whether the first process starts out activated. */
  readonly isActivated: boolean
  readonly steps: readonly Step[]
  /** What happens to the first requests. Later ones are served normally. */
  readonly fates: readonly Fate[]
  /** Whose turn it is, modulo the number of waiting processes. After that, the one that has waited longest. */
  readonly turns: readonly number[]
}

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs

/** Which random choices a property allows. */
export interface StoryOptions {
  readonly processes: readonly Who[]
  readonly diskFails: boolean
  /** Whether listing keys may be refused. Then nothing is adopted, which is known and accepted. */
  readonly listingMayBeRefused: boolean
  readonly clockMayBeSet: boolean
}

export function stories(options: StoryOptions): fc.Arbitrary<Story> {
  return fc.record({
    isActivated: fc.boolean(),
    steps: fc.array(steps(options), { minLength: 1, maxLength: 14 }),
    fates: fc.array(fates, { maxLength: 25 }),
    turns: fc.array(fc.nat(3), { maxLength: 60 }),
  })
}

const fates: fc.Arbitrary<Fate> = fc.oneof(
  { weight: 10, arbitrary: fc.constant<Fate>({ kind: 'served' }) },
  {
    weight: 2,
    arbitrary: fc.constantFrom<Fate>({ kind: 'request-lost' }, { kind: 'answer-lost' }, { kind: 'late' }),
  },
  { weight: 1, arbitrary: fc.constant<Fate>({ kind: 'portal' }) },
  {
    weight: 3,
    // A proxy may answer anything, including JSON.
    arbitrary: fc.constantFrom<Fate>(
      ...[400, 401, 403, 404, 407, 409, 410, 422, 429, 500, 503].map(
        (status) => ({ kind: 'status', status, isJson: true }) as const,
      ),
      ...[404, 410].map((status) => ({ kind: 'status', status, isJson: false }) as const),
      ...[403, 502, 504].map((status) => ({ kind: 'status-after', status }) as const),
    ),
  },
)

function steps({ processes, diskFails, clockMayBeSet }: StoryOptions): fc.Arbitrary<Step> {
  const who = fc.constantFrom(...processes)
  const actions: fc.WeightedArbitrary<Action>[] = [
    {
      weight: 6,
      arbitrary: fc.record({ do: fc.constant('activate'), who, license: fc.constantFrom(0, 0, 0, 1, 2) }),
    },
    { weight: 5, arbitrary: fc.record({ do: fc.constantFrom('deactivate', 'validate', 'cancel'), who }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('launch', 'wake', 'devices', 'quit'), who }) },
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constant('kill'),
        who,
        survives: fc.constantFrom('nothing', 'half', 'all'),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constant('elapse'),
        ms: fc.constantFrom(minuteMs, 6 * minuteMs, 12 * minuteMs, dayMs, 10 * dayMs),
      }),
    },
    { weight: 2, arbitrary: fc.constant({ do: 'arrive' }) },
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constant('vendor'),
        license: fc.constantFrom(0, 1),
        change: fc.constantFrom<VendorChange>(
          'suspend',
          'expire',
          'expire-soon',
          'close',
          'reinstate',
          'release-this-device',
          'fill',
          'empty',
        ),
      }),
    },
  ]
  if (diskFails)
    actions.push({ weight: 1, arbitrary: fc.record({ do: fc.constant('disk'), who, works: fc.boolean() }) })
  if (clockMayBeSet) {
    const ms = fc.constantFrom(-400 * dayMs, -dayMs, -minuteMs, minuteMs, dayMs, 20 * dayMs, 400 * dayMs)
    actions.push({ weight: 1, arbitrary: fc.record({ do: fc.constant('set-clock'), who, ms }) })
  }
  const turns = fc.oneof({ weight: 3, arbitrary: fc.constant(99) }, { weight: 4, arbitrary: fc.nat(12) })
  return fc.record({ action: fc.oneof(...actions), turns })
}
