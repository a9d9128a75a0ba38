import type { LicenseService } from '../contract/license-service.ts'
import { type PolarOptions, readOptions } from './options.ts'
import { createPolar } from './polar.ts'

export type { PolarOptions } from './options.ts'

/**
 * Creates the adapter for license keys sold through Polar.
 *
 * @throws {TypeError} if an option is invalid. The message names the option.
 *
 * @example
 * ```ts
 * const service = polar({ organizationId: 'fda84e25-7b55-4d67-916d-60ead04ff72f' })
 * ```
 */
export function polar(options: PolarOptions): LicenseService {
  return createPolar(readOptions(options))
}
