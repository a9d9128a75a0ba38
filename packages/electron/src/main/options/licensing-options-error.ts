/**
 * Thrown if an option of `createLicensing` or `openActivationWindow` is missing or unusable. The message names the function
 * and the option, and contains no secret.
 */
export class LicensingOptionsError extends Error {
  override readonly name = 'LicensingOptionsError' as const

  constructor(what: string, caller = 'createLicensing') {
    super(`${caller}: ${what}.`)
  }
}
