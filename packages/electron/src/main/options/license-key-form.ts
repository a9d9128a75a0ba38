import type { LicenseService } from '@latchkey/services'

/** The license key that a text is, exactly; `null` when it is more than that, or none. */
export function readExactKey(service: LicenseService, text: string): string | null {
  const found = service.findLicenseKey(text)
  return found.ok && found.licenseKey === text ? text : null
}

/** A UUID, perhaps with a prefix, or at least three groups of digits and capital letters. */
const unmistakable =
  /^(?:.*-)?[\da-fA-F]{8}(?:-[\da-fA-F]{4}){3}-[\da-fA-F]{12}$|^(?=.*\d)(?:[\dA-Z]{4,}-){2,}[\dA-Z]+$/u

/**
 * The license key in a text that nobody pasted; `null` for none. Some services take any word as a license key, and a
 * password on the clipboard must not be offered as one.
 */
export function findUnmistakableKey(service: LicenseService, text: string): string | null {
  const found = service.findLicenseKey(text)
  return found.ok && unmistakable.test(found.licenseKey) ? found.licenseKey : null
}
