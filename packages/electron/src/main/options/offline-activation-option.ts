import * as v from 'valibot'
import { isThisMachine, parseUrl } from '../origin.ts'
import type { LicensingOptions, OfflineActivationOptions } from './licensing-options.ts'
import { LicensingOptionsError } from './licensing-options-error.ts'
import { type OptionsSchema, optionsOf, required } from './option-schema.ts'

const hint =
  'must have the address of your gateway’s page, for example { url: "https://licensing.example.com/v1/offline" }'

/** The shape of `offlineActivation`. */
export function offlineActivationSchema(): OptionsSchema<OfflineActivationOptions> {
  return optionsOf({ url: required(() => v.union([v.string(), v.instance(URL)], hint)) }, hint)
}

/**
 * Returns the address of the page for computers without internet; `undefined` if they can't be activated.
 *
 * @throws {LicensingOptionsError} if it can't work like this.
 */
export function readOfflineUrl({
  offlineActivation,
  leaseKeys,
}: Pick<LicensingOptions, 'offlineActivation' | 'leaseKeys'>): string | undefined {
  if (offlineActivation === undefined) return undefined
  const url = parseUrl(offlineActivation.url.toString())
  const isPrivate = url?.protocol === 'https:' || (url?.protocol === 'http:' && isThisMachine(url.hostname))
  if (url === null || !isPrivate || url.hash !== '') {
    throw new LicensingOptionsError(
      'offlineActivation.url must be an https: address without "#", for example "https://licensing.example.com/v1/offline"',
    )
  }
  if (leaseKeys !== undefined) return url.href
  throw new LicensingOptionsError(
    'offlineActivation needs leaseKeys: the app accepts only signed answers. Print them with: latchkey-gateway keys public',
  )
}
