import { type LicenseKeyText, readLicenseKeyText } from '../../shared/license-key-text.ts'
import type { ServicePort } from '../ports/service-port.ts'

/** Finds the license key in pasted text, as the service writes its keys. */
export function findLicenseKey(commerce: ServicePort, text: string): LicenseKeyText {
  // Plain JavaScript may pass undefined, such as the value of a field that isn't there.
  const given = String(text ?? '')
  return commerce.findLicenseKey?.(given) ?? readLicenseKeyText(given)
}
