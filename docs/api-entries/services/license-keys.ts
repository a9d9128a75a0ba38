export {
  composeActivationName,
  type FoundLicenseKey,
  findAnyLicenseKey,
  findLicenseKey,
  type LicenseKeyForm,
  parseActivationName,
} from '@latchkey/services'
