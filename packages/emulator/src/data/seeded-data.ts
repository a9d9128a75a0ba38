import { createSeededRandom } from '../seeded-random.ts'
import { formatMicroseconds } from '../timestamps.ts'
import type { EmulatorData, LicenseData } from './emulator-data.ts'
import type { Totals } from './service-data.ts'

const yearMs = 365 * 24 * 60 * 60 * 1000

/** The default end of a license: a year from now. */
export function inOneYear(nowMs: number): string {
  return formatMicroseconds((nowMs + yearMs) * 1000)
}

/** The demo license's id. It only depends on the seed, so that documents can refer to it. */
export function demoLicenseId(seed: number): string {
  return createSeededRandom(seed, 0, 0).uuid()
}

/** Creates one demo license, and lists generated from the seed. */
export function seededData(seed: number, totals: Totals, nowMs: number): EmulatorData {
  return {
    version: 1,
    licenses: [demoLicense(seed, nowMs)],
    customers: { seed, count: totals.customers },
    discounts: { seed, count: totals.discounts },
  }
}

/** Adds a demo license to data without any license. */
export function withDemoLicense(data: EmulatorData, nowMs: number): EmulatorData {
  return data.licenses.length > 0 ? data : { ...data, licenses: [demoLicense(1, nowMs)] }
}

function demoLicense(seed: number, nowMs: number): LicenseData {
  const now = formatMicroseconds(nowMs * 1000)
  return {
    id: demoLicenseId(seed),
    activation_limit: 3,
    expires_at: inOneYear(nowMs),
    suspended_at: null,
    status: 'ACTIVE',
    created_at: now,
    updated_at: now,
    keys: [],
    removed_key_ids: [],
  }
}
