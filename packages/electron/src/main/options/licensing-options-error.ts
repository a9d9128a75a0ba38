/**
 * Thrown if an option of `createLicensing` is missing or unusable. The message names the option and contains no
 * secret.
 */
export class LicensingOptionsError extends Error {
  override readonly name = 'LicensingOptionsError' as const

  constructor(what: string) {
    super(`createLicensing: ${what}.`)
  }
}
