/** An option of `createLicensing` is missing or not usable. The message names it and shows no secret. */
export class LicensingOptionsError extends Error {
  override readonly name = 'LicensingOptionsError' as const

  constructor(what: string) {
    super(`createLicensing: ${what}.`)
  }
}
