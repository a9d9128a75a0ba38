import { type LicenseKeyText, readLicenseKeyText } from '../../shared/license-key-text.ts'
import type { Logger } from '../ports/logger-port.ts'
import type { ServicePort } from '../ports/service-port.ts'

/** What finding a license key needs. */
interface KeyPorts {
  readonly commerce: ServicePort
  readonly logger: Logger
}

/**
 * Finds the license key in pasted text, as the service writes its keys. Logs what a developer can do if only UUIDs are
 * found: to the user it looks like a wrong key.
 */
export function findLicenseKey({ commerce, logger }: KeyPorts, text: string): LicenseKeyText {
  // Plain JavaScript may pass undefined, such as the value of a field that isn't there, or the result of a dialog.
  if (typeof text !== 'string')
    logger.warn('activate() and createOfflineRequest() take the license key as a text.')
  const given = String(text ?? '')
  if (commerce.findLicenseKey !== undefined) return commerce.findLicenseKey(given)
  const found = readLicenseKeyText(given)
  if (!found.ok && found.code === 'no-license-key') {
    logger.info("A text has no UUID. If your license keys aren't UUIDs, set service.licenseKeys to 'any'.")
  }
  return found
}
