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
import { checkDates, checkFields, checkName } from './check-names.ts'

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

/** `entitled` is accepted from a spread state. It always follows from the status. */
const stateFields = Object.keys({
  status: true,
  entitled: true,
  activity: true,
  problem: true,
  storage: true,
  license: true,
  device: true,
  checkedAt: true,
  releaseCode: true,
  releaseCodes: true,
  trialEndsAt: true,
  graceEndsAt: true,
  rawStatus: true,
} satisfies Record<keyof FakeState | keyof LicensingState, true>)

const licenseFields = Object.keys({
  maskedKey: true,
  activationLimit: true,
  activationUsage: true,
  expiresAt: true,
  isEndUnknown: true,
  endsSoon: true,
  plan: true,
  licensee: true,
  features: true,
  validUntil: true,
} satisfies Record<keyof LicenseSummary, true>)

const problemFields = Object.keys({
  code: true,
  message: true,
  isRetryable: true,
  occurredAt: true,
  httpStatus: true,
  networkError: true,
  retryAt: true,
} satisfies Record<keyof Problem, true>)

const activities = Object.keys({
  idle: true,
  activating: true,
  validating: true,
  deactivating: true,
} satisfies Record<LicensingActivity, true>)

const storageTiers = Object.keys({
  keychain: true,
  basic: true,
  plain: true,
  memory: true,
} satisfies Record<StorageTier, true>)

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
  checkState(caller, given)
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

/** @throws TypeError if this is no state. @param caller the function that got it. */
export function checkState(caller: string, given: unknown): void {
  if (typeof given !== 'object' || given === null)
    throw new TypeError(`${caller}: a state is an object, such as { status: 'active' }`)
  const inLicense = Object.keys(given).find((name) => licenseFields.includes(name))
  if (inLicense !== undefined)
    throw new TypeError(
      `${caller}: "${inLicense}" is a field of the license: pass { license: { ${inLicense} } } in the state`,
    )
  checkFields(caller, given, 'a field of the state', stateFields)
  const { status, entitled, license, problem, activity, storage }: Unchecked = given
  if (status !== undefined) checkName(caller, status, 'a status', Object.keys(ofStatus))
  if (status === undefined && entitled !== undefined)
    throw new TypeError(`${caller}: entitled follows from the status: pass one, such as { status: 'active' }`)
  if (activity !== undefined) checkName(caller, activity, 'an activity', activities)
  if (storage !== undefined) checkName(caller, storage, 'a storage', storageTiers)
  checkDates(caller, given, ['trialEndsAt', 'graceEndsAt', 'checkedAt'])
  checkProblem(caller, problem)
  checkLicense(caller, license)
}

/** A state from a test without a type check. */
type Unchecked = {
  readonly [Name in 'status' | 'entitled' | 'license' | 'problem' | 'activity' | 'storage']?: unknown
}

function checkProblem(caller: string, problem: unknown): void {
  if (problem === undefined || problem === null) return
  const isObject = typeof problem === 'object'
  if (isObject) {
    checkFields(caller, problem, 'a field of the problem', problemFields)
    checkDates(caller, problem, ['occurredAt', 'retryAt'])
  }
  const code: unknown = isObject ? Reflect.get(problem, 'code') : problem
  checkName(caller, code, 'a problem code', Object.keys(problemMessages))
}

function checkLicense(caller: string, license: unknown): void {
  if (typeof license !== 'object' || license === null) return
  checkFields(caller, license, 'a field of the license', licenseFields)
  checkDates(caller, license, ['expiresAt', 'validUntil'])
  const { features }: { features?: unknown } = license
  if (features !== undefined && !Array.isArray(features))
    throw new TypeError(`${caller}: features of the license is an array, such as ['export']`)
  for (const [name, [kind, isKind]] of Object.entries(licenseValues)) {
    const value: unknown = Reflect.get(license, name)
    if (value !== undefined && !isKind(value))
      throw new TypeError(`${caller}: ${name} of the license is ${kind}`)
  }
}

type Kind = readonly [name: string, isKind: (value: unknown) => boolean]

const numberOrNull: Kind = ['a number or null', (value) => value === null || typeof value === 'number']

/** The values of a license besides its dates and features. */
const licenseValues: { readonly [Name in keyof LicenseSummary]?: Kind } = {
  maskedKey: ['a text', (value) => typeof value === 'string'],
  activationLimit: numberOrNull,
  activationUsage: numberOrNull,
  endsSoon: ['true or false', (value) => typeof value === 'boolean'],
  plan: ['a text or null', (value) => value === null || typeof value === 'string'],
  licensee: ['a text', (value) => typeof value === 'string'],
}

/** Adds what the real problem of this code has. Its time is always the same, so that tests can compare states. */
function completeProblem(given: NonNullable<FakeState['problem']>): Problem {
  const own = typeof given === 'string' ? { code: given } : given
  return { ...describeProblem({ code: own.code }, Date.parse(defaultCheck)), ...own }
}
