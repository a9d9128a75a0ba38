import type { LicenseFacts } from './license-facts.ts'
import type { LicenseService } from './license-service.ts'

/** Returns whether a license key was created in the service's test mode, and the service's options don't allow that. */
export function isTestLicense(
  { testMode }: Pick<LicenseService, 'testMode'>,
  { isTest }: Pick<LicenseFacts, 'isTest'>,
): boolean {
  return testMode === false && isTest === true
}
