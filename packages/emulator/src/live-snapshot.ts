import { dialects } from './dialects/dialects.ts'
import type { InjectedFault } from './faults/fault-rules.ts'
import type { License, LicenseKey } from './wire.ts'

/** The content of the live page, except the requests. */
export interface LiveSnapshot {
  baseUrl: string
  faceName: string
  dialectName: string
  dialectNames: string[]
  /** The newest ones, newest first. */
  licenses: LiveLicense[]
  licenseCount: number
  faults: InjectedFault[]
  /** Number of requests in the log. */
  requestCount: number
}

/** A license with its keys. */
export interface LiveLicense {
  license: License
  /** The text a user pastes. */
  licenseKey: string
  keys: LicenseKey[]
  condition: 'usable' | 'suspended' | 'expired' | 'inactive'
}

/** Returns a license's condition at `nowMs`. */
export function conditionOf(license: License, nowMs: number): LiveLicense['condition'] {
  if (license.suspended_at !== null) return 'suspended'
  if (license.expires_at !== null && Date.parse(license.expires_at) <= nowMs) return 'expired'
  return license.status === 'ACTIVE' ? 'usable' : 'inactive'
}

/** The dialects that can be selected on the page. */
export const dialectNames: string[] = Object.keys(dialects)
