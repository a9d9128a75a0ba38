import type { LicenseService } from '../contract/license-service.ts'
import { createKeygen } from './keygen.ts'
import { type KeygenOptions, readOptions } from './options.ts'

export type { KeygenOptions } from './options.ts'

/**
 * Creates the adapter for Keygen, in the cloud or self-hosted.
 *
 * @throws {TypeError} if an option is invalid. The message names the option.
 *
 * @example
 * ```ts
 * const service = keygen({
 *   account: '1fddcec8-8dd3-4d8d-9b16-215cac0f9b52',
 *   product: '3713fb33-1f64-4f68-9bc7-8e1f6b0a1e6d',
 * })
 * ```
 */
export function keygen(options: KeygenOptions): LicenseService {
  return createKeygen(readOptions(options))
}
