import type { LicenseService } from '../contract/license-service.ts'
import { createLemonSqueezy } from './lemon-squeezy.ts'
import { type LemonSqueezyOptions, readOptions } from './options.ts'

export type { LemonSqueezyOptions } from './options.ts'

/**
 * Creates the adapter for license keys sold through Lemon Squeezy.
 *
 * @throws {TypeError} if an option is invalid. The message names the option.
 *
 * @example
 * ```ts
 * const service = lemonSqueezy({ storeId: 12345, productId: 67890 })
 * ```
 */
export function lemonSqueezy(options: LemonSqueezyOptions): LicenseService {
  return createLemonSqueezy(readOptions(options))
}
