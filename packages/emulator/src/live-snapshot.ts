import { dialects } from './dialects/dialects.ts'
import type { InjectedFault } from './faults/fault-rules.ts'
import type { License, LicenseKey } from './wire.ts'

/** What the live page shows, but for the requests. */
export interface LiveSnapshot {
  baseUrl: string
  faceName: string
  dialectName: string
  dialectNames: string[]
  /** The newest ones, newest first. */
  licenses: LiveLicense[]
  licenseCount: number
  faults: InjectedFault[]
  /** How many requests the log holds. */
  requestCount: number
}

/** A license with its keys. */
export interface LiveLicense {
  license: License
  /** What a user pastes. */
  licenseKey: string
  keys: LicenseKey[]
  condition: 'usable' | 'suspended' | 'expired' | 'inactive'
}

/** What a license is by its facts, at `nowMs`. */
export function conditionOf(license: License, nowMs: number): LiveLicense['condition'] {
  if (license.suspended_at !== null) return 'suspended'
  if (license.expires_at !== null && Date.parse(license.expires_at) <= nowMs) return 'expired'
  return license.status === 'ACTIVE' ? 'usable' : 'inactive'
}

/** The dialects one can choose on the page. */
export const dialectNames: string[] = Object.keys(dialects)
