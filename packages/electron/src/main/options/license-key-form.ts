import type { LicenseService } from '@latchkey/services'
import { endsWithUuid } from '../../shared/license-key-text.ts'

/** Finds license keys. A service finds its own; behind a gateway, any service may have sold the license key. */
export type KeyFinder = Pick<LicenseService, 'findLicenseKey'>

/** Returns the license key if the text is exactly one; otherwise `null`. */
export function readExactKey(service: KeyFinder, text: string): string | null {
  const found = service.findLicenseKey(text)
  return found.ok && found.licenseKey === text ? text : null
}

/** Matches at least three groups of digits and capital letters. */
const groups = /^(?=.*\d)(?:[\dA-Z]{4,}-){2,}[\dA-Z]+$/u

/**
 * Finds the license key in text that the user didn't paste; `null` if there is none. Some services accept any word as a
 * license key, and a password on the clipboard must not be offered as one.
 */
export function findUnmistakableKey(service: KeyFinder, text: string): string | null {
  const found = service.findLicenseKey(text)
  if (!found.ok) return null
  const { licenseKey } = found
  return endsWithUuid(licenseKey) || groups.test(licenseKey) ? licenseKey : null
}
