import { type LicenseKeyText, readLicenseKeyText } from '../../shared/license-key-text.ts'
import type { ServicePort } from '../ports/service-port.ts'

/** Finds the license key in pasted text, as the service writes its keys. */
export function findLicenseKey(commerce: ServicePort, text: string): LicenseKeyText {
  return commerce.findLicenseKey?.(text) ?? readLicenseKeyText(text)
}
