import type { LicenseService } from '@latchkey/services'

/** Returns the license key if the text is exactly one; otherwise `null`. */
export function readExactKey(service: LicenseService, text: string): string | null {
  const found = service.findLicenseKey(text)
  return found.ok && found.licenseKey === text ? text : null
}

/** Matches a UUID, optionally with a prefix, or at least three groups of digits and capital letters. */
const unmistakable =
  /^(?:.*-)?[\da-fA-F]{8}(?:-[\da-fA-F]{4}){3}-[\da-fA-F]{12}$|^(?=.*\d)(?:[\dA-Z]{4,}-){2,}[\dA-Z]+$/u

/**
 * Finds the license key in text that the user didn't paste; `null` if there is none. Some services accept any word as a
 * license key, and a password on the clipboard must not be offered as one.
 */
export function findUnmistakableKey(service: LicenseService, text: string): string | null {
  const found = service.findLicenseKey(text)
  return found.ok && unmistakable.test(found.licenseKey) ? found.licenseKey : null
}
