import type { LicenseService } from '../contract/license-service.ts'
import { createDodo } from './dodo.ts'
import { type DodoOptions, readOptions } from './options.ts'

export type { DodoOptions } from './options.ts'

/**
 * Creates the adapter for license keys sold through Dodo Payments.
 *
 * @throws {TypeError} if an option is invalid. The message names the option.
 *
 * @example
 * ```ts
 * const service = dodo({ productId: 'pdt_0NVz1J3QmL2' })
 * ```
 */
export function dodo(options: DodoOptions): LicenseService {
  return createDodo(readOptions(options))
}
