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

const form = String.raw`[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}`
const whole = new RegExp(`^${form}$`, 'iu')
const atEnd = new RegExp(`^(?:.*-)?${form}$`, 'iu')
const anywhere = new RegExp(form, 'giu')

/** Whether a text is a UUID of any version, in any case. */
export function isUuid(text: string): boolean {
  return whole.test(text)
}

/** Whether a text is a UUID, or ends with one after a hyphen. */
export function endsWithUuid(text: string): boolean {
  return atEnd.test(text)
}

/** Returns the text with each UUID replaced. */
export function replaceUuids(text: string, replacementOf: (uuid: string) => string): string {
  return text.replace(anywhere, replacementOf)
}

/**
 * Returns the part of a pattern that matches the characters of a class of Unicode, such as `L`.
 *
 * V8 takes a fraction of a millisecond for each class in a literal, at every launch, even if the code is never called.
 * Minifiers make a literal of `new RegExp` with a constant text. So code that a launch loads puts such a pattern together
 * when it is needed.
 */
export function unicodeClass(name: string): string {
  return `\\p{${name}}`
}
