import { ControlError } from '../control-error.ts'
import type { Dialect } from '../dialects/dialect.ts'
import type { ServiceClock } from '../timestamps.ts'
import type { Customer, Discount } from '../wire.ts'
import type { EmulatorData, ItemSource } from './emulator-data.ts'
import { generatedCustomers } from './generated-customers.ts'
import { generatedDiscounts } from './generated-discounts.ts'
import { type ItemList, listOf } from './item-list.ts'
import { createLicenseStore, type LicenseStore } from './license-store.ts'

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
  discounts(style: Dialect['discounts']): ItemList<Discount>
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
    discounts: (style) =>
      Array.isArray(discounts)
        ? listOf(discounts)
        : generatedDiscounts(discounts.seed, discounts.count, style),
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
