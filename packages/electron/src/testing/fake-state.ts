import { checkOptions, nearestName } from '@latchkey/commerce/options'
import * as z from 'zod/mini'
import { describeProblem } from '../core/problem.ts'
import type {
  LicenseSummary,
  LicensingActivity,
  LicensingState,
  LicensingStateBase,
  LicensingStatus,
  StorageTier,
} from '../shared/licensing-state.ts'
import { type Problem, type ProblemCode, problemMessages } from '../shared/problem.ts'
import { parseTimestamp } from '../shared/timestamp.ts'

/** A state of which you only set what your test needs. */
export interface FakeState extends Partial<Omit<LicensingStateBase, 'license' | 'problem'>> {
  /** The last problem: its code, or its code with what replaces the usual message and times; `null` for none. */
  readonly problem?: ProblemCode | (Partial<Problem> & { readonly code: ProblemCode }) | null
  /** Facts that replace the usual ones; `null` for no license. */
  readonly license?: Partial<LicenseSummary> | null
  /** The status. `entitled` follows from it. @default 'unlicensed' */
  readonly status?: LicensingStatus
  /** ISO 8601 UTC, for `trial`. @default '2030-01-15T00:00:00.000000Z' */
  readonly trialEndsAt?: string
  /** ISO 8601 UTC, for `grace`. @default '2030-01-15T00:00:00.000000Z' */
  readonly graceEndsAt?: string
  /** The status that the service reports, for `inactive`. @default 'PAUSED' */
  readonly rawStatus?: string
}

const defaultEnd = '2030-01-15T00:00:00.000000Z'
const defaultCheck = '2030-01-01T00:00:00.000000Z'

/** What each status adds to a state. */
const ofStatus: {
  readonly [Status in LicensingStatus]: (
    given: Readonly<Record<'trialEndsAt' | 'graceEndsAt' | 'rawStatus', string | undefined>>,
  ) => Omit<Extract<LicensingState, { status: Status }>, keyof LicensingStateBase>
} = {
  unlicensed: () => ({ status: 'unlicensed', entitled: false }),
  trial: ({ trialEndsAt }) => ({ status: 'trial', entitled: true, trialEndsAt: trialEndsAt ?? defaultEnd }),
  active: () => ({ status: 'active', entitled: true }),
  grace: ({ graceEndsAt }) => ({ status: 'grace', entitled: true, graceEndsAt: graceEndsAt ?? defaultEnd }),
  unverified: () => ({ status: 'unverified', entitled: false }),
  expired: () => ({ status: 'expired', entitled: false }),
  'not-covered': () => ({ status: 'not-covered', entitled: false }),
  suspended: () => ({ status: 'suspended', entitled: false }),
  inactive: ({ rawStatus }) => ({ status: 'inactive', entitled: false, rawStatus: rawStatus ?? 'PAUSED' }),
  revoked: () => ({ status: 'revoked', entitled: false }),
}

/** How many names a message lists if none is near. */
const maxListed = 10

/** Accepts one of several names. A mistyped one is answered with the nearest. */
export function oneOf<Name extends string = string>(names: readonly Name[]): z.ZodMiniType<Name> {
  return z.enum(names, {
    error: ({ input }) => {
      const nearest = typeof input === 'string' ? nearestName(input, names) : null
      const listed = names.slice(0, maxListed).map((name) => `"${name}"`)
      return nearest === null
        ? `must be ${listed.join(' or ')}${names.length > maxListed ? ' or …' : ''}`
        : `must be a documented value (did you mean "${nearest}"?)`
    },
  })
}

/** The code of a problem. */
export const problemCode: z.ZodMiniType<string> = oneOf(Object.keys(problemMessages))

/** `Date.parse` alone also reads texts such as `March 1`. */
function isDateText(given: unknown): boolean {
  return typeof given === 'string' && /^[+-]?\d{4,6}-\d\d-\d\d/u.test(given) && parseTimestamp(given) !== null
}

/** A date as text, if there is one. */
export const date: z.ZodMiniType<string | null | undefined> = z.nullish(
  z.custom<string>(isDateText, "must be an ISO 8601 text, such as '2030-01-15T00:00:00.000000Z'"),
)
const text = z.optional(z.string())
const numberOrNull = z.nullish(z.number())

