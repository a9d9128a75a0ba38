import type {
  LicenseSummary,
  LicensingState,
  LicensingStateBase,
} from '../../../src/shared/licensing-state.ts'
import { type Problem, type ProblemCode, problemMessages } from '../../../src/shared/problem.ts'
import type { Device } from '../../../src/shared/results.ts'

export const dayMs = 86_400_000

/** A license key for tests. */
export const licenseKey = '1f0a6f52-7c3e-4b7d-9a51-3d2e8b4f9c1d'
/** Another one. */
export const otherKey = '7c2d91e4-0b5a-4f3e-8d67-aa19c4e2b830'
export const maskedKey = '1f0a••••9c1d'

export const license: LicenseSummary = {
  maskedKey,
  activationLimit: 3,
  activationUsage: 2,
  endsSoon: false,
  plan: null,
  features: [],
  expiresAt: '2031-03-14T12:00:00.000000Z',
}

/** What every state carries, with what a test wants different. */
export function stateBase(base: Partial<LicensingStateBase> = {}): LicensingStateBase {
  return {
    activity: 'idle',
    problem: null,
    storage: 'keychain',
    license: null,
    device: { label: 'Studio MacBook Pro', fingerprint: '0123456789abcdef' },
    checkedAt: null,
    ...base,
  }
}

export function unlicensed(base: Partial<LicensingStateBase> = {}): LicensingState {
  return { ...stateBase(base), status: 'unlicensed', entitled: false }
}

export function active(base: Partial<LicensingStateBase> = {}): LicensingState {
  return { ...stateBase({ license, ...base }), status: 'active', entitled: true }
}

/** In a license's grace, without a connection. */
export function grace(
  base: Partial<LicensingStateBase> = {},
  graceEndsAt = '2030-06-12T00:00:00Z',
): LicensingState {
  const parts = stateBase({ license, problem: problem('offline'), ...base })
  return { ...parts, status: 'grace', entitled: true, graceEndsAt }
}

export function trial(trialEndsAt = '2030-06-12T00:00:00Z'): LicensingState {
  return { ...stateBase(), status: 'trial', entitled: true, trialEndsAt }
}

/** A license that no longer entitles, with the problem that says why. */
export function locked(
  status: 'unverified' | 'expired' | 'not-covered' | 'suspended' | 'inactive' | 'revoked',
  code: ProblemCode | null = null,
  base: Partial<LicensingStateBase> = {},
): LicensingState {
  const parts = stateBase({ license, problem: code && problem(code), ...base })
  return status === 'inactive'
    ? { ...parts, status, entitled: false, rawStatus: 'REFUNDED' }
    : { ...parts, status, entitled: false }
}

export function problem(code: ProblemCode, more: Partial<Problem> = {}): Problem {
  return {
    code,
    message: problemMessages[code],
    isRetryable: false,
    occurredAt: '2030-06-01T09:30:00.000Z',
    ...more,
  }
}

export const devices: readonly Device[] = [
  { id: 'handle-1', label: 'Old ThinkPad', activatedAt: '2028-02-03T10:00:00.000000Z', isThisDevice: false },
  { id: 'handle-2', label: 'Anna’s iMac', activatedAt: '2029-11-20T10:00:00.000000Z', isThisDevice: false },
  {
    id: 'handle-3',
    label: 'build-server-eu-west-1.example.net',
    activatedAt: '2030-05-01T10:00:00.000000Z',
    isThisDevice: false,
  },
]

/** More of them than the list shows at once. */
export const manyDevices: readonly Device[] = [
  ...devices,
  ...[
    'Travel MacBook Air',
    'DESKTOP-7F3K2QX',
    'Meeting Room 2',
    'Studio PC',
    'Linux Workstation',
    'Surface Laptop',
  ].map((label, index) => ({
    id: `handle-${index + 4}`,
    label,
    activatedAt: `2030-06-0${index + 1}T10:00:00.000000Z`,
    isThisDevice: false,
  })),
]
