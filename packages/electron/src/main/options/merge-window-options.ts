import type { LicenseService } from '@latchkey/services'
import * as v from 'valibot'
import { webAddress } from './field-schemas.ts'
import type { ActivationWindowOptions } from './licensing-options.ts'
import { LicensingOptionsError } from './licensing-options-error.ts'

/** Merges one window's options into the app's. Links and strings are merged, all other options are replaced. */
export function mergeWindowOptions(
  base: ActivationWindowOptions,
  own: ActivationWindowOptions,
): ActivationWindowOptions {
  return {
    ...base,
    ...own,
    links: { ...base.links, ...own.links },
    strings: { ...base.strings, ...own.strings },
  }
}

/**
 * The service's page for customers is the default of the link to it.
 *
 * @throws {LicensingOptionsError} if the adapter's page can't be opened.
 */
export function withCustomerPortal(
  window: ActivationWindowOptions,
  adapter: LicenseService | undefined,
): ActivationWindowOptions {
  // An adapter that the app wrote itself may have no links.
  const page = adapter?.links?.customerPortal || undefined
  if (adapter === undefined || page === undefined || window.links?.account !== undefined) return window
  const { success, output, issues } = v.safeParse(webAddress(), page)
  if (success) return { ...window, links: { ...window.links, account: output } }
  throw new LicensingOptionsError(`customerPortal of the ${adapter.name} adapter ${issues[0].message}`)
}
