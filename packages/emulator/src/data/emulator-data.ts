import type { Customer, Discount, LicenseKey, Timestamp } from '../wire.ts'

/** A key, and what some services remember of a device besides its name. */
export interface LicenseKeyData extends LicenseKey {
  details?: Record<string, string> | undefined
}

/** A license with all that belongs to it. */
export interface LicenseData {
  id: string
  activation_limit: number
  expires_at: Timestamp | null
  suspended_at: Timestamp | null
  status: string
  created_at: Timestamp
  updated_at: Timestamp
  /** Oldest first. */
  keys: LicenseKeyData[]
  /** Ids of keys that were there once. */
  removed_key_ids: string[]
}

/** So many items made from a seed, or the items themselves. */
export type ItemSource<Item> = { seed: number; count: number } | Item[]

/** Everything the service knows: what lies in a data file. */
export interface EmulatorData {
  version: 1
  licenses: LicenseData[]
  customers: ItemSource<Customer>
  discounts: ItemSource<Discount>
}
