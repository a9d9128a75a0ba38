import { type CommerceClientOptions, checkClientOptions, checkOptionNames } from './http/client-options.ts'
import { createFetchExchange } from './http/fetch-exchange.ts'
import { createTransport } from './http/transport.ts'
import { createLicenses, type Licenses } from './licenses/licenses.ts'
import { type Customer, customerSchema } from './lists/customer.ts'
import { type Discount, discountSchema } from './lists/discount.ts'
import { createPagedList, type PagedList } from './lists/paged-list.ts'

/** The commerce service's complete interface. */
export interface CommerceClient {
  /** The license routes: *list keys*, *show key*, *activate*, *validate*, *deactivate*. */
  readonly licenses: Licenses
  /** The list of discounts. */
  readonly discounts: PagedList<Discount>
  /** The list of customers. */
  readonly customers: PagedList<Customer>
}

/**
 * Creates a client of the commerce service. Nothing is sent until you call one of its methods.
 *
 * @throws {CommerceError} `invalid-argument` if an option is unknown or unusable. The message names it and says why.
 *
 * @example
 * ```ts
 * const commerce = createCommerceClient({ baseUrl: 'https://licensing.example/v1' })
 * const { license, key } = await commerce.licenses.activate(licenseId, { name: 'Ada’s laptop' })
 * ```
 */
export function createCommerceClient(options: CommerceClientOptions): CommerceClient {
  checkOptionNames(options)
  const settings = checkClientOptions(options)
  const transport = createTransport(settings, options.exchange ?? createFetchExchange(settings))
  const { baseUrl, ids } = settings
  return {
    licenses: createLicenses(transport, baseUrl, ids),
    discounts: createPagedList(transport, baseUrl, 'discounts.list', 'discounts', discountSchema),
    customers: createPagedList(transport, baseUrl, 'customers.list', 'customers', customerSchema),
  }
}
