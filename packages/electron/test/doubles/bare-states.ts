import type { LicensingState } from '../../src/shared/licensing-state.ts'

const common = {
  activity: 'idle',
  problem: null,
  storage: 'plain',
  license: null,
  device: null,
  checkedAt: null,
} as const

/** States without any facts, for tests that only look at the status. */
export const bareStates: Readonly<Record<'unlicensed' | 'active' | 'revoked', LicensingState>> = {
  unlicensed: { ...common, status: 'unlicensed', entitled: false },
  active: { ...common, status: 'active', entitled: true },
  revoked: { ...common, status: 'revoked', entitled: false },
}
