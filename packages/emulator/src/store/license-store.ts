import { randomUUID } from 'node:crypto'
import { createSubscriptions, type Subscriptions } from '../subscriptions.ts'
import type { ServiceClock } from '../timestamps.ts'
import type { License, LicenseKey, Timestamp } from '../wire.ts'

/** A license as the store holds it: what is counted is counted when it is read. */
export interface StoredLicense {
  id: string
  activation_limit: number
  expires_at: Timestamp | null
  suspended_at: Timestamp | null
  status: string
  created_at: Timestamp
  updated_at: Timestamp
  /** Oldest first. */
  keys: LicenseKey[]
  /** Ids of keys that were there once. */
  removedKeyIds: string[]
}

/** The fields of a license that can be set. */
export type LicenseFields = Pick<StoredLicense, 'activation_limit' | 'expires_at' | 'suspended_at' | 'status'>

/** All licenses and their keys, in memory. Every verb is synchronous, and so atomic under parallel requests. */
export interface LicenseStore {
  changes: Subscriptions<void>
  get(id: string): StoredLicense | undefined
  list(): StoredLicense[]
  create(fields: LicenseFields & { id?: string | undefined }): StoredLicense
  update(license: StoredLicense, fields: Partial<LicenseFields>): void
  delete(license: StoredLicense): void
  addKey(license: StoredLicense, name: string): LicenseKey
  /** `false` when there is no such key. */
  removeKey(license: StoredLicense, keyId: string): boolean
  /** Puts these licenses in the place of all others. */
  replaceAll(licenses: readonly StoredLicense[]): void
}

/** A store without licenses. */
export function createLicenseStore(clock: ServiceClock): LicenseStore {
  const changes = createSubscriptions<void>()
  const licenses = new Map<string, StoredLicense>()
  const touch = (license: StoredLicense): void => {
    license.updated_at = clock.timestamp()
    changes.publish()
  }
  return {
    changes,
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
        removedKeyIds: [],
      }
      licenses.set(license.id, license)
      changes.publish()
      return license
    },
    update(license, fields) {
      Object.assign(license, fields)
      touch(license)
    },
    delete(license) {
      licenses.delete(license.id)
      changes.publish()
    },
    addKey(license, name) {
      const at = clock.timestamp()
      const key = { id: randomUUID(), name, created_at: at, updated_at: at }
      license.keys.push(key)
      touch(license)
      return key
    },
    removeKey(license, keyId) {
      const index = license.keys.findIndex(({ id }) => id === keyId.toLowerCase())
      if (index === -1) return false
      license.removedKeyIds.push(...license.keys.splice(index, 1).map(({ id }) => id))
      touch(license)
      return true
    },
    replaceAll(replacements) {
      licenses.clear()
      for (const license of structuredClone(replacements)) licenses.set(license.id.toLowerCase(), license)
      changes.publish()
    },
  }
}

/** A license as the interface shows it. */
export function toWireLicense(license: StoredLicense, status: string = license.status): License {
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
