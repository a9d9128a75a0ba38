import type {
  LicenseSummary,
  LicensingState,
  LicensingStateBase,
  LicensingStatus,
} from '../shared/licensing-state.ts'

/** A state of which you only set what your test needs. */
export interface FakeState extends Partial<Omit<LicensingStateBase, 'license'>> {
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

/**
 * Fills in a state with plausible values. It has a device. If something is activated, it also has a license without an
 * end, with one of three seats in use; otherwise `license` is `null`.
 *
 * @param given what your test needs.
 * @example
 * licensingState({ status: 'grace', graceEndsAt: '2027-03-01T08:00:00.000000Z' })
 */
export function licensingState(given: FakeState = {}): LicensingState {
  const { status: givenStatus, license, trialEndsAt, graceEndsAt, rawStatus, ...own } = given
  const status: LicensingStatus = givenStatus ?? 'unlicensed'
  const isActivated = status !== 'unlicensed' && status !== 'trial'
  const hasLicense = license === undefined ? isActivated : license !== null
  const base: LicensingStateBase = {
    activity: 'idle',
    problem: null,
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
    checkedAt: isActivated ? '2030-01-01T00:00:00.000000Z' : null,
    ...own,
  }
  switch (status) {
    case 'trial':
      return { ...base, status, entitled: true, trialEndsAt: trialEndsAt ?? defaultEnd }
    case 'active':
      return { ...base, status, entitled: true }
    case 'grace':
      return { ...base, status, entitled: true, graceEndsAt: graceEndsAt ?? defaultEnd }
    case 'inactive':
      return { ...base, status, entitled: false, rawStatus: rawStatus ?? 'PAUSED' }
    case 'unlicensed':
    case 'unverified':
    case 'expired':
    case 'not-covered':
    case 'suspended':
    case 'revoked':
      return { ...base, status, entitled: false }
  }
}
