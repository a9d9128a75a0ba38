import { type CommerceClientOptions, checkClientOptions } from './client-options.ts'
import { createLicenses, type Licenses } from './licenses.ts'
import { createTransport } from './transport.ts'

/** The commerce service's interface. */
export interface CommerceClient {
  readonly licenses: Licenses
}

/**
 * Creates a client of the commerce service. Nothing is sent until one of its methods is called.
 *
 * @throws {CommerceError} `invalid-argument` when an option is not usable; the message names it and says why.
 *
 * @example
 * ```ts
 * const commerce = createCommerceClient({ baseUrl: 'https://licensing.example/v1' })
 * const { license, key } = await commerce.licenses.activate(licenseId, { name: 'Ada’s laptop' })
 * ```
 */
export function createCommerceClient(options: CommerceClientOptions): CommerceClient {
  const settings = checkClientOptions(options)
  const transport = createTransport(settings)
  return { licenses: createLicenses(transport, settings.baseUrl) }
}
