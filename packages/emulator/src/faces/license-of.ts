import type { LicenseData } from '../data/emulator-data.ts'
import type { ServiceState } from '../service/service-state.ts'

/** The current condition of a license, independent of any service. */
export type LicenseCondition = 'usable' | 'suspended' | 'expired' | 'inactive'

/** Finds the license of a key text, compared exactly. */
export function licenseOfKey(
  state: ServiceState,
  licenseKeyOf: (licenseId: string) => string,
  licenseKey: unknown,
): LicenseData | null {
  return state.data.licenses.list().find(({ id }) => licenseKeyOf(id) === licenseKey) ?? null
}

export function conditionOfLicense(state: ServiceState, license: LicenseData): LicenseCondition {
  if (license.suspended_at !== null) return 'suspended'
  if (license.expires_at !== null && Date.parse(license.expires_at) <= state.clock.nowMs()) return 'expired'
  return license.status === 'ACTIVE' || license.status === 'INACTIVE' ? 'usable' : 'inactive'
}

/** Derives a number from a UUID, for services with numeric ids. */
export function numberOf(id: string): number {
  return Number.parseInt(id.replaceAll('-', '').slice(0, 8), 16)
}
