import { type CommerceClientOptions, checkClientOptions } from './http/client-options.ts'
import type { Exchange } from './http/exchange.ts'
import { createTransport } from './http/transport.ts'
import { createLicenses, type Licenses } from './licenses/licenses.ts'

// For the Electron helper, which builds these modules into itself. Not part of the published package.
export type { Exchange, ExchangeAnswer, ExchangeRequest } from './http/exchange.ts'

/**
 * Creates a client for the license routes that uses the app's own exchange. It loads neither ky nor `fetch` and its
 * classes, nor the schemas of other routes, because they would slow down every launch.
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
