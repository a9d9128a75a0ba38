import { type CommerceClientOptions, checkClientOptions } from './client-options.ts'
import type { Exchange } from './exchange.ts'
import { createLicenses, type Licenses } from './licenses.ts'
import { createTransport } from './transport.ts'

// For the Electron helper, which builds these modules into itself. Not part of the published package.
export type { Exchange, ExchangeAnswer, ExchangeRequest } from './exchange.ts'

/**
 * The license routes alone, over an exchange of the app's own: without ky, without `fetch` and its classes, and without
 * the schemas of the other routes, because every launch of an app pays for them.
 *
 * @throws {CommerceError} `invalid-argument` if an option is unusable.
 */
export function createAppLicenses(
  options: Omit<CommerceClientOptions, 'fetch'>,
  exchange: Exchange,
): Licenses {
  const settings = checkClientOptions(options)
  return createLicenses(createTransport(settings, exchange), settings.baseUrl, settings.ids)
}
