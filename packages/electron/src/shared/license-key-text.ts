import { type FoundLicenseKey, findLicenseKey } from '@latchkey/services/license-key'

export { findLicenseKeys, maxLicenseTextLength } from '@latchkey/services/license-key'

/** Longest text that is searched for an answer to an offline request, in UTF-16 units. */
export const maxOfflineTextLength = 50_000

/** The result of searching pasted text for a license key. */
export type LicenseKeyText = FoundLicenseKey

/** Finds the license key of the default service, which is a UUID, in pasted text. Returns it in lower case. */
export function readLicenseKeyText(text: string): LicenseKeyText {
  const found = findLicenseKey(text, 'uuid')
  return found.ok ? { ok: true, licenseKey: found.licenseKey.toLowerCase() } : found
}

/** Returns the character that can't be part of a license key of any service; `null` if the text has none. */
export function foreignCharacterIn(text: string): string | null {
  const found = findLicenseKey(text, 'any')
  return !found.ok && found.code === 'foreign-character' ? found.character : null
}

/**
 * Shows the first and last characters of a license key: enough to recognize it, too few to use it. Fewer for short
 * keys.
 */
export function maskLicenseKey(licenseKey: string): string {
  const shown = Math.min(4, Math.floor(licenseKey.length / 6))
  return shown === 0 ? '••••' : `${licenseKey.slice(0, shown)}••••${licenseKey.slice(-shown)}`
}
