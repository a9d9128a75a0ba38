import type { Customer, Discount } from '@latchkey/commerce'
import { ControlError } from '../control/input.ts'
import { formatMicroseconds, type ServiceClock } from '../timestamps.ts'
import type { License, LicenseKey } from '../wire.ts'
import { generatedCustomers, generatedDiscounts, type ItemList, idAt, listOf } from './generated-lists.ts'
import { createLicenseStore, type LicenseStore } from './license-store.ts'

/** A key, with additional data that some services store for a device. */
export interface LicenseKeyData extends LicenseKey {
  details?: Record<string, string> | undefined
}

/** A license with all its data. */
export interface LicenseData extends Omit<License, 'activation_usage' | 'activation_usage_formatted'> {
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

/** Number of items in each list. */
export interface Totals {
  customers: number
  discounts: number
}

/** The lists to resize. */
export type TotalsPatch = { [List in keyof Totals]?: number | undefined }

/** All the service's data. */
export interface ServiceData {
  licenses: LicenseStore
  customers(): ItemList<Customer>
  discounts(): ItemList<Discount>
  /** Returns a copy of all data. */
  dump(): EmulatorData
  /** Replaces all data. */
  load(data: EmulatorData): void
  /**
   * Grows or shrinks the seeded lists.
   *
   * @throws ControlError for a list whose items came from a data file.
   */
  resize(totals: TotalsPatch): void
}

/** Creates an empty data set. */
export function createServiceData(clock: ServiceClock): ServiceData {
  const licenses = createLicenseStore(clock)
  let customers: ItemSource<Customer> = []
  let discounts: ItemSource<Discount> = []
  return {
    licenses,
    customers: () =>
      Array.isArray(customers) ? listOf(customers) : generatedCustomers(customers.seed, customers.count),
    discounts: () =>
      Array.isArray(discounts) ? listOf(discounts) : generatedDiscounts(discounts.seed, discounts.count),
    dump: () => structuredClone({ version: 1, licenses: licenses.list(), customers, discounts }),
    load(data) {
      licenses.replaceAll(data.licenses)
      customers = structuredClone(data.customers)
      discounts = structuredClone(data.discounts)
    },
    resize(totals) {
      customers = resized('customers', customers, totals.customers)
      discounts = resized('discounts', discounts, totals.discounts)
    },
  }
}

function resized<Item>(name: string, source: ItemSource<Item>, count: number | undefined): ItemSource<Item> {
  if (count === undefined) return source
  if (!Array.isArray(source)) return { ...source, count }
  throw new ControlError('invalid', `${name}: these items come from a data file; load another file instead.`)
}

const yearMs = 365 * 24 * 60 * 60 * 1000

/** The default end of a license: a year from now. */
export function inOneYear(nowMs: number): string {
  return formatMicroseconds((nowMs + yearMs) * 1000)
}

/** The demo license's id. It only depends on the seed, so that documents can refer to it. */
export function demoLicenseId(seed: number): string {
  return idAt(seed, 'licenses', 0)
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
