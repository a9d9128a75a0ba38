import type { LicenseService } from '../contract/license-service.ts'
import { createDodo } from './dodo.ts'
import { type DodoOptions, readOptions } from './options.ts'

export type { DodoOptions } from './options.ts'

/**
 * License keys sold through Dodo Payments.
 *
 * @throws {TypeError} when an option isn't usable; the message names it.
 *
 * @example
 * ```ts
 * const service = dodo({ productId: 'pdt_0NVz1J3QmL2' })
 * ```
 */
export function dodo(options: DodoOptions): LicenseService {
  return createDodo(readOptions(options))
}
