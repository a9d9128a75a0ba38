import type { Customer, Discount, LicenseKey, Timestamp } from '../wire.ts'

/** A key, with additional data that some services store for a device. */
export interface LicenseKeyData extends LicenseKey {
  details?: Record<string, string> | undefined
}

/** A license with all its data. */
export interface LicenseData {
  id: string
  activation_limit: number
  expires_at: Timestamp | null
  suspended_at: Timestamp | null
  status: string
  created_at: Timestamp
  updated_at: Timestamp
  /** Names of features, for services that know them: the entitlements of Keygen. */
  features?: string[] | undefined
  /** Oldest first. */
  keys: LicenseKeyData[]
  /** Ids of removed keys. */
  removed_key_ids: string[]
}

/** A number of items generated from a seed, or the items themselves. */
export type ItemSource<Item> = { seed: number; count: number } | Item[]

/** All the service's data: the content of a data file. */
export interface EmulatorData {
  version: 1
  licenses: LicenseData[]
  customers: ItemSource<Customer>
  discounts: ItemSource<Discount>
}
