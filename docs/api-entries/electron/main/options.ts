export { createLicensing, type LicensingOptions, LicensingOptionsError } from '@latchkey/electron/main'
