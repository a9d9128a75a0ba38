import { randomUUID } from 'node:crypto'
import type { ServiceClock } from '../timestamps.ts'
import type { License } from '../wire.ts'
import type { LicenseData, LicenseKeyData } from './service-data.ts'

/** The fields of a license that can be set. */
export type LicenseFields = Pick<
  LicenseData,
  'activation_limit' | 'expires_at' | 'suspended_at' | 'status' | 'features'
>

/** All licenses and their keys, in memory. Every method is synchronous, so it is atomic under parallel requests. */
export interface LicenseStore {
  get(id: string): LicenseData | undefined
  list(): LicenseData[]
  create(fields: LicenseFields & { id?: string | undefined }): LicenseData
  update(license: LicenseData, fields: Partial<LicenseFields>): void
  delete(license: LicenseData): void
  addKey(license: LicenseData, name: string, details?: Record<string, string>): LicenseKeyData
  /** Returns `false` if the key doesn't exist. */
  removeKey(license: LicenseData, keyId: string): boolean
  /** Replaces all licenses. */
  replaceAll(licenses: readonly LicenseData[]): void
}

/** Creates an empty store. */
export function createLicenseStore(clock: ServiceClock): LicenseStore {
  const licenses = new Map<string, LicenseData>()
  const touch = (license: LicenseData): void => {
    license.updated_at = clock.timestamp()
  }
  return {
    get: (id) => licenses.get(id.toLowerCase()),
    list: () => [...licenses.values()],
    create({ id = randomUUID(), ...fields }) {
      const at = clock.timestamp()
      const license = {
        id: id.toLowerCase(),
        ...fields,
        created_at: at,
        updated_at: at,
        keys: [],
        removed_key_ids: [],
      }
      licenses.set(license.id, license)
      return license
    },
    update(license, fields) {
      Object.assign(license, fields)
      touch(license)
    },
    delete(license) {
      licenses.delete(license.id)
    },
    addKey(license, name, details) {
      const at = clock.timestamp()
      const key = { id: randomUUID(), name, created_at: at, updated_at: at, ...(details && { details }) }
      license.keys.push(key)
      touch(license)
      return key
    },
    removeKey(license, keyId) {
      const index = license.keys.findIndex(({ id }) => id === keyId.toLowerCase())
      if (index === -1) return false
      license.removed_key_ids.push(...license.keys.splice(index, 1).map(({ id }) => id))
      touch(license)
      return true
    },
    replaceAll(replacements) {
      licenses.clear()
      for (const license of structuredClone(replacements)) licenses.set(license.id.toLowerCase(), license)
    },
  }
}

/** Returns a license as the interface shows it. */
export function toWireLicense(license: LicenseData, status: string = license.status): License {
  return {
    id: license.id,
    activation_limit: license.activation_limit,
    expires_at: license.expires_at,
    suspended_at: license.suspended_at,
    status,
    activation_usage: license.keys.length,
    activation_usage_formatted: `${license.keys.length}/${license.activation_limit}`,
    created_at: license.created_at,
    updated_at: license.updated_at,
  }
}

/** The condition of a license, independent of any service. */
export type LicenseCondition = 'usable' | 'suspended' | 'expired' | 'inactive'

/** Returns a license's condition at `nowMs`. Only `ACTIVE` is a usable status. */
export function conditionOf(
  license: Pick<License, 'expires_at' | 'suspended_at' | 'status'>,
  nowMs: number,
): LicenseCondition {
  if (license.suspended_at !== null) return 'suspended'
  if (isExpired(license, nowMs)) return 'expired'
  return license.status === 'ACTIVE' ? 'usable' : 'inactive'
}

/** Whether a license has ended at `nowMs`. */
export function isExpired({ expires_at }: Pick<License, 'expires_at'>, nowMs: number): boolean {
  return expires_at !== null && Date.parse(expires_at) <= nowMs
}