const licenseSchema = z.strictObject({
  maskedKey: text,
  activationLimit: numberOrNull,
  activationUsage: numberOrNull,
  expiresAt: date,
  isEndUnknown: z.optional(z.boolean()),
  endsSoon: z.optional(z.boolean()),
  licensee: z.nullish(z.string()),
  plan: z.nullish(z.string()),
  features: z.optional(z.array(z.string())),
  validUntil: date,
} satisfies Record<keyof LicenseSummary, unknown>)

const problemSchema = z.strictObject({
  code: problemCode,
  message: text,
  isRetryable: z.optional(z.boolean()),
  occurredAt: date,
  httpStatus: z.optional(z.number()),
  networkError: text,
  source: text,
  retryAt: date,
} satisfies Record<keyof Problem, unknown>)

/** A state from a test, which may run without a type check. */
export const stateSchema: z.ZodMiniType<unknown> = z
  .strictObject({
    status: z.optional(oneOf(Object.keys(ofStatus))),
    // Accepted from a spread state. It always follows from the status.
    entitled: z.optional(z.boolean()),
    activity: z.optional(oneOf<LicensingActivity>(['idle', 'activating', 'validating', 'deactivating'])),
    problem: z.nullish(z.union([problemCode, problemSchema])),
    storage: z.optional(oneOf<StorageTier>(['keychain', 'basic', 'plain', 'memory'])),
    license: z.nullish(licenseSchema),
    device: z.optional(z.unknown()),
    checkedAt: date,
    releaseCode: z.optional(z.unknown()),
    releaseCodes: z.optional(z.unknown()),
    trialEndsAt: date,
    graceEndsAt: date,
    rawStatus: text,
  } satisfies Record<keyof FakeState | keyof LicensingState, unknown>)
  .check(
    z.refine(({ status, entitled }) => status !== undefined || entitled === undefined, {
      path: ['entitled'],
      error: "follows from the status: pass one, such as { status: 'active' }",
    }),
  )

/**
 * Fills in a state with plausible values. It has a device. If something is activated, it also has a license without an
 * end, with one of three seats in use; otherwise `license` is `null`.
 *
 * @param given what your test needs.
 * @throws TypeError if there is no such status, field, problem code, activity or storage.
 * @example
 * licensingState({ status: 'grace', graceEndsAt: '2027-03-01T08:00:00.000000Z' })
 */
export function licensingState(given: FakeState = {}): LicensingState {
  return fakeState('licensingState', given)
}

/** Fills in a state. @param caller the function that got it, for errors. */
export function fakeState(caller: string, given: FakeState): LicensingState {
  checkOptions(caller, stateSchema, given)
  const { status: givenStatus, license, problem = null, trialEndsAt, graceEndsAt, rawStatus, ...own } = given
  const status: LicensingStatus = givenStatus ?? 'unlicensed'
  const isActivated = status !== 'unlicensed' && status !== 'trial'
  const hasLicense = license === undefined ? isActivated : license !== null
  const base: LicensingStateBase = {
    activity: 'idle',
    problem: problem === null ? null : completeProblem(problem),
    storage: 'keychain',
    license: hasLicense
      ? {
          maskedKey: '1f0a••••9c1d',
          activationLimit: 3,
          activationUsage: 1,
          expiresAt: null,
          endsSoon: false,
          plan: null,
          features: [],
          ...license,
        }
      : null,
    device: { label: 'This computer', fingerprint: '0123456789abcdef' },
    checkedAt: isActivated ? defaultCheck : null,
    ...own,
  }
  return { ...base, ...ofStatus[status]({ trialEndsAt, graceEndsAt, rawStatus }) }
}

/** Adds what the real problem of this code has. Its time is always the same, so that tests can compare states. */
function completeProblem(given: NonNullable<FakeState['problem']>): Problem {
  const own = typeof given === 'string' ? { code: given } : given
  return { ...describeProblem({ code: own.code }, Date.parse(defaultCheck)), ...own }
}
