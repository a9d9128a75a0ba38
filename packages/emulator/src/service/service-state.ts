import type { Dialect } from '../dialects/dialect.ts'
import type { ItemList } from '../store/item-list.ts'
import type { LicenseStore } from '../store/license-store.ts'
import type { ServiceClock } from '../timestamps.ts'
import type { Customer, Discount } from '../wire.ts'

/** All that an answer depends on. */
export interface ServiceState {
  /** `null`: no token is asked for. */
  accessToken: string | null
  dialect: Dialect
  clock: ServiceClock
  licenses: LicenseStore
  customers: ItemList<Customer>
  discounts: ItemList<Discount>
}
