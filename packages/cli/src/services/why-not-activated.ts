import { isTestLicense, type LicenseFacts, type LicenseService } from '@latchkey/services'

const unlimitedBenefit =
  'an app can’t activate it, because the license key benefit has no activation limit: turn on Limit activations in Polar'
const testLicense = 'a packaged app can’t activate it, because the license key was created in test mode'

/** Why no packaged app activates a license that is in force; `null` if nothing is known that prevents it. */
export function whyNotActivated(service: LicenseService, facts: LicenseFacts): string | null {
  if (service.name === 'polar' && facts.seatLimit === 'unlimited') return unlimitedBenefit
  return isTestLicense(service, facts) ? testLicense : null
}
