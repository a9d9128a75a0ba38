import type { FoundLicenseKey } from './find-license-key.ts'
import { findMixedKey } from './find-mixed-key.ts'
import { keygenForms } from './keygen-forms.ts'
import { prefixedUuidForms } from './uuid-forms.ts'

/**
 * Finds a license key of any service in pasted text. An app behind a gateway uses it, because only the gateway knows
 * which service sold the key.
 *
 * @param text up to 10,000 characters.
 */
export function findAnyLicenseKey(text: string): FoundLicenseKey {
  return findMixedKey(text, [...prefixedUuidForms(), ...keygenForms])
}
